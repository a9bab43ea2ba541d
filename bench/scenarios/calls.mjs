import { CALLERS, ECHO, ECHO_ARGS } from '../clients/index.mjs';
import { interleave, median, summarise, timed } from '../lib/measure.mjs';
import { ratioCells, report } from '../lib/report.mjs';
import { startServers } from '../lib/servers.mjs';

/** `tools/call` over loopback: the median latency of one caller, and of 64 at once. */
const BATCHES = [
  { concurrency: 1, calls: 300 },
  { concurrency: 64, calls: 1_280 },
];
const servers = await startServers(1);
const data = {};

async function measure({ call }, { concurrency, calls }) {
  const latencies = [];
  let left = calls;
  const worker = async () => {
    while (left-- > 0) {
      const start = performance.now();
      await call(ECHO, ECHO_ARGS);
      latencies.push(performance.now() - start);
    }
  };
  const { wall, cpu } = await timed(() => Promise.all(Array.from({ length: concurrency }, worker)));
  return { p50: median(latencies) * 1000, perSecond: (calls / wall) * 1000, cpu: (cpu / calls) * 1000 };
}

for (const [name, era, format] of [
  ['JSON', 'legacy', 'json'],
  ['SSE', 'legacy', 'sse'],
  ['JSON, modern', 'modern', 'json'],
  ['SSE, modern', 'modern', 'sse'],
]) {
  const open = async ({ label, connect, options }) => ({
    label,
    client: await connect(servers.list({ tools: 20, format, era }), options),
  });
  const clients = await Promise.all(CALLERS[era].map(open));
  for (const batch of BATCHES) {
    const samples = await interleave(clients, ({ client }) => measure(client, batch));
    const bases = clients.map(({ label }) => label);
    data[`${name}, concurrency ${batch.concurrency}`] = summarise(samples, 'p50', bases);
  }
  await Promise.all(clients.map(({ client }) => client.close()));
}
servers.stop();

const tables = Object.entries(data).map(([caption, summary]) => {
  const bases = Object.keys(summary).filter((label) => !label.startsWith('mcp-toolset'));
  return {
    caption: `${caption}: µs a call, then p50 (CPU) relative to each base, paired`,
    head: ['client', 'p50', 'CPU', 'calls/s', ...bases.map((base) => `/ ${base}`)],
    rows: Object.entries(summary).map(([label, row]) => [
      label,
      Math.round(row.p50),
      Math.round(row.cpu),
      Math.round(row.perSecond),
      ...ratioCells(row, bases),
    ]),
  };
});
report('calls', 'tools/call over loopback', data, tables);
