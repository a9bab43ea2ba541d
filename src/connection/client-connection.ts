import { MAX_TIMEOUT_MS } from '../config/defaults.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import type { ForeignClient } from '../config/resolve-servers.js';
import type { Deadline } from '../core/deadline.js';
import { isMcpError, McpClosedError, type McpError, McpProtocolError } from '../core/errors.js';
import { inSpan } from '../telemetry/span.js';
import { readCall, readPage } from './answers.js';
import type { Connection } from './connection.js';
import type { Outcome } from './failure.js';
import { readListing } from './listing.js';

/** Takes any value, as the 2.x line (Standard Schema) and the 1.x line (`safeParse`) ask for it. */
const ANY = {
  '~standard': { version: 1, vendor: 'mcp-toolset', validate: (value: unknown) => ({ value }) },
  parse: (value: unknown) => value,
  safeParse: (data: unknown) => ({ success: true, data }),
};

export function createClientConnection(client: ForeignClient, name: string, options: ResolvedOptions): Connection {
  let error: McpError | undefined;
  let listed = false;
  let closed = false;

  async function send(
    method: string,
    params: Record<string, unknown>,
    deadline: Deadline,
    tool?: string,
  ): Promise<Outcome> {
    if (closed) throw new McpClosedError(`The handle over \`${name}\` was closed.`, { server: name });
    const sent = { sent: true, carriedSession: false };
    const details = { server: name, tool };
    try {
      const wait = { signal: deadline.signal, timeout: MAX_TIMEOUT_MS };
      const result = await deadline.race(client.request({ method, params }, ANY as never, wait as never), details);
      return { kind: 'result', result };
    } catch (failure) {
      if (deadline.reason !== undefined) return { kind: 'lost', facts: sent, failure: deadline.error(details) };
      if (isMcpError(failure)) return { kind: 'lost', facts: sent, failure };
      return rpcErrorOf(failure) ?? { kind: 'lost', facts: sent };
    }
  }

  return {
    get state() {
      if (closed) return 'closed';
      return error !== undefined ? 'failed' : listed ? 'ready' : 'connecting';
    },
    era: undefined,
    protocolVersion: undefined,
    mirrorsParams: false,
    get error() {
      return error;
    },
    list: (admit, deadline) =>
      inSpan(options.telemetry, 'discover', { server: name }, async () => {
        const page = async (cursor: string | undefined) =>
          readPage(await send('tools/list', cursor === undefined ? {} : { cursor }, deadline), name);
        try {
          const listing = await readListing({ page, admit }, options.limits);
          listed = true;
          error = undefined;
          return listing;
        } catch (failure) {
          error = isMcpError(failure)
            ? failure
            : new McpProtocolError(`The client of \`${name}\` failed.`, { server: name, cause: failure });
          throw error;
        }
      }),
    async call({ tool, args, meta, deadline }) {
      const params = { name: tool, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
      return readCall(await send('tools/call', params, deadline, tool), { server: name, tool });
    },
    async close() {
      closed = true;
    },
  };
}

/** Both lines throw an error with a numeric JSON-RPC code for an error answer; local failures of the 2.x line have texts. */
function rpcErrorOf(failure: unknown): Outcome | undefined {
  if (typeof failure !== 'object' || failure === null) return undefined;
  const { code, message } = failure as { code?: unknown; message?: unknown };
  if (typeof code !== 'number' || LOCAL_CODES.includes(code)) return undefined;
  return { kind: 'rpc-error', error: { code, message: typeof message === 'string' ? message : '' } };
}

/** What the 1.x line throws of its own accord: connection closed, request timeout. */
const LOCAL_CODES: readonly number[] = [-32000, -32001];
