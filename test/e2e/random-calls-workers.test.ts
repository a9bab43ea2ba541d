import { expect, it } from 'vitest';
import { faultServer } from '../../src/testing/faults/server.js';
import { until } from '../support/http-host.js';
import { COMPATIBILITY, startWorker } from '../support/workerd-serve.js';
import { ALL_KINDS, createStands, KINDS, sourceOf } from './faults-kit.js';
import { PATIENCE_MS, RESPONSE_BYTES, randomPlan, untruths } from './random-calls-kit.js';
import type { Told } from './random-calls-run.js';

const stands = createStands();
const SOURCE = `export { default } from './test/support/worker-random.js';`;
const REQUESTS = 20;
const CALLS = 100;

it.each(ALL_KINDS.map((kind, index) => [kind, index + 11] as const))(
  'W9 C2 C4 C5 W4 %s: 2,000 random calls in 20 requests of a Worker, none runs twice, all are told the truth',
  async (kind, seed) => {
    const server = stands.keep(await faultServer([], KINDS[kind]));
    const described = { ...sourceOf(kind, server), timeoutMs: PATIENCE_MS };
    const options = { limits: { responseBytes: RESPONSE_BYTES } };
    const env = { SERVER: JSON.stringify(described), OPTIONS: JSON.stringify(options) };
    const worker = stands.keep(await startWorker({ source: SOURCE, compatibility: COMPATIBILITY[index(seed)]!, env }));
    const ask = async (path: string): Promise<unknown> => {
      const response = await fetch(`${worker.origin}${path}`);
      const text = await response.text();
      if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}\n${worker.output()}`);
      return JSON.parse(text);
    };
    // Over HTTP+SSE the stream ends with the request that opened it (W9), so there each request has a toolset of its own.
    const shared = kind !== 'SSE transport';
    if (shared) expect(await ask('/open')).toContain('s__effect');
    server.reset();
    server.script(randomPlan(seed));
    const asked = Array.from({ length: REQUESTS }, (_, request) =>
      ask(`${shared ? '/calls' : '/alone'}?seed=${seed * 1_000 + request}&calls=${CALLS}&workers=2`),
    );
    const told = ((await Promise.all(asked)) as Told[][]).flat();
    const unhandled = await ask('/close');
    await until(() => server.openStreams() === 0 && server.requests.every(({ ended }) => ended), 5_000);

    const codes: Record<string, number> = {};
    for (const { code } of told) codes[code] = (codes[code] ?? 0) + 1;
    if (process.env.SHOW_FIGURES !== undefined) console.info(kind, codes, server.openSockets());
    expect([...server.effects].filter(([, times]) => times > 1)).toEqual([]);
    expect(untruths(told, server)).toEqual([]);
    expect(told).toHaveLength(REQUESTS * CALLS);
    expect(unhandled).toEqual([]);
    expect(codes.ok).toBeGreaterThan(told.length * 0.2);
    // What the runtime keeps for later is idle, and no more than were ever under way at once.
    expect(server.openSockets()).toBeLessThanOrEqual(2 * REQUESTS * 2);
    await worker.close();
    await until(() => server.openSockets() === 0);
  },
  90_000,
);

/** Both dates in turn. */
function index(seed: number): number {
  return seed % COMPATIBILITY.length;
}
