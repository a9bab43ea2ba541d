import type { Deadline } from '../core/deadline.js';
import { CLOSED } from './breaker.js';
import { ready } from './connecting.js';
import type { Outcome } from './failure.js';
import type { Link } from './link.js';
import { doubtsSession, judgeOutcome, type Repair } from './recovery.js';
import type { ConnectionState } from './state.js';

export interface RecoveryOptions {
  readonly deadline: Deadline;
  /** Whether the host says that running it twice does no harm (C5). */
  readonly idempotent: boolean;
  /** Reads the catalogue again after the server refused the headers of a call (C4). */
  relist?(): Promise<void>;
}

/**
 * Sends a request, and once more after a repair where it surely was not delivered, or where the host says that this does no
 * harm (C4, C5). Rejects only where there is no connection to be had.
 */
export async function sendRecovering(
  state: ConnectionState,
  sendOver: (link: Link) => Promise<Outcome>,
  options: RecoveryOptions,
): Promise<Outcome> {
  const { deadline, idempotent } = options;
  const send = async (over: Link) => {
    const outcome = await sendOver(over);
    // Whatever the answer is, there is one who answers (C6).
    if (outcome.kind !== 'lost') state.breaker = CLOSED;
    return outcome;
  };
  const link = await ready(state, deadline);
  const outcome = await send(link);
  const verdict = judgeOutcome(outcome);
  if (deadline.reason !== undefined || verdict.kind === 'settled') return outcome;
  if (verdict.kind === 'unknown' && doubtsSession(outcome, link.kind)) giveUp(state, link);
  if (verdict.kind === 'unknown' && !idempotent) return outcome;
  if (verdict.kind === 'undelivered') {
    if (verdict.repair === 'relist' && options.relist === undefined) return outcome;
    await repair(state, link, verdict.repair, options);
  }
  if (verdict.kind === 'unknown') return sendAgain(state, outcome, send, deadline);
  const repaired = await ready(state, deadline);
  reportRepair(state, verdict.repair);
  return send(repaired);
}

/** A second try may bring an answer. Where it does not, the first one's outcome stands: it may have run. */
async function sendAgain(
  state: ConnectionState,
  first: Outcome,
  send: (link: Link) => Promise<Outcome>,
  deadline: Deadline,
): Promise<Outcome> {
  try {
    const second = await send(await ready(state, deadline));
    return second.kind === 'lost' && deadline.reason === undefined ? first : second;
  } catch (error) {
    if (deadline.reason !== undefined) throw error;
    return first;
  }
}

/** Whoever finds the fault first gives the link up; the others find a new one (single-flight). */
async function repair(state: ConnectionState, link: Link, what: Repair, { relist }: RecoveryOptions): Promise<void> {
  if (what === 'relist') return relist?.();
  if (what === 'reprobe' && state.known !== undefined) state.known = { kind: state.known.kind, prior: undefined };
  giveUp(state, link);
}

function giveUp(state: ConnectionState, link: Link): void {
  if (state.link === link) state.link = undefined;
  link.retire();
}

const REPAIRS: Readonly<Record<Repair, string>> = {
  reconnect: 'connected again',
  reprobe: 'asked for its protocol revision again',
  relist: 'listed again',
};

function reportRepair({ deps: { name, options } }: ConnectionState, repaired: Repair): void {
  const message = `Server \`${name}\` was ${REPAIRS[repaired]}; a request that it had not taken was sent again.`;
  options.report({ code: 'connection-repaired', level: 'info', message, server: name, data: { repair: repaired } });
}
