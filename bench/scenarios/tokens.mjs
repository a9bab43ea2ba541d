import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { LIBRARY } from '../clients/ours.mjs';
import { report } from '../lib/report.mjs';

/**
 * What tool definitions cost a model: each file of a folder holds `{ server, tools }`, the answer of a server to `tools/list`.
 * `BENCH_CATALOGUES` names the folder.
 */
const FOLDER = process.env.BENCH_CATALOGUES ?? new URL('../../../shared/catalogues/', import.meta.url).pathname;
if (!existsSync(FOLDER)) {
  console.log(
    `No catalogues at ${FOLDER}; set BENCH_CATALOGUES to a folder of tools/list answers. Nothing was measured.`,
  );
  process.exit(0);
}
const { createMcpTools, catalogTokens, estimateTokens } = await import(LIBRARY);

/** What the library shows of a server's tools with this budget. */
async function show(server, tools, budget) {
  const client = { request: async () => ({ tools }) };
  const handle = createMcpTools(client, { prefix: `${server}__`, disclosure: { budget }, onDiagnostic() {} });
  const shown = (await handle.describeTools()).filter((tool) => tool.server !== '' && tool.state === 'active');
  await handle.close();
  return shown;
}

const texts = (tools) => tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
const estimate = (tools) => texts(tools).reduce((sum, tool) => sum + estimateTokens(tool), 0);
const real = (tools) => texts(tools).reduce((sum, tool) => sum + countTokens(JSON.stringify(tool)), 0);
const bare = (tools) => tools.map((tool) => ({ ...tool, inputSchema: { type: 'object', properties: {} } }));
const percent = (share) => `${Math.round(share * 100)} %`;

const servers = [];
for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
  const { server, tools } = JSON.parse(readFileSync(`${FOLDER}/${file}`, 'utf8'));
  const full = await show(server, tools, Number.POSITIVE_INFINITY);
  // Nothing fits in no budget, and giving up names of parameters would not help.
  const deferred = await show(server, tools, 0);
  const chosen = await show(server, tools, 'auto');
  const figures = {
    tools: full.length,
    full: estimate(full),
    deferred: estimate(deferred),
    bare: estimate(bare(full)),
    floor: catalogTokens(full),
    tier: chosen[0]?.disclosure ?? 'full',
    shown: estimate(chosen),
    real: { full: real(full), deferred: real(deferred) },
  };
  const hasNames = chosen.some(({ inputSchema }) => Object.keys(inputSchema.properties).length > 0);
  const schemas = chosen.reduce((sum, { inputSchema }) => sum + estimateTokens(inputSchema), 0);
  if (!hasNames && figures.tier === 'bare' && schemas > 20_000) throw new Error(`${server} lost its names for nothing`);
  servers.push([server, figures]);
}

const all = (pick) => servers.reduce((sum, [, figures]) => sum + pick(figures), 0);
const errors = (form) =>
  servers.map(([, figures]) => figures[form] / figures.real[form] - 1).sort((one, other) => one - other);
const spread = (form) => {
  const sorted = errors(form);
  const whole = all((figures) => figures[form]) / all((figures) => figures.real[form]) - 1;
  return [form, ...[sorted[0], sorted[sorted.length >> 1], sorted.at(-1), whole].map(percent)];
};
report('tokens', 'Tokens', Object.fromEntries(servers), [
  {
    caption: 'Estimated tokens of the definitions (name, description, schema) at the default budget of 20,000',
    head: ['server', 'tools', 'full', 'deferred', 'bare', 'floor', 'tier', 'shown', 'saved'],
    rows: [
      ...servers.map(([server, { tools, full, deferred, bare: least, floor, tier, shown }]) => {
        return [server, tools, full, deferred, least, floor, tier, shown, percent(1 - shown / full)];
      }),
      [
        'all',
        ...['tools', 'full', 'deferred', 'bare', 'floor'].map((name) => all((figures) => figures[name])),
        '',
        all(({ shown }) => shown),
        percent(1 - all(({ shown }) => shown) / all(({ full }) => full)),
      ],
    ],
  },
  {
    caption: 'Error of the estimate against the tokenizer o200k_base, per server, and over all',
    head: ['form', 'least', 'median', 'most', 'all'],
    rows: [spread('full'), spread('deferred')],
  },
]);
