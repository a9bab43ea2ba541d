import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { listen, sleep } from './http-host.js';
import { answerMethod, createContext, type Exchange } from './raw-methods.js';
import {
  LEGACY_VERSION,
  META_SUBSCRIPTION,
  META_VERSION,
  MODERN_VERSION,
  type RawServer,
  type RawServerOptions,
  type StatusOverride,
} from './raw-options.js';
import { createRecorder, type RecordedRequest } from './recorder.js';
import { failureText, HANDLED, isRecord, RpcFailure, sseEvent } from './rpc-text.js';

export type { RawServer, RawServerOptions } from './raw-options.js';
export type { RecordedRequest } from './recorder.js';
export { HANDLED, rawJson, rpcError } from './rpc-text.js';

/**
 * A scripted MCP server over Streamable HTTP that speaks JSON-RPC by hand, so that it can say what no library would
 * let it say. It listens on 127.0.0.1 and records every request.
 */
export async function startRawServer(initial: RawServerOptions = {}): Promise<RawServer> {
  let options = initial;
  const recorder = createRecorder();
  const sessions = new Set<string>();
  const streams = new Map<ServerResponse, unknown>();
  const overridden = new Map<string, number>();

  const host = await listen(async (request, response) => {
    if (options.keepAlive === false) response.setHeader('connection', 'close');
    const entry = await recorder.accept(request, response);
    if (entry === undefined) return;
    if (options.onRequest?.(entry, response)) return;
    const key = entry.method ?? entry.http;
    const wait = typeof options.latencyMs === 'function' ? options.latencyMs(key) : (options.latencyMs ?? 0);
    if (wait > 0) await sleep(wait);
    if (response.destroyed) return;
    const override = takeOverride(key);
    if (override !== undefined) return sendOverride(response, entry, override);
    if (!/^\/mcp\/?(\?|$)/.test(entry.url)) return end(response, 404);
    if (entry.http === 'GET') return openStream(entry, response);
    if (entry.http === 'DELETE') return endSession(entry, response);
    if (entry.http !== 'POST') return end(response, 405);
    await post(entry, response);
  });

  function takeOverride(key: string): StatusOverride | undefined {
    const given = options.status?.[key];
    if (given === undefined) return undefined;
    const override = typeof given === 'number' ? { status: given } : given;
    const used = overridden.get(key) ?? 0;
    if (override.times !== undefined && used >= override.times) return undefined;
    overridden.set(key, used + 1);
    return override;
  }

  /** Answers and returns true when the session rule of the legacy era refuses the request. */
  function refuseSession(entry: RecordedRequest, response: ServerResponse): boolean {
    if (options.session === false) return false;
    const session = entry.headers['mcp-session-id'];
    if (typeof session === 'string' && sessions.has(session)) return false;
    const lost = session !== undefined;
    const status = lost ? (options.lostSessionStatus ?? 404) : 400;
    const failure = lost
      ? { code: status === 404 ? -32001 : -32000, message: 'Session not found', data: undefined }
      : { code: -32000, message: 'Bad Request: no session id', data: undefined };
    end(response, status, failureText(null, failure));
    return true;
  }

  function openStream(entry: RecordedRequest, response: ServerResponse): void {
    if (options.era === 'modern' || !options.stream) end(response, 405);
    else if (!refuseSession(entry, response)) startStream(response, undefined);
  }

  function startStream(response: ServerResponse, subscription: unknown): void {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    streams.set(response, subscription);
    response.on('close', () => streams.delete(response));
  }

  function endSession(entry: RecordedRequest, response: ServerResponse): void {
    if (options.era === 'modern') end(response, 405);
    else if (!refuseSession(entry, response)) {
      sessions.delete(String(entry.headers['mcp-session-id']));
      end(response, 200);
    }
  }

  async function post(entry: RecordedRequest, response: ServerResponse): Promise<void> {
    const meta = isRecord(entry.params) && isRecord(entry.params._meta) ? entry.params._meta : {};
    const asModern = options.era === 'modern' || (options.era !== 'legacy' && META_VERSION in meta);
    if (entry.method === undefined) return end(response, entry.id === undefined ? 400 : 202);
    const exchange: Exchange = { entry, response, options, era: asModern ? 'modern' : 'legacy', method: entry.method };
    const refusal = asModern ? refuseModern(exchange, meta) : undefined;
    if (refusal !== undefined) return end(response, 400, failureText(entry.id, refusal));
    if (!asModern && entry.method !== 'initialize' && refuseSession(entry, response)) return;
    if (entry.id === undefined) return end(response, 202);
    if (!asModern && entry.method === 'initialize' && options.session !== false) {
      const session = randomUUID();
      sessions.add(session);
      response.setHeader('mcp-session-id', session);
    }
    if (asModern && entry.method === 'subscriptions/listen') return subscribe(entry, response);
    const ctx = createContext(exchange);
    const answer = await answerMethod(exchange, ctx);
    if (answer === HANDLED) return;
    if (answer instanceof RpcFailure) ctx.fail(answer.code, answer.message, answer.data, answer.status);
    else ctx.send(answer);
  }

  function subscribe(entry: RecordedRequest, response: ServerResponse): void {
    startStream(response, entry.id);
    const notifications = isRecord(entry.params) ? entry.params.notifications : {};
    notice(response, 'notifications/subscriptions/acknowledged', { notifications });
  }

  function notice(response: ServerResponse, method: string, params: Record<string, unknown>): void {
    const subscription = streams.get(response);
    const stamped = subscription === undefined ? params : { ...params, _meta: { [META_SUBSCRIPTION]: subscription } };
    response.write(sseEvent('message', JSON.stringify({ jsonrpc: '2.0', method, params: stamped })));
  }

  return {
    get requests() {
      return recorder.requests;
    },
    url: `${host.origin}/mcp`,
    origin: host.origin,
    sessions,
    count: recorder.count,
    find: recorder.find,
    pending: recorder.pending,
    reset: recorder.reset,
    openSockets: host.openSockets,
    expireSessions: () => sessions.clear(),
    set: (changed) => {
      options = { ...options, ...changed };
      if (changed.status !== undefined) overridden.clear();
    },
    broadcast: (method, params = {}) => {
      for (const response of streams.keys()) notice(response, method, params);
      return streams.size;
    },
    dropStreams: () => {
      for (const response of streams.keys()) response.end();
    },
    close: host.close,
  };
}

