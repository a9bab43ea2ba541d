import { runFresh } from '../lib/fresh.mjs';
import { interleave, summarise } from '../lib/measure.mjs';
import { report } from '../lib/report.mjs';
import { startServers } from '../lib/servers.mjs';

/** The heap that a connected client holds, above what importing it left, each time in a fresh process. */
const servers = await startServers(1);
const CLIENTS = [
  { label: 'plain', file: 'plain' },
  { label: 'sdk', file: 'sdk' },
  { label: 'client2', file: 'client2' },
  { label: 'mcp-toolset', file: 'ours', options: { protocol: 'legacy' } },
  { label: 'mcp-toolset + describeTools', file: 'ours', options: { protocol: 'legacy', describe: true } },
];

/** What an import of ours leaves out until the first connect is counted as import here, as it is for the others. */
const codeFor = ({ file, options = {} }, list) => `
  import { connect } from './clients/${file}.mjs';
  const settle = () => new Promise((resolve) => setTimeout(resolve, 50));
  const heap = async () => {
    for (let times = 0; times < 4; times++) { await settle(); globalThis.gc(); }
    return process.memoryUsage().heapUsed / 1e6;
  };
  const small = await connect(${JSON.stringify(servers.list({ tools: 1 }))}, ${JSON.stringify(options)});
  await small.close();
  const before = await heap();
  const client = await connect(${JSON.stringify(list)}, ${JSON.stringify(options)});
  const held = await heap() - before;
  console.log(JSON.stringify({ held, size: client.size }));
  process.exit(0);
`;

const data = {};
for (const tools of [1_000, 5_000]) {
  const sample = async (client) => {
    const { held } = runFresh(codeFor(client, servers.list({ tools })));
    return { held };
  };
  data[tools] = summarise(await interleave(CLIENTS, sample, { rounds: 5, warmUp: 0 }), 'held', ['plain', 'client2']);
}
servers.stop();

report('memory', 'Memory', data, [
  {
    caption: 'MB of heap after GC above a connect to one tool, and relative to plain',
    head: ['client', '1,000 tools', '/ plain', '5,000 tools', '/ plain'],
    rows: CLIENTS.map(({ label }) => [
      label,
      ...[1_000, 5_000].flatMap((tools) => [data[tools][label].held, data[tools][label].ratios.plain]),
    ]),
  },
]);
