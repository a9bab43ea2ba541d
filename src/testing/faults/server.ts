import { McpConfigError } from '../../core/errors.js';
import type { Era } from '../../core/status.js';
import { createJudge } from './choice.js';
import type { HostActs } from './exchange.js';
import { type Host, openHost } from './host.js';
import { createNotices, type ListKind } from './notices.js';
import type { FaultPlan } from './plan.js';
import { type Cancellation, createRecords, type EffectRun, type FaultRequest } from './records.js';
import { serve } from './routes.js';
import type { Message } from './rpc.js';
import { abandonAll, type ServerState } from './state.js';
import { allTools } from './tools.js';

export interface FaultServerOptions {
  /** The one protocol era that it speaks: up to 2025-11-25, or 2026-07-28. Default `legacy`. */
  readonly era?: Era;
  /** Streamable HTTP, or the older HTTP+SSE, which is legacy. Default `http`. */
  readonly transport?: 'http' | 'sse';
  /** How answers over Streamable HTTP travel: as a JSON body, or on an event stream. Default `json`. */
  readonly format?: 'json' | 'sse';
  /** The port on 127.0.0.1. Default 0: one that the system chooses. */
  readonly port?: number;
  /** Legacy over Streamable HTTP: hand out session ids and insist on them. Default true. */
  readonly sessions?: boolean;
  /** Definitions beside the built-in tools. A call answers with its arguments. Default: none. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  /** Run the effect once per `_meta.idempotencyKey`. Default false. */
  readonly deduplicates?: boolean;
}

/**
 * An MCP server on 127.0.0.1 that fails as told and counts what reached it. It always has the tools `effect` (`key`),
 * `echo` (`message`), `slow` (`ms`) and `progress` (`steps`, `everyMs`).
 */
export interface FaultServer extends AsyncDisposable {
  /** Ends in `/mcp`, or in `/sse`. */
  readonly url: string;
  /** Every HTTP request so far. Live. */
  readonly requests: readonly FaultRequest[];
  /** How often the tool `effect` ran for each key. Live. */
  readonly effects: ReadonlyMap<string, number>;
  /** The runs of `effect` in their order. Live. */
  readonly effectLog: readonly EffectRun[];
  /** What clients gave up. Live. */
  readonly cancelled: readonly Cancellation[];
  /** Sockets that are open now, idle ones included. */
  openSockets(): number;
  /** Event streams that are open now, for notices and for answers. */
  openStreams(): number;
  /** Sessions that are alive. */
  openSessions(): number;
  /**
   * Replaces the plan from the next request on; its counting begins anew. What was recorded stays.
   *
   * @throws McpConfigError for a plan that cannot be followed.
   */
  script(plan: FaultPlan): void;
  /** Forgets what was recorded. */
  reset(): void;
  /** Replaces the added tools. Clients are not told; see {@link broadcast}. */
  setTools(tools: readonly Readonly<Record<string, unknown>>[]): void;
  /** Sends `list_changed` on every notice stream that wants it; says on how many. */
  broadcast(kind: ListKind): number;
  /** Ends every notice stream, gracefully (default) or by cutting its connection. */
  dropStreams(how?: 'end' | 'destroy'): void;
  /** Forgets every session; requests that name one are answered 404. */
  expireSessions(): void;
  /**
   * Cuts every connection, accepts none for `downMs` (default 0) and comes back on the same port, without its sessions
   * unless `keepSessions`.
   */
  restart(options?: { readonly downMs?: number; readonly keepSessions?: boolean }): Promise<void>;
  /** Cuts every connection. Idempotent, takes at most a few seconds. */
  close(): Promise<void>;
}

/**
 * Starts a fault server. Needs Node or Bun.
 *
 * @param plan what it does wrong. Default: nothing.
 * @throws McpConfigError for a plan or options that cannot be followed; the system's error where the port is taken.
 */
export async function faultServer(plan: FaultPlan = [], options: FaultServerOptions = {}): Promise<FaultServer> {
  let host: Host | undefined;
  const acts: HostActs = {
    async restart({ downMs, keepSessions }) {
      state.cutting = true;
      if (!keepSessions) state.sessions.clear();
      abandonAll(state);
      await host?.restart(downMs);
      state.cutting = state.closing;
    },
    forgetSession: (session = '') => void state.sessions.delete(session),
    notify: (message, session) => state.notices.send(message, session),
  };
  const state = createState(plan, options, acts);
  host = await openHost((request, reply) => {
    serve(state, request, reply).catch((error: unknown) => {
      // A mistake of the fault server itself: seen by whoever reads the answer.
      if (reply.headersSent) reply.destroy();
      else reply.writeHead(500, { 'content-type': 'text/plain' });
      if (!reply.destroyed) reply.end(`The fault server failed: ${String(error)}`);
    });
  }, options.port ?? 0);
  return createFacade(state, host);
}

function createState(plan: FaultPlan, options: FaultServerOptions, host: HostActs): ServerState {
  const { era = 'legacy', transport = 'http', format = 'json', sessions = true, tools = [] } = options;
  if (transport === 'sse' && era === 'modern') {
    throw new McpConfigError('`era: modern` has no SSE transport; use `transport: http`.');
  }
  return {
    era,
    transport,
    format,
    host,
    hasSessions: sessions && era === 'legacy' && transport === 'http',
    records: createRecords(options.deduplicates ?? false),
    notices: createNotices(),
    sessions: new Set(),
    streams: new Set(),
    underway: new Set(),
    judge: createJudge(plan),
    tools: allTools(tools),
    closing: false,
    cutting: false,
  };
}

function createFacade(state: ServerState, host: Host): FaultServer {
  const { records, notices } = state;
  const close = (): Promise<void> => {
    state.closing = true;
    state.cutting = true;
    abandonAll(state);
    return host.close();
  };
  return {
    url: `${host.origin}/${state.transport === 'sse' ? 'sse' : 'mcp'}`,
    requests: records.requests,
    effects: records.effects,
    effectLog: records.effectLog,
    cancelled: records.cancelled,
    openSockets: host.openSockets,
    openStreams: () => state.streams.size,
    openSessions: () => state.sessions.size,
    script: (next) => {
      state.judge = createJudge(next);
    },
    reset: records.reset,
    setTools: (tools) => {
      state.tools = allTools(tools as readonly Message[]);
    },
    broadcast: notices.broadcast,
    dropStreams: (how = 'end') => notices.drop(how),
    expireSessions: () => state.sessions.clear(),
    restart: ({ downMs = 0, keepSessions = false } = {}) => state.host.restart({ downMs, keepSessions }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