/** What a modern server refuses before it looks at the method: other versions, and headers unlike the body. */
function refuseModern(exchange: Exchange, meta: Record<string, unknown>): RpcFailure | undefined {
  const { entry, options, method } = exchange;
  const requested = meta[META_VERSION] ?? (isRecord(entry.params) ? entry.params.protocolVersion : undefined);
  if (method.startsWith('notifications/') && requested === undefined) return undefined;
  if (requested !== MODERN_VERSION) {
    const supported =
      options.era === 'both' || options.era === undefined ? [MODERN_VERSION, LEGACY_VERSION] : [MODERN_VERSION];
    return new RpcFailure(-32022, 'Unsupported protocol version', { supported, requested: requested ?? null }, 400);
  }
  if (options.strict === false) return undefined;
  const header = (name: string) => entry.headers[name];
  if (header('mcp-protocol-version') !== requested || header('mcp-method') !== method) {
    return new RpcFailure(-32020, 'Header mismatch', undefined, 400);
  }
  if (method === 'tools/call' && header('mcp-name') === undefined) {
    return new RpcFailure(-32020, 'Header mismatch: Mcp-Name is missing', undefined, 400);
  }
  return undefined;
}

function sendOverride(response: ServerResponse, entry: RecordedRequest, override: StatusOverride): void {
  for (const [name, value] of Object.entries(override.headers ?? {})) response.setHeader(name, value);
  const id = 'id' in override ? override.id : entry.id;
  const body = override.body ?? (override.error && failureText(id, { data: undefined, ...override.error }));
  end(response, override.status, body);
}

function end(response: ServerResponse, status: number, body?: string): void {
  response.statusCode = status;
  if (body !== undefined && !response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  response.end(body);
}
