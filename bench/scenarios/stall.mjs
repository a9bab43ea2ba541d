import { CALLERS, LEGACY } from '../clients/index.mjs';
import { interleave, median, summarise, timed } from '../lib/measure.mjs';
import { report } from '../lib/report.mjs';
import { startServers } from '../lib/servers.mjs';
import { bodyText, listText } from '../server/answers.mjs';

/** The longest time the event loop stands still while 5,000 tools are connected and listed. */
const TOOLS = 5_000;
const servers = await startServers(1);
const body = new TextEncoder().encode(bodyText(1, { result: listText(TOOLS, 'legacy') }, 'json'));

/** Watches the loop with a timer of 1 ms; gives the longest times between two of its turns, on the clock and of CPU. */
function watchLoop() {
  const gaps = [];
  let last = performance.now();
  let lastCpu = process.cpuUsage();
  const tick = () => {
    const now = performance.now();
    const { user, system } = process.cpuUsage(lastCpu);
    gaps.push({ wall: now - last - 1, cpu: (user + system) / 1000 });
    last = now;
    lastCpu = process.cpuUsage();
  };
  const timer = setInterval(tick, 1);
  return () => {
    tick();
    clearInterval(timer);
    const longest = (key) => gaps.map((gap) => gap[key]).sort((a, b) => b - a);
    const [wall, next] = longest('wall');
    const [cpu, nextCpu] = longest('cpu');
    return { wall, next, cpu, nextCpu };
  };
}

async function sample({ connect, options, era }) {
  if (connect === undefined) {
    // What everybody pays: the same bytes decoded and parsed in one go.
    const { wall, cpu } = await timed(() => JSON.parse(new TextDecoder().decode(body)));
    return { wall, next: 0, cpu, nextCpu: 0 };
  }
  const { value } = await timed(async () => {
    const stop = watchLoop();
    const connected = await connect(servers.list({ tools: TOOLS, era }), options);
    return { connected, longest: stop() };
  });
  await value.connected.close();
  return value.longest;
}

const PARSE = 'decode + JSON.parse alone';
const describing = LEGACY.filter(({ options }) => options.describe);
const variants = [{ label: PARSE }, ...CALLERS.legacy, ...CALLERS.modern, ...describing];
const samples = await interleave(variants, sample, { warmUp: 3 });
const summary = summarise(samples, 'wall', []);
const parse = samples.get(PARSE);
for (const [label, taken] of samples) {
  const beyond = (key) => median(taken.map((each, round) => each[key] - parse[round][key]));
  summary[label].beyond = { wall: beyond('wall'), cpu: beyond('cpu') };
}
servers.stop();

report('stall', 'Longest event-loop stall', { bytes: body.length, summary }, [
  {
    caption: `1 server × ${TOOLS} tools (${(body.length / 1e6).toFixed(1)} MB): ms on the clock, and of CPU`,
    head: ['client', 'longest', 'beyond the parse', 'next longest', 'CPU', 'CPU beyond the parse', 'next in CPU'],
    rows: Object.entries(summary).map(([label, { wall, next, cpu, nextCpu, beyond }]) => [
      label,
      wall,
      beyond.wall,
      next,
      cpu,
      beyond.cpu,
      nextCpu,
    ]),
  },
]);
