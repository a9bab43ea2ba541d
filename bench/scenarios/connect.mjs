import { setTimeout as sleep } from 'node:timers/promises';
import { LEGACY, MODERN } from '../clients/index.mjs';
import { interleave, summarise, timed } from '../lib/measure.mjs';
import { ratioCells, report } from '../lib/report.mjs';
import { startServers } from '../lib/servers.mjs';

/** Connect, list and project one server's tools. */
const servers = await startServers(1);
const VARIANTS = [...LEGACY, ...MODERN];
const BASES = ['plain', 'sdk', 'client2', 'client2 loose', 'plain modern', 'client2 modern'];
const data = {};

for (const tools of [10, 100, 1_000, 5_000]) {
  const requests = {};
  const sample = async ({ label, era, connect, options }) => {
    const { wall, cpu, value } = await timed(() => connect(servers.list({ tools, era }), options));
    if (value.size !== tools) throw new Error(`${label} found ${value.size} tools, not ${tools}`);
    // The 1.x and 2.x clients also ask for an event stream, which nobody waits for.
    await sleep(30);
    requests[label] = Object.values(await servers.takeCounts()).reduce((sum, count) => sum + count, 0);
    await value.close();
    await servers.takeCounts();
    return { wall, cpu };
  };
  const summary = summarise(await interleave(VARIANTS, sample, { warmUp: tools > 100 ? 3 : 10 }), 'wall', BASES);
  for (const [label, row] of Object.entries(summary)) row.requests = requests[label];
  data[tools] = summary;
}
servers.stop();

const tables = Object.entries(data).map(([tools, summary]) => ({
  caption: `1 server × ${tools} tools: ms, then wall (CPU) relative to each base, paired`,
  head: ['client', 'wall', 'CPU', 'requests', ...BASES.map((base) => `/ ${base}`)],
  rows: Object.entries(summary).map(([label, row]) => [
    label,
    row.wall,
    row.cpu,
    row.requests,
    ...ratioCells(row, BASES),
  ]),
}));
report('connect', 'Connect + list + project', data, tables);
