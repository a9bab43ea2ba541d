import { createDeadline, type Deadline } from '../core/deadline.js';
import { type ErrorCause, McpClosedError, McpConnectError, type McpError, type McpErrorCode } from '../core/errors.js';
import { type Shared, share } from '../core/shared.js';
import { sleep } from '../core/sleep.js';
import { inSpan } from '../telemetry/span.js';
import { CLOSED, countFailure, judgeBreaker } from './breaker.js';
import type { Link } from './link.js';
import { listenOn } from './listening.js';
import { type ConnectionState, noteFailure, throwIfClosed } from './state.js';

/** Failures that say nothing about the server. */
const NOT_THE_SERVERS: readonly McpErrorCode[] = ['closed', 'aborted', 'config', 'host-denied', 'transport-missing'];

/** Whether the breaker counts it. A token that could not be had has no status: the server was not asked. */
function isTheServers({ code, cause }: McpError): boolean {
  const asked = code !== 'unauthorized' || (cause as ErrorCause | undefined)?.status !== undefined;
  return asked && !NOT_THE_SERVERS.includes(code);
}

/** The live link, or a new one, when the breaker lets it be tried (C6). */
export async function ready(state: ConnectionState, deadline: Deadline): Promise<Link> {
  const { name } = state.deps;
  for (;;) {
    throwIfClosed(state);
    if (deadline.reason !== undefined) throw deadline.error({ server: name });
    if (state.link !== undefined && !state.link.closed) return state.link;
    if (state.attempt === undefined && (await heldBack(state, deadline))) continue;
    const waiting = state.attempt ?? startAttempt(state);
    const made = await deadline.race(waiting.wait(), { server: name });
    if (made !== undefined) return made;
    if (state.attempt === waiting) state.attempt = undefined;
  }
}

/** Waits out the breaker's pause; whether there was one. Throws `breaker-open` where it would be too long. */
async function heldBack({ breaker, error, deps: { name } }: ConnectionState, deadline: Deadline): Promise<boolean> {
  const verdict = judgeBreaker(breaker, Date.now());
  if (verdict.kind === 'connect') return false;
  if (verdict.kind === 'open') {
    const wait = Math.ceil(verdict.ms / 1_000);
    const message = `Server \`${name}\` failed ${breaker.failures} times in a row; it is tried again in ${wait} s.`;
    throw new McpConnectError('breaker-open', message, { server: name, cause: error });
  }
  await sleep(verdict.ms, deadline.signal);
  return true;
}

function startAttempt(state: ConnectionState): Shared<Link> {
  const connecting = connect(state).then(
    async (made) => {
      if (state.attempt === started) state.attempt = undefined;
      if (state.closed !== undefined) throw await closeLate(made, state.deps.name);
      state.known = { kind: made.kind, prior: made.prior };
      // A process that starts proves nothing: it may die at each call. It has to answer one.
      if (made.kind === 'stdio') countDeath(state, made);
      else state.breaker = CLOSED;
      state.error = undefined;
      state.link = made;
      listenOn(state, made, (deadline) => ready(state, deadline));
      return made;
    },
    (failure: unknown) => {
      if (state.attempt === started) state.attempt = undefined;
      // A remembered verdict may be what was wrong (W7).
      if (state.known !== undefined) state.known = { kind: state.known.kind, prior: undefined };
      const error = noteFailure(state, failure);
      if (isTheServers(error)) state.breaker = countFailure(state.breaker, Date.now());
      throw error;
    },
  );
  const started = share(connecting);
  state.attempt = started;
  return started;
}

/** A process that dies is a failure as much as one that does not start (C6). */
function countDeath(state: ConnectionState, made: Link): void {
  const onEnd = () => {
    if (made.died) state.breaker = countFailure(state.breaker, Date.now());
  };
  made.ended.addEventListener('abort', onEnd, { once: true });
}

/** One connect, within `connectTimeoutMs`, ended by the close. */
async function connect({ deps, known }: ConnectionState): Promise<Link> {
  const { options, name, closing } = deps;
  const deadline = createDeadline({ ms: options.connectTimeoutMs, closing, option: 'connectTimeoutMs' });
  try {
    return await inSpan(options.telemetry, 'connect', { server: name }, async (span) => {
      // Transports and guard are needed from the first connect on, and not loaded before.
      const { openLink } = await import('./handshake.js');
      const made = await openLink(deps, known, deadline);
      const { era, protocolVersion } = made;
      span.set({ era, ...(protocolVersion === undefined ? {} : { protocolVersion }) });
      return made;
    });
  } finally {
    deadline.dispose();
  }
}

/** A connect that finished after the close. */
async function closeLate(made: Link, name: string): Promise<McpClosedError> {
  await made.close();
  return new McpClosedError(`The toolset was closed while \`${name}\` was connecting.`, { server: name });
}
