import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { until } from '../support/http-host.js';
import { timers } from '../support/time.js';
import { ALL_KINDS, createStands } from './faults-kit.js';
import { closePool, PATIENCE_MS, RESPONSE_BYTES, randomPlan, untruths } from './random-calls-kit.js';
import { callRandomly } from './random-calls-run.js';

const stands = createStands();
const CALLS = 2_000;
const WORKERS = 20;

it.each(ALL_KINDS.map((kind, index) => [kind, index + 1] as const))(
  'C2 C4 C5 W4 %s: 2,000 random calls, none runs twice, all are told the truth, nothing is left',
  async (kind, seed) => {
    const before = timers();
    const wrong: unknown[] = [];
    const onWrong = (reason: unknown) => void wrong.push(reason);
    process.on('unhandledRejection', onWrong);
    process.on('warning', onWrong);
    const shared = new AbortController().signal;
    const { server, toolset } = await stands.stand(kind, {
      plan: randomPlan(seed),
      source: { timeoutMs: PATIENCE_MS },
      limits: { responseBytes: RESPONSE_BYTES },
    });
    const startedAt = Date.now();
    const told = await callRandomly(toolset, { seed, calls: CALLS, workers: WORKERS, shared });
    const tookMs = Date.now() - startedAt;
    await toolset.close();
    await until(() => server.openStreams() === 0 && server.requests.every(({ ended }) => ended), 5_000);
    await closePool();
    await until(() => server.openSockets() === 0 && server.openSessions() === 0, 5_000);
    await until(() => timers() <= before, 5_000);
    process.off('unhandledRejection', onWrong);
    process.off('warning', onWrong);

    const codes: Record<string, number> = {};
    for (const { code } of told) codes[code] = (codes[code] ?? 0) + 1;
    if (process.env.SHOW_FIGURES !== undefined) console.info(kind, `${tookMs} ms`, codes);
    expect([...server.effects].filter(([, times]) => times > 1)).toEqual([]);
    expect(untruths(told, server)).toEqual([]);
    expect(told).toHaveLength(CALLS);
    expect(wrong).toEqual([]);
    expect(getEventListeners(shared, 'abort')).toHaveLength(0);
    // A restart, and over HTTP+SSE every lost stream, costs all who are under way.
    expect(codes.ok).toBeGreaterThan(CALLS * 0.2);
    // Each end that is possible was met. What is too large on a stream that many calls share is nobody's own.
    const own = kind === 'SSE transport' ? [] : ['limit'];
    for (const code of ['outcome-unknown', 'protocol', 'timeout', 'aborted', 'unauthorized', ...own]) {
      expect([code, codes[code]]).toEqual([code, expect.any(Number)]);
    }
    expect(Math.max(...told.map(({ ms }) => ms))).toBeLessThan(PATIENCE_MS + 1_500);
  },
  90_000,
);
