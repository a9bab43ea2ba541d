import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { listen } from './http-host.js';
import { initializeResult, listResult } from './raw-methods.js';
import type { CallContext, RawServerOptions } from './raw-options.js';
import { createRecorder, type RecordedRequest, type Recorder } from './recorder.js';
import {
  failureText,
  HANDLED,
  isRecord,
  progressParams,
  RpcFailure,
  resultText,
  rpcError,
  sseEvent,
} from './rpc-text.js';

/** What a handler gets: answers travel on the GET stream, so `stream` is that one. */
export interface SseCallContext
  extends Pick<CallContext, 'method' | 'id' | 'request' | 'notify' | 'progress' | 'send'> {
  readonly stream: ServerResponse;
  fail(code: number, message: string, data?: unknown): void;
}

export interface RawSseOptions
  extends Pick<RawServerOptions, 'tools' | 'pages' | 'onRequest' | 'instructions' | 'capabilities' | 'serverInfo'> {
  /** As in `startRawServer`: a result, an `rpcError` or `HANDLED`. Default: an echo. */
  readonly onCall?: (params: Record<string, unknown>, ctx: SseCallContext) => unknown;
  /** The data of the `endpoint` event. Give another origin, or a URL with userinfo, to test its refusal. */
  readonly endpoint?: string | ((session: string) => string);
  /** The data of a second `endpoint` event, sent before the answer to `initialize` or by `moveEndpoint()`. */
  readonly secondEndpoint?: string | ((session: string) => string);
  /** Accepts the GET and never sends `endpoint`. */
  readonly silent?: boolean;
  /** Ends the stream when a request with this method arrives, without an answer. */
  readonly dropOn?: string;
}

export interface RawSseServer extends Omit<Recorder, 'accept'> {
  /** Ends in `/sse`. */
  readonly url: string;
  readonly origin: string;
  openSockets(): number;
  /** Open GET streams. */
  openStreams(): number;
  /** Ends every open stream. */
  dropStreams(): void;
  /** Sends another `endpoint` event on every open stream. */
  moveEndpoint(endpoint: string): void;
  /** Sends a notification on every open stream. */
  broadcast(method: string, params?: Record<string, unknown>): void;
  /** Writes text to every open stream as it is. */
  write(text: string): void;
  set(options: Partial<RawSseOptions>): void;
  close(): Promise<void>;
}

/** A scripted MCP server over the old HTTP+SSE transport: GET /sse, an `endpoint` event, then POST /message. */
export async function startRawSse(initial: RawSseOptions = {}): Promise<RawSseServer> {
  let options = initial;
  const recorder = createRecorder();
  const streams = new Map<string, ServerResponse>();

  const host = await listen(async (request, response) => {
    const entry = await recorder.accept(request, response);
    if (entry === undefined) return;
    if (options.onRequest?.(entry, response)) return;
    const url = new URL(entry.url, 'http://127.0.0.1');
    if (entry.http === 'GET' && url.pathname === '/sse') openStream(response);
    else if (entry.http === 'POST' && url.searchParams.has('session')) await post(entry, response, url);
    else response.writeHead(entry.http === 'POST' && url.pathname === '/sse' ? 405 : 404).end();
  });

  function openStream(response: ServerResponse): void {
    const session = randomUUID();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    streams.set(session, response);
    response.on('close', () => streams.delete(session));
    if (!options.silent) sendEndpoint(response, options.endpoint ?? `/message?session=${session}`, session);
  }

  function sendEndpoint(stream: ServerResponse, endpoint: string | ((session: string) => string), session: string) {
    stream.write(sseEvent('endpoint', typeof endpoint === 'function' ? endpoint(session) : endpoint));
  }

  async function post(entry: RecordedRequest, response: ServerResponse, url: URL): Promise<void> {
    const session = url.searchParams.get('session') ?? '';
    const stream = streams.get(session);
    if (stream === undefined) {
      response.writeHead(404).end('Session not found');
      return;
    }
    response.writeHead(202).end('Accepted');
    if (options.dropOn !== undefined && entry.method === options.dropOn) {
      stream.end();
      return;
    }
    if (entry.method === undefined || entry.id === undefined) return;
    if (entry.method === 'initialize' && options.secondEndpoint !== undefined) {
      sendEndpoint(stream, options.secondEndpoint, session);
    }
    const ctx = createSseContext(entry, stream);
    const answer = await answerOf(entry, ctx);
    if (answer === HANDLED) return;
    if (answer instanceof RpcFailure) ctx.fail(answer.code, answer.message, answer.data);
    else ctx.send(answer);
  }

  async function answerOf(entry: RecordedRequest, ctx: SseCallContext): Promise<unknown> {
    const params = isRecord(entry.params) ? entry.params : {};
    if (entry.method === 'initialize') return initializeResult(options, params);
    if (entry.method === 'ping') return {};
    if (entry.method === 'tools/list') return listResult(options, 'legacy', params.cursor);
    if (entry.method !== 'tools/call') return rpcError(-32601, `Method not found: ${entry.method}`);
    if (options.onCall) return options.onCall(params, ctx);
    return { content: [{ type: 'text', text: JSON.stringify(params.arguments ?? {}) }] };
  }

  const writeAll = (text: string) => {
    for (const stream of streams.values()) stream.write(text);
  };

  return {
    get requests() {
      return recorder.requests;
    },
    url: `${host.origin}/sse`,
    origin: host.origin,
    count: recorder.count,
    find: recorder.find,
    pending: recorder.pending,
    reset: recorder.reset,
    openSockets: host.openSockets,
    openStreams: () => streams.size,
    dropStreams: () => {
      for (const stream of streams.values()) stream.end();
    },
    moveEndpoint: (endpoint) => writeAll(sseEvent('endpoint', endpoint)),
    broadcast: (method, params = {}) =>
      writeAll(sseEvent('message', JSON.stringify({ jsonrpc: '2.0', method, params }))),
    write: writeAll,
    set: (changed) => {
      options = { ...options, ...changed };
    },
    close: host.close,
  };
}

function createSseContext(entry: RecordedRequest, stream: ServerResponse): SseCallContext {
  const write = (text: string) => {
    if (!stream.destroyed && !stream.writableEnded) stream.write(sseEvent('message', text));
  };
  const notify = (method: string, params: unknown) => write(JSON.stringify({ jsonrpc: '2.0', method, params }));
  return {
    method: entry.method ?? '',
    id: entry.id,
    request: entry,
    stream,
    notify,
    progress: (progress, total) => {
      const params = progressParams(entry.params, progress, total);
      if (params !== undefined) notify('notifications/progress', params);
    },
    send: (result) => write(resultText(entry.id, result)),
    fail: (code, message, data) => write(failureText(entry.id, { code, message, data })),
  };
}
