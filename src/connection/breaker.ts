import { backoffMs } from '../core/backoff.js';

/** Connects that failed one after another, and when the last one did (C6). */
export interface BreakerState {
  readonly failures: number;
  /** Milliseconds since the epoch. */
  readonly lastFailureAt: number;
}

export const CLOSED: BreakerState = { failures: 0, lastFailureAt: 0 };

const FAILURES_TO_OPEN = 5;
/** How long an open breaker refuses before it lets one connect try. */
const HALF_OPEN_MS = 30_000;

export type BreakerVerdict =
  | { readonly kind: 'connect' }
  /** Try again after so many milliseconds. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Refused for so many milliseconds more. */
  | { readonly kind: 'open'; readonly ms: number };

/** Whether a connect may be tried now: at once, after a wait that grows with each failure, or not for 30 s (C6). */
export function judgeBreaker({ failures, lastFailureAt }: BreakerState, now: number): BreakerVerdict {
  if (failures === 0) return { kind: 'connect' };
  const open = failures >= FAILURES_TO_OPEN;
  const wait = open ? HALF_OPEN_MS : backoffMs(failures);
  // A clock that was set back must not make the wait longer than it is.
  const ms = Math.min(lastFailureAt + wait - now, wait);
  if (ms <= 0) return { kind: 'connect' };
  return { kind: open ? 'open' : 'wait', ms };
}

export function countFailure({ failures }: BreakerState, now: number): BreakerState {
  return { failures: failures + 1, lastFailureAt: now };
}
