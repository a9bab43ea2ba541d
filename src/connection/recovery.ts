import { HEADER_MISMATCH, UNSUPPORTED_VERSION } from '../core/rpc-codes.js';
import type { TransportKind } from '../transports/open.js';
import { neverLeft, type Outcome } from './failure.js';

/** What has to happen before anything else is sent. */
export type Repair = 'reconnect' | 'reprobe' | 'relist';

/** What became of one request, and what follows (C4, C5). */
export type Verdict =
  /** The outcome is handed on as it is. */
  | { readonly kind: 'settled' }
  /** Surely not delivered: sent again, once, after the repair. */
  | { readonly kind: 'undelivered'; readonly repair: Repair }
  /** It may have been delivered: sent again only where the host says that this does no harm. */
  | { readonly kind: 'unknown' };

/**
 * The table of recovery. Nothing counts as undelivered but what is named here, and a message is never read.
 *
 * | what happened | verdict |
 * |---|---|
 * | an answer with our id | settled |
 * | an older server's own error, not with HTTP 400, whatever its code | settled |
 * | JSON-RPC error -32020: the headers do not fit the tool any more | undelivered, list again |
 * | JSON-RPC error -32022: the revision is not spoken any more | undelivered, ask for the era again |
 * | ended by our own deadline, the caller, the close or the guard | settled |
 * | the connection never stood | undelivered, connect again |
 * | a session id was sent; 404, and nothing with our id | undelivered, connect again |
 * | a session id was sent; 400, and an error with no id | undelivered, connect again |
 * | 401 or 403 | settled |
 * | anything else | unknown |
 */
export function judgeOutcome(outcome: Outcome): Verdict {
  if (outcome.kind === 'result') return { kind: 'settled' };
  if (outcome.kind === 'rpc-error') return outcome.asAnswer ? { kind: 'settled' } : judgeCode(outcome.error.code);
  if (outcome.failure !== undefined) return { kind: 'settled' };
  if (neverLeft(outcome)) return { kind: 'undelivered', repair: 'reconnect' };
  const { status, rpc, carriedSession, unread } = outcome.facts;
  if (carriedSession && status === 404 && rpc?.id !== 'ours' && !unread)
    return { kind: 'undelivered', repair: 'reconnect' };
  if (carriedSession && status === 400 && rpc?.id === 'absent') return { kind: 'undelivered', repair: 'reconnect' };
  if (status === 401 || status === 403) return { kind: 'settled' };
  return { kind: 'unknown' };
}

/**
 * Whether a server that kept the request to itself may have refused the session it came in, without saying so in a way that
 * can be relied on. The request is then not sent again, but the next one goes over a new session (C5).
 */
export function doubtsSession(outcome: Outcome, kind: TransportKind): boolean {
  if (outcome.kind !== 'lost') return false;
  const { status, carriedSession } = outcome.facts;
  return (status === 400 || status === 404) && (carriedSession || kind === 'sse');
}

function judgeCode(code: number): Verdict {
  if (code === HEADER_MISMATCH) return { kind: 'undelivered', repair: 'relist' };
  if (code === UNSUPPORTED_VERSION) return { kind: 'undelivered', repair: 'reprobe' };
  return { kind: 'settled' };
}
