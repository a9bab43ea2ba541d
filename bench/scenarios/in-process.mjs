import { CALLERS, ECHO, ECHO_ARGS } from '../clients/index.mjs';
import { interleave, median, summarise, timed } from '../lib/measure.mjs';
import { report } from '../lib/report.mjs';
import { answer, bodyText, MEDIA_TYPE } from '../server/answers.mjs';

/** What a call costs without a socket: `fetch` is a function that answers at once. Steadier than loopback. */
const CALLS = 1_000;
const data = {};

function createFetch(era, format) {
  return async (_url, init) => {
    if (init?.method !== 'POST') return new Response(null, { status: 405 });
    const message = JSON.parse(init.body);
    const answered = answer(message, { tools: 20, era });
    if (answered === undefined) return new Response(null, { status: 202 });
    const headers = { 'content-type': MEDIA_TYPE[format] };
    return new Response(bodyText(message.id, answered, format), { status: answered.status ?? 200, headers });
  };
}

async function sample({ client }) {
  const { wall, cpu } = await timed(async () => {
    for (let count = 0; count < CALLS; count++) await client.call(ECHO, ECHO_ARGS);
  });
  return { wall: (wall / CALLS) * 1000, cpu: (cpu / CALLS) * 1000 };
}

for (const [name, era, format] of [
  ['JSON', 'legacy', 'json'],
  ['SSE', 'legacy', 'sse'],
  ['JSON, modern', 'modern', 'json'],
  ['SSE, modern', 'modern', 'sse'],
]) {
  const server = { name: 'srv0', url: 'http://localhost/mcp' };
  const open = async ({ label, connect, options }) => ({
    label,
    client: await connect([server], { ...options, fetch: createFetch(era, format) }),
  });
  const clients = await Promise.all(CALLERS[era].map(open));
  const samples = await interleave(clients, sample, { warmUp: 3 });
  const base = samples.get(era === 'modern' ? 'client2 modern' : 'client2');
  const summary = summarise(samples, 'wall', []);
  for (const [label, taken] of samples) {
    summary[label].overClient2 = median(taken.map(({ wall }, round) => wall - base[round].wall));
  }
  data[name] = summary;
  await Promise.all(clients.map(({ client }) => client.close()));
}

const tables = Object.entries(data).map(([name, summary]) => ({
  caption: `${name}: µs a call`,
  head: ['client', 'wall', 'CPU', 'over client2'],
  rows: Object.entries(summary).map(([label, row]) => [label, row.wall, row.cpu, row.overClient2]),
}));
report('in-process', 'tools/call without sockets', data, tables);
