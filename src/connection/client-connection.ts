import { MAX_TIMEOUT_MS } from '../config/defaults.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import type { ForeignClient } from '../config/resolve-servers.js';
import type { Deadline } from '../core/deadline.js';
import { isMcpError, McpClosedError, type McpError, McpProtocolError } from '../core/errors.js';
import { inSpan } from '../telemetry/span.js';
import { readForeignCall, readPage } from './answers.js';
import type { CallRequest, Connection } from './connection.js';
import type { Outcome } from './failure.js';
import { type Listing, type ListingSource, readListing } from './listing.js';

/** Takes any value, as the 2.x line (Standard Schema) and the 1.x line (`safeParse`) ask for it. */
const ANY = {
  '~standard': { version: 1, vendor: 'mcp-toolset', validate: (value: unknown) => ({ value }) },
  parse: (value: unknown) => value,
  safeParse: (data: unknown) => ({ success: true, data }),
};

interface ClientState {
  readonly client: ForeignClient;
  readonly name: string;
  readonly options: ResolvedOptions;
  error: McpError | undefined;
  listed: boolean;
  closed: boolean;
}

/** A connection over a client that the host connected itself, and repairs itself. */
export function createClientConnection(client: ForeignClient, name: string, options: ResolvedOptions): Connection {
  const state: ClientState = { client, name, options, error: undefined, listed: false, closed: false };
  return {
    get state() {
      if (state.closed) return 'closed';
      return state.error !== undefined ? 'failed' : state.listed ? 'ready' : 'connecting';
    },
    era: undefined,
    protocolVersion: undefined,
    mirrorsParams: false,
    get error() {
      return state.error;
    },
    list: (admit, deadline) => listTools(state, admit, deadline),
    call: (request) => callTool(state, request),
    resetBreaker() {},
    async close() {
      state.closed = true;
    },
  };
}

function listTools<A>(state: ClientState, admit: ListingSource<A>['admit'], deadline: Deadline): Promise<Listing<A>> {
  const { name, options } = state;
  const page = async (cursor: string | undefined) =>
    readPage(
      await send(state, 'tools/list', cursor === undefined ? {} : { cursor }, deadline),
      name,
      cursor === undefined,
    );
  return inSpan(options.telemetry, 'discover', { server: name }, async () => {
    try {
      const listing = await readListing({ page, admit }, options.limits);
      state.listed = true;
      state.error = undefined;
      return listing;
    } catch (failure) {
      const message = `The client of \`${name}\` failed.`;
      state.error = isMcpError(failure) ? failure : new McpProtocolError(message, { server: name, cause: failure });
      throw state.error;
    }
  });
}

async function callTool(
  state: ClientState,
  { tool, args, meta, deadline, onSent }: CallRequest,
): Promise<Record<string, unknown>> {
  const params = { name: tool, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
  const outcome = await send(state, 'tools/call', params, deadline, tool);
  onSent();
  return readForeignCall(outcome, { server: state.name, tool });
}

async function send(
  { client, name, closed }: ClientState,
  method: string,
  params: Record<string, unknown>,
  deadline: Deadline,
  tool?: string,
): Promise<Outcome> {
  if (closed) throw new McpClosedError(`The handle over \`${name}\` was closed.`, { server: name });
  const facts = { sent: true, carriedSession: false };
  const details = { server: name, tool };
  try {
    const wait = { signal: deadline.signal, timeout: MAX_TIMEOUT_MS };
    const result = await deadline.race(client.request({ method, params }, ANY as never, wait as never), details);
    return { kind: 'result', result };
  } catch (failure) {
    if (deadline.reason !== undefined) return { kind: 'lost', facts, failure: deadline.error(details) };
    if (isMcpError(failure)) return { kind: 'lost', facts, failure };
    return rpcErrorOf(failure) ?? { kind: 'lost', facts };
  }
}

/** Both lines throw an error with a numeric JSON-RPC code for an error answer; local failures of the 2.x line have texts. */
function rpcErrorOf(failure: unknown): Outcome | undefined {
  if (typeof failure !== 'object' || failure === null) return undefined;
  const { code, message, name } = failure as { code?: unknown; message?: unknown; name?: unknown };
  if (typeof code !== 'number' || (name === OLDER_ERROR && LOCAL_CODES.includes(code))) return undefined;
  return { kind: 'rpc-error', error: { code, message: typeof message === 'string' ? message : '' } };
}

/** What the 1.x line throws of its own accord under these codes too: connection closed, request timeout. */
const OLDER_ERROR = 'McpError';
const LOCAL_CODES: readonly number[] = [-32000, -32001];
