import type { FaultScript } from '../../src/testing/faults/plan.js';
import type { FaultServer } from '../../src/testing/faults/server.js';
import type { Told } from './random-calls-run.js';

/** Nobody waits longer for an answer: what never comes must not make the test long, and a busy machine is no fault. */
export const PATIENCE_MS = 1_500;
export const RESPONSE_BYTES = 64 * 1024;

/** Every kind of fault, and most often none. */
export const randomPlan = (seed: number): FaultScript => ({
  rules: [
    // Some handshakes fail; more in a row would open the breaker, and nothing would be called for long.
    { match: { method: 'initialize', every: 8 }, fault: { kind: 'http-error', status: 503 } },
    { match: { method: 'server/discover', every: 8 }, fault: { kind: 'http-error', status: 503 } },
    { match: { method: 'tools/list', every: 7 }, fault: { kind: 'dead-before-headers' } },
  ],
  random: {
    seed,
    match: { method: 'tools/call' },
    weights: {
      none: 40,
      'dead-before-headers': 3,
      'dead-after-headers': 3,
      'dead-after-event': 3,
      'half-closed': 3,
      'refuse-connections': 0.2,
      silent: 1,
      'never-answers': 1,
      'endless-line': 1,
      'not-json': 2,
      'empty-200': 2,
      'accepted-202': 2,
      'rpc-error': 4,
      'http-error': 4,
      'session-expired': 2,
      'header-mismatch': 2,
      'unsupported-version': 1,
      unauthorized: 1,
      redirect: 2,
      'wrong-id': 2,
      'other-id-type': 2,
      'duplicate-answer': 3,
      'no-result-type': 2,
      'odd-result-type': 2,
      'oversized-body': 1,
      delay: 3,
      'late-answer': 1,
      'slow-drip': 2,
      'progress-flood': 2,
      'list-changed-storm': 1,
    },
    faults: [
      { kind: 'refuse-connections', forMs: 20 },
      { kind: 'rpc-error' },
      { kind: 'rpc-error', status: 400 },
      { kind: 'rpc-error', status: 500, id: 'null' },
      { kind: 'rpc-error', id: 'other' },
      { kind: 'http-error' },
      { kind: 'http-error', status: 404, body: 'html' },
      { kind: 'http-error', status: 429, body: 'json' },
      { kind: 'session-expired' },
      { kind: 'session-expired', status: 400 },
      { kind: 'unauthorized' },
      { kind: 'unauthorized', status: 403 },
      { kind: 'redirect' },
      { kind: 'redirect', status: 303 },
      { kind: 'oversized-body', bytes: 2 * RESPONSE_BYTES },
      { kind: 'delay', ms: 20 },
      { kind: 'slow-drip', bytes: 16, everyMs: 1 },
      { kind: 'progress-flood', count: 50 },
      { kind: 'list-changed-storm', count: 5 },
    ],
  },
});

/** How often an effect may have run, by what its caller was told. */
function mayHaveRun({ code, rpcCode }: Told): readonly number[] {
  switch (code) {
    case 'ok':
      return [1];
    // Nothing but an error of ours may be thrown.
    case 'foreign-error':
      return [];
    case 'outcome-unknown':
    case 'aborted':
    case 'timeout':
    case 'limit':
    case 'closed':
      return [0, 1];
    case 'protocol':
      // An answer that is no proper result comes from a tool that ran; an error comes in its place.
      return rpcCode === undefined ? [1] : [0];
    default:
      return [0];
  }
}

type Seen = Pick<FaultServer, 'effects' | 'requests'>;

/** What was told against what the server counted. Empty: all of it is true. */
export function untruths(told: readonly Told[], { effects, requests }: Seen): readonly string[] {
  const sent = new Map<string, number>();
  for (const { method, key, path } of requests) {
    if (method !== 'tools/call' || key === undefined || path.includes('redirected')) continue;
    sent.set(key, (sent.get(key) ?? 0) + 1);
  }
  return told.flatMap((one) => {
    const ran = effects.get(one.key) ?? 0;
    const times = sent.get(one.key) ?? 0;
    const about = `${one.key}: ${one.code} ${one.rpcCode ?? ''}, sent ${times} times, ran ${ran} times`;
    return mayHaveRun(one).includes(ran) && times <= 2 && one.reasonKept ? [] : [about];
  });
}

/** Closes the connections that Node's fetch keeps for later. Rejects where a request is still under way. */
export async function closePool(): Promise<void> {
  const name = Symbol.for('undici.globalDispatcher.1');
  const globals = globalThis as unknown as Record<symbol, { close(): Promise<void>; constructor: new () => never }>;
  const pool = globals[name];
  if (pool === undefined) return;
  globals[name] = new pool.constructor();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('a request is still under way')), 5_000);
  });
  await Promise.race([pool.close(), late]);
  clearTimeout(timer);
}
