import type { ServerResponse } from 'node:http';
import type { HttpHost, ListenOptions } from './http-host.js';
import type { RecordedRequest, Recorder } from './recorder.js';
import { failureText } from './rpc-text.js';
import type { StandardTool, ToolLog } from './sdk-tools.js';

export const INSTRUCTIONS = 'Instructions of the test server: call echo first.';

export interface SdkServerOptions extends ListenOptions {
  /** Default: `STANDARD_TOOLS`. */
  readonly tools?: readonly StandardTool[];
  /** Streamable HTTP answers with JSON alone, never with a stream. Default: as the SDK likes best. */
  readonly json?: boolean;
  /** Answers before the SDK does; true says that it did. */
  readonly onRequest?: (request: RecordedRequest, response: ServerResponse) => boolean;
}

export interface SdkServer extends Omit<Recorder, 'accept'>, Omit<ToolLog, 'run'> {
  /** Ends in `/mcp` (or `/sse`). */
  readonly url: string;
  readonly origin: string;
  openSockets(): number;
  /** Live legacy sessions; 0 for servers without sessions. */
  sessions(): number;
  /** Ends every legacy session, as a restarted server does. */
  expireSessions(): Promise<void>;
  /** Replaces the tools and tells the clients that listen. */
  setTools(tools: readonly StandardTool[]): void;
  close(): Promise<void>;
}

/** What the ways of serving differ in. */
export interface Served {
  sessions(): number;
  expire(): Promise<void>;
  setTools(tools: readonly StandardTool[]): void;
  close(): Promise<void>;
}

/** The public face of a running SDK server. */
export function sdkServer(
  path: 'mcp' | 'sse',
  host: HttpHost,
  recorder: Recorder,
  log: ToolLog,
  served: Served,
): SdkServer {
  return {
    get requests() {
      return recorder.requests;
    },
    calls: log.calls,
    executed: log.executed,
    url: `${host.origin}/${path}`,
    origin: host.origin,
    count: recorder.count,
    find: recorder.find,
    pending: recorder.pending,
    reset: recorder.reset,
    openSockets: host.openSockets,
    sessions: served.sessions,
    expireSessions: served.expire,
    setTools: served.setTools,
    close: async () => {
      await served.close();
      await host.close();
    },
  };
}

/** The tools that new servers get, and where their executions are recorded. */
export interface Shelf {
  tools: readonly StandardTool[];
  readonly log: ToolLog;
}

/** What serves by sessions: a server of either SDK for each. */
export function serveSessions<S extends { close(): Promise<void> }>(
  shelf: Shelf,
  sessions: Map<string, { readonly server: S }>,
  replaceTools: (server: S, shelf: Shelf) => void,
): Served {
  return {
    sessions: () => sessions.size,
    expire: () => endSessions(sessions),
    setTools: (tools) => {
      shelf.tools = tools;
      for (const { server } of sessions.values()) replaceTools(server, shelf);
    },
    close: () => endSessions(sessions),
  };
}

/** Closes and forgets every session. */
async function endSessions(sessions: Map<string, { readonly server: { close(): Promise<void> } }>): Promise<void> {
  const open = [...sessions.values()];
  sessions.clear();
  await Promise.all(open.map(({ server }) => server.close()));
}

/** What stateful servers answer: 404 for a session they do not know, 400 for a request that names none. */
export function refuseSession(response: ServerResponse, lost: boolean): void {
  const failure = lost
    ? { code: -32001, message: 'Session not found', data: undefined }
    : { code: -32000, message: 'Bad Request: No valid session ID provided', data: undefined };
  response.writeHead(lost ? 404 : 400, { 'content-type': 'application/json' }).end(failureText(null, failure));
}

export function parsed(body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
