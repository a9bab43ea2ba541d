import { isMcpError, McpClosedError, type McpError, McpProtocolError } from '../core/errors.js';
import type { Shared } from '../core/shared.js';
import { type BreakerState, CLOSED } from './breaker.js';
import type { Known, LinkDeps } from './handshake.js';
import type { Link } from './link.js';
import { createPacer, type Pacer } from './notices.js';

export type ConnectionDeps = LinkDeps;

/** Everything that changes over a connection's life, in one place. */
export interface ConnectionState {
  readonly deps: ConnectionDeps;
  link: Link | undefined;
  /** The connect under way; one at a time, whoever asks. */
  attempt: Shared<Link> | undefined;
  known: Known | undefined;
  breaker: BreakerState;
  /** How fast connections that announce changes have ended, one after another (L7). */
  readonly pacer: Pacer;
  /** Why the last connect or listing failed. */
  error: McpError | undefined;
  closed: Promise<void> | undefined;
}

export function createState(deps: ConnectionDeps): ConnectionState {
  return {
    deps,
    link: undefined,
    attempt: undefined,
    known: undefined,
    breaker: CLOSED,
    pacer: createPacer(),
    error: undefined,
    closed: undefined,
  };
}

/** Keeps why the connection failed; what is no `McpError` is made one. */
export function noteFailure(state: ConnectionState, failure: unknown): McpError {
  const { name } = state.deps;
  const error = isMcpError(failure)
    ? failure
    : new McpProtocolError(`Server \`${name}\` failed.`, { server: name, cause: failure });
  state.error = error;
  return error;
}

export function throwIfClosed({ closed, deps: { name } }: ConnectionState): void {
  if (closed === undefined) return;
  throw new McpClosedError(`The toolset was closed; make a new one to reach \`${name}\`.`, { server: name });
}
