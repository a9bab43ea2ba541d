import { setTimeout as sleep } from 'node:timers/promises';
import { LEGACY, MODERN } from '../clients/index.mjs';
import { interleave, summarise, timed } from '../lib/measure.mjs';
import { ratioCells, report } from '../lib/report.mjs';
import { startServers } from '../lib/servers.mjs';

/** Twenty servers that take 50 ms a request, against one of them alone: connect in the time of one. */
const MANY = 20;
const SHAPE = { tools: 50, latency: 50 };
const servers = await startServers(MANY);
const requests = {};

async function sample({ label, many, era, connect, options }) {
  const { wall, cpu, value } = await timed(() => connect(servers.list({ ...SHAPE, many, era }), options));
  if (value.size !== many * SHAPE.tools) throw new Error(`${label} found ${value.size} tools`);
  await sleep(120);
  requests[label] = await servers.takeCounts();
  await value.close();
  await servers.takeCounts();
  return { wall, cpu };
}

const variants = [...LEGACY, ...MODERN].flatMap((variant) => [
  { ...variant, many: MANY },
  { ...variant, many: 1, label: `${variant.label}, one alone` },
]);
const BASES = ['plain', 'plain modern', 'sdk', 'client2'];
const samples = await interleave(variants, sample);
const summary = summarise(samples, 'wall', [...BASES, ...variants.map(({ label }) => label)]);
servers.stop();

const rows = variants
  .filter(({ many }) => many === MANY)
  .map(({ label }) => {
    const row = summary[label];
    const alone = `${label}, one alone`;
    const counted = Object.entries(requests[label]).map(([method, count]) => `${count} ${method}`);
    return [
      label,
      row.wall,
      summary[alone].wall,
      ...ratioCells(row, [alone]),
      ...ratioCells(row, BASES),
      row.cpu,
      counted.join(', '),
    ];
  });
const data = { summary, requests };
report('many', 'Twenty servers', data, [
  {
    caption: `${MANY} servers × ${SHAPE.tools} tools, ${SHAPE.latency} ms a request: wall in ms, then wall (CPU) relative to one alone and to each base, paired`,
    head: ['client', 'wall', 'one alone', '/ one alone', ...BASES.map((base) => `/ ${base}`), 'CPU', 'requests'],
    rows,
  },
]);
