import { type Deadline, settleWithin } from '../core/deadline.js';
import type { McpError } from '../core/errors.js';
import type { Era, ServerState } from '../core/status.js';
import { inSpan } from '../telemetry/span.js';
import type { ProgressParams } from '../transports/exchanges.js';
import { readCall, readForeignCall, readPage } from './answers.js';
import { neverLeft } from './failure.js';
import type { Link } from './link.js';
import { type Listing, type ListingSource, readListing } from './listing.js';
import { sendRecovering } from './requests.js';
import { type ConnectionDeps, type ConnectionState, createState, noteFailure } from './state.js';

/** One server: connected when first needed, connected again when the connection was lost, and closed once. */
export interface Connection {
  readonly state: ServerState;
  readonly era: Era | undefined;
  readonly protocolVersion: string | undefined;
  /** See `Link.mirrorsParams`. */
  readonly mirrorsParams: boolean;
  /** Why the last connect or listing failed. */
  readonly error: McpError | undefined;
  /** The whole catalogue; `admit` judges each entry. Connects first where needed. */
  list<A>(admit: ListingSource<A>['admit'], deadline: Deadline): Promise<Listing<A>>;
  /** Sends one call and resolves to the raw result. Rejects with an `McpError`. */
  call(request: CallRequest): Promise<Record<string, unknown>>;
  /** Lets the next connect be tried at once, whatever the breaker says (C6). */
  resetBreaker(): void;
  /** Idempotent, bounded, never rejects. */
  close(): Promise<void>;
}

export interface CallRequest {
  /** The raw name (N6). */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly deadline: Deadline;
  /** Whether the host says that running it twice does no harm (C5). */
  readonly idempotent: boolean;
  /** Something of it may have reached the server. */
  onSent(): void;
  /** `Mcp-Param-*` headers, asked for at each send (L6). */
  headers(): Readonly<Record<string, string>> | undefined;
  /** Reads the catalogue again, for the headers (C4). */
  relist(): Promise<void>;
  /** Absent: the server is not asked for progress. */
  readonly onProgress?: ((params: ProgressParams) => void) | undefined;
}

/** How long a close waits for a connect under way to end. */
const CONNECT_END_MS = 2_500;

export function createConnection(deps: ConnectionDeps): Connection {
  const state = createState(deps);
  return {
    get state() {
      if (state.closed !== undefined) return 'closed';
      if (state.error !== undefined) return 'failed';
      return state.link === undefined ? 'connecting' : 'ready';
    },
    get era() {
      return state.link?.era;
    },
    get protocolVersion() {
      return state.link?.protocolVersion;
    },
    get mirrorsParams() {
      return state.link?.mirrorsParams ?? false;
    },
    get error() {
      return state.error;
    },
    list: (admit, deadline) => listTools(state, admit, deadline),
    call: (request) => callTool(state, request),
    resetBreaker() {
      // The count stays: a try that fails leaves an open breaker open.
      state.breaker = { ...state.breaker, lastFailureAt: 0 };
    },
    close() {
      state.closed ??= endConnection(state);
      return state.closed;
    },
  };
}

function listTools<A>(
  state: ConnectionState,
  admit: ListingSource<A>['admit'],
  deadline: Deadline,
): Promise<Listing<A>> {
  const { name, options } = state.deps;
  const page = async (cursor: string | undefined) => {
    const params = cursor === undefined ? {} : { cursor };
    const outcome = await sendRecovering(
      state,
      (link) => link.request('tools/list', params, { deadline, server: name }),
      { deadline, idempotent: false },
    );
    return readPage(outcome, name, cursor === undefined);
  };
  return inSpan(options.telemetry, 'discover', { server: name }, async (span) => {
    try {
      const listing = await readListing({ page, admit }, options.limits);
      state.error = undefined;
      span.set({ tools: listing.entries.length, pages: listing.pages });
      return listing;
    } catch (failure) {
      throw noteFailure(state, failure);
    }
  });
}

async function callTool(state: ConnectionState, request: CallRequest): Promise<Record<string, unknown>> {
  const { tool, args, meta, deadline, idempotent, headers, relist, onProgress } = request;
  const details = { server: state.deps.name, tool };
  const params = { name: tool, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
  const send = async (link: Link) => {
    const sent = await link.request('tools/call', params, { deadline, headers: headers(), onProgress, ...details });
    if (sent.kind !== 'lost' || !neverLeft(sent)) request.onSent();
    return sent;
  };
  const outcome = await sendRecovering(state, send, { deadline, idempotent, relist });
  return state.deps.server.kind === 'custom' ? readForeignCall(outcome, details) : readCall(outcome, details);
}

async function endConnection({ attempt, link }: ConnectionState): Promise<void> {
  const connecting = attempt === undefined ? undefined : settleWithin(attempt.wait(), CONNECT_END_MS);
  await Promise.all([link?.close(), connecting]);
}
