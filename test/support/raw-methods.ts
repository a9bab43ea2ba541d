import type { ServerResponse } from 'node:http';
import {
  type CallContext,
  LEGACY_VERSION,
  META_SERVER,
  MODERN_VERSION,
  type Page,
  type RawServerOptions,
} from './raw-options.js';
import type { RecordedRequest } from './recorder.js';
import { failureText, isRecord, progressParams, RawJson, resultText, rpcError, sseEvent } from './rpc-text.js';

/** One JSON-RPC request that a raw server is about to answer. */
export interface Exchange {
  readonly entry: RecordedRequest;
  readonly response: ServerResponse;
  readonly options: RawServerOptions;
  readonly era: 'legacy' | 'modern';
  readonly method: string;
}

type ListOptions = Pick<RawServerOptions, 'tools' | 'pages' | 'ttlMs'>;

/** The answer of a method: a result, an `RpcFailure`, or `HANDLED`. */
export async function answerMethod(exchange: Exchange, ctx: CallContext): Promise<unknown> {
  const { entry, options, era, method } = exchange;
  const params = isRecord(entry.params) ? entry.params : {};
  if (era === 'legacy' && method === 'initialize') return initializeResult(options, params);
  if (era === 'legacy' && method === 'ping') return {};
  if (era === 'modern' && method === 'server/discover') return discoverResult(options);
  if (method === 'tools/list') return listResult(options, era, params.cursor);
  if (method === 'tools/call') return (options.onCall ?? echo)(params, ctx);
  if (options.onMethod) return options.onMethod(params, ctx);
  return rpcError(-32601, `Method not found: ${method}`, undefined, era === 'modern' ? 404 : 200);
}

export function initializeResult(
  options: Pick<RawServerOptions, 'capabilities' | 'serverInfo' | 'instructions'>,
  params: Record<string, unknown>,
): unknown {
  const requested = params.protocolVersion;
  const known = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
  return {
    protocolVersion: typeof requested === 'string' && known.includes(requested) ? requested : LEGACY_VERSION,
    capabilities: options.capabilities ?? { tools: {} },
    serverInfo: options.serverInfo ?? { name: 'raw', version: '1.0.0' },
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
  };
}

function discoverResult(options: RawServerOptions): unknown {
  return {
    resultType: 'complete',
    supportedVersions: [MODERN_VERSION],
    capabilities: options.capabilities ?? { tools: {} },
    ttlMs: options.ttlMs ?? 0,
    cacheScope: 'private',
    ...(options.instructions === undefined ? {} : { instructions: options.instructions }),
    _meta: { [META_SERVER]: options.serverInfo ?? { name: 'raw', version: '1.0.0' } },
  };
}

export async function listResult(options: ListOptions, era: 'legacy' | 'modern', cursor: unknown): Promise<unknown> {
  const page = await findPage(options, cursor);
  if (page === undefined) return rpcError(-32602, 'Invalid params: unknown cursor');
  return era === 'legacy'
    ? page
    : { resultType: 'complete', ttlMs: options.ttlMs ?? 0, cacheScope: 'private', ...page };
}

async function findPage(options: ListOptions, cursor: unknown): Promise<Page | undefined> {
  const { pages } = options;
  if (pages === undefined) return cursor === undefined ? { tools: options.tools ?? [] } : undefined;
  if (typeof pages === 'function') return pages(cursor);
  const all = pages.map((page, index): Page => {
    if (isPage(page)) return page;
    return index + 1 < pages.length ? { tools: page, nextCursor: `page-${index + 1}` } : { tools: page };
  });
  if (cursor === undefined) return all[0] ?? { tools: [] };
  const before = all.findIndex((page) => page.nextCursor === cursor);
  return before < 0 ? undefined : all[before + 1];
}

function isPage(page: readonly unknown[] | Page): page is Page {
  return !Array.isArray(page);
}

function echo(params: Record<string, unknown>): unknown {
  return { content: [{ type: 'text', text: JSON.stringify(params.arguments ?? {}) }] };
}

export function createContext(exchange: Exchange): CallContext {
  const { entry, response, options, era, method } = exchange;
  const over = new AbortController();
  if (response.destroyed) over.abort();
  response.on('close', () => over.abort());
  let streaming = false;

  const openStream = () => {
    if (streaming || response.headersSent) return;
    streaming = true;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  };
  const finish = (text: string, status: number) => {
    if (response.destroyed || response.writableEnded) return;
    if (options.format === 'sse' && status === 200) openStream();
    if (streaming) {
      response.end(sseEvent('message', text));
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  };
  const notify = (name: string, params: unknown) => {
    if (response.destroyed || response.writableEnded) return;
    openStream();
    response.write(sseEvent('message', JSON.stringify({ jsonrpc: '2.0', method: name, params })));
  };
  return {
    method,
    id: entry.id,
    era,
    request: entry,
    response,
    signal: over.signal,
    notify,
    progress: (progress, total) => {
      const params = progressParams(entry.params, progress, total);
      if (params !== undefined) notify('notifications/progress', params);
    },
    send: (result) => {
      const complete =
        era === 'modern' && isRecord(result) && !(result instanceof RawJson) && !('resultType' in result)
          ? { resultType: 'complete', ...result }
          : result;
      finish(resultText(entry.id, complete), 200);
    },
    fail: (code, message, data, status = 200) => finish(failureText(entry.id, { code, message, data }), status),
  };
}
