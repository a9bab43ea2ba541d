import { LIBRARY } from './clients/ours.mjs';
import { startServers } from './lib/servers.mjs';

/**
 * `npm run soak`: 200,000 calls over loopback, to servers of both eras that answer as JSON and as event streams, some of them
 * aborted. Prints the heap after garbage collection; ends with 1 where it grew by more than 5 % since the 20,000th call.
 * `SOAK_CALLS=50000` makes it shorter.
 */
const CALLS = Number(process.env.SOAK_CALLS ?? 200_000);
const SAMPLE_EVERY = Math.ceil(CALLS / 20);
/** Caches of ours, of the SDK and of the runtime have filled by then. */
const WARM_CALLS = Math.ceil(CALLS / 10);
const MAX_GROWTH = 0.05;
const AT_ONCE = 64;
/** Every so manieth call is aborted as soon as it is sent. */
const ABORT_EVERY = 100;
const MAX_MS = 15 * 60_000;

if (globalThis.gc === undefined) throw new Error('Run it with `npm run soak`, or with `node --expose-gc`.');
const { mcpTools } = await import(LIBRARY);
const deadline = Date.now() + MAX_MS;

async function heapAfterGc() {
  // What finalisers let go of is collected by the next round.
  for (let round = 0; round < 4; round++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return process.memoryUsage().heapUsed;
}

/** Calls the tools in turn until `end`; `counts` says what came of it. */
async function callUntil(end, state, tools, signal) {
  const { counts } = state;
  const work = async () => {
    while (state.started < end) {
      const index = state.started++;
      if (Date.now() > deadline) throw new Error(`Not done within ${MAX_MS} ms`);
      const leaves = index % ABORT_EVERY === 0 ? new AbortController() : undefined;
      const calling = tools[index % tools.length].execute({}, { abortSignal: leaves?.signal ?? signal });
      leaves?.abort();
      try {
        await calling;
        counts.ok += 1;
      } catch (error) {
        if (error.code !== 'aborted') throw error;
        counts.aborted += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

const mib = (bytes) => (bytes / 2 ** 20).toFixed(2);

const servers = await startServers(4);
const sources = ['legacy', 'modern'].flatMap((era) =>
  ['json', 'sse'].map((format) => ({ ...servers.list({ tools: 10, format, era })[0], name: `${era}_${format}` })),
);
const toolset = await mcpTools(
  sources.map((source) => ({ ...source, type: 'http', required: true })),
  // Asked for, so that its listeners are part of what must not grow.
  { onProgress: () => {} },
);
const tools = sources.map(({ name }) => toolset.tools[Object.keys(toolset.tools).find((key) => key.startsWith(name))]);
const state = { started: 0, counts: { ok: 0, aborted: 0 } };
const { signal } = new AbortController();
const startedAt = performance.now();

console.log('| calls | heap after GC (MiB) | since the warm-up | seconds |');
console.log('| ---: | ---: | ---: | ---: |');
let warm;
let last;
for (let end = SAMPLE_EVERY; end <= CALLS; end += SAMPLE_EVERY) {
  await callUntil(end, state, tools, signal);
  last = await heapAfterGc();
  if (end >= WARM_CALLS) warm ??= last;
  const growth = warm === undefined ? '–' : `${(((last - warm) / warm) * 100).toFixed(2)} %`;
  console.log(`| ${end} | ${mib(last)} | ${growth} | ${((performance.now() - startedAt) / 1_000).toFixed(1)} |`);
}
await toolset.close();
servers.stop();

const growth = (last - warm) / warm;
const passed = growth <= MAX_GROWTH;
const verdict = `${(growth * 100).toFixed(2)} % since call ${WARM_CALLS}; allowed are ${MAX_GROWTH * 100} %`;
console.log(
  `\n${passed ? 'Flat' : 'It grows'}: ${verdict}. ${state.counts.ok} answered, ${state.counts.aborted} aborted.`,
);
process.exitCode = passed ? 0 : 1;
