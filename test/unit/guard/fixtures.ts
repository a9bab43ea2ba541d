import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXCHANGE_HEADER, type Exchange } from '../../../src/guard/exchange.js';
import { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from '../../../src/guard/fetch.js';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Origin extends AsyncDisposable {
  readonly url: URL;
  /** Every request that arrived, its body included. */
  readonly seen: Seen[];
  /** Resolves when a connection of this server has closed. */
  readonly socketClosed: Promise<void>;
}

export type Handler = (request: IncomingMessage, response: ServerResponse, seen: Seen) => void;

/** A real server on the loopback interface that records all it sees. */
export async function openOrigin(handler: Handler): Promise<Origin> {
  const seen: Seen[] = [];
  const server: Server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const entry = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
    seen.push(entry);
    handler(request, response, entry);
  });
  const socketClosed = new Promise<void>((resolve) => {
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      socket.on('close', () => resolve());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  return {
    url,
    seen,
    socketClosed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An abort signal that knows how many listeners it has. */
export function countedSignal(): { readonly controller: AbortController; listeners(): number; added(): number } {
  const controller = new AbortController();
  const held = new Set<unknown>();
  let added = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  Object.defineProperty(signal, 'addEventListener', {
    value: (type: 'abort', listener: () => void, options?: AddEventListenerOptions) => {
      added++;
      held.add(listener);
      add(type, listener, options);
    },
  });
  Object.defineProperty(signal, 'removeEventListener', {
    value: (type: 'abort', listener: () => void) => {
      held.delete(listener);
      remove(type, listener);
    },
  });
  return { controller, listeners: () => held.size, added: () => added };
}

export function exchangeOf(more: Partial<Exchange> = {}): Exchange {
  const { signal } = new AbortController();
  return { requestId: 1, handshake: false, signal, facts: { sent: false, carriedSession: false }, ...more };
}

const KEY = 'k1';

/** A guard whose one exchange, if any, has the key `k1`. */
export function guardFor(url: URL, more: Partial<GuardedFetchOptions> & { readonly on?: Exchange } = {}): GuardedFetch {
  const { on, ...options } = more;
  return createGuardedFetch({
    server: 'shop',
    url,
    headers: {},
    fetch: globalThis.fetch,
    redirect: 'same-origin',
    limits: { responseBytes: 10_000, redirects: 5 },
    kind: 'http',
    exchange: (key) => (key === KEY ? on : undefined),
    // A GET with an event id is a call's stream that is taken up again.
    exchangeOfStream: () => on ?? exchangeOf(),
    ...options,
  });
}

/** What the SDK sends for one request. */
export function post(more: Record<string, string> = {}): RequestInit {
  return {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      [EXCHANGE_HEADER]: KEY,
      ...more,
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call"}',
  };
}

/** What a promise rejects with; throws when it does not reject. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('it did not reject');
}

export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Fails when `promise` takes longer than a generous bound. */
export async function soon<T>(promise: Promise<T>, milliseconds = 5_000): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it took too long')), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
