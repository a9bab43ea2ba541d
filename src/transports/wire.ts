import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { settleWithin } from '../core/deadline.js';
import { EXCHANGE_HEADER } from '../guard/exchange.js';
import type { Exchanges, Pending } from './exchanges.js';

/** How long a cancel notice may take before the stream is closed anyway. */
const CANCEL_NOTICE_MS = 500;
/** How long a server may keep an event stream open after the answer was on it. */
const LINGER_MS = 1_000;
const PROBE = 'server/discover';
const HANDSHAKE = [PROBE, 'initialize'];

export interface WireOptions {
  readonly exchanges: Exchanges;
  /** Whether the exchange header reaches our guarded fetch, which alone takes it off again. */
  readonly keyed: boolean;
  /** A handshake's response ended without an answer; nothing more will come. */
  onHandshakeLost(): void;
}

type Handler = (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;

/**
 * Wraps any SDK transport and closes there what the SDK leaves to its user: results are kept raw and the SDK's parser is
 * handed an empty, valid one; each request has a signal of its own, ended after the cancel notice; a response that ends
 * without an answer rejects at once; answers that nobody waits for are dropped.
 */
export function wrapTransport(inner: Transport, options: WireOptions): Transport {
  const { exchanges } = options;
  let handler: Handler | undefined;
  const deliver: Handler = (message, extra) => handler?.(message, extra);
  inner.onmessage = (message, extra) => {
    const passed = receive(exchanges, message);
    if (passed !== undefined) deliver(passed, extra);
  };
  const wrapper: Transport = {
    start: () => inner.start(),
    send: (message, sendOptions) => send(message, sendOptions),
    close: () => inner.close(),
    get onmessage() {
      return handler as NonNullable<Transport['onmessage']>;
    },
    set onmessage(next) {
      handler = next as Handler | undefined;
    },
    get sessionId() {
      return inner.sessionId;
    },
    get hasPerRequestStream() {
      return inner.hasPerRequestStream ?? false;
    },
    setProtocolVersion: (version) => inner.setProtocolVersion?.(version),
    setSupportedProtocolVersions: (versions) => inner.setSupportedProtocolVersions?.(versions),
  };
  inner.onclose = () => wrapper.onclose?.();
  inner.onerror = (error) => wrapper.onerror?.(error);
  return wrapper;

  function send(message: JSONRPCMessage, sendOptions: TransportSendOptions = {}): Promise<void> {
    if (!('method' in message)) return inner.send(message, withoutKey(sendOptions));
    if ('id' in message) return sendRequest(message, sendOptions);
    return sendNotification(message, sendOptions);
  }

  async function sendRequest(
    message: JSONRPCMessage & { id: string | number; method: string },
    sent: TransportSendOptions,
  ) {
    const key = sent.headers?.[EXCHANGE_HEADER];
    const own = key === undefined ? undefined : exchanges.byKey(key);
    const pending = own ?? exchanges.open();
    pending.handshake = HANDSHAKE.includes(message.method);
    exchanges.assign(pending, message.id, message.method);
    // Below a transport that the guard cannot tie to the request, whatever was handed over may have been delivered.
    if (!options.keyed) pending.facts.sent = true;
    sent.requestSignal?.addEventListener('abort', pending.abort, { once: true });
    try {
      await inner.send(message, {
        ...withoutKey(sent),
        headers: headersOf(sent, pending),
        requestSignal: pending.signal,
        onRequestStreamEnd: () => {
          sent.onRequestStreamEnd?.();
          clearTimeout(pending.lingering);
          endWithoutAnswer(pending);
        },
      });
      // Anything but an event stream has been read to its end by now.
      if (pending.facts.status !== undefined && pending.facts.body !== 'event-stream') endWithoutAnswer(pending);
    } catch (error) {
      exchanges.release(pending);
      if (message.method !== PROBE || options.keyed || !isOlderRefusal(error)) throw error;
      deliver({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Refused by its HTTP status' } });
    } finally {
      if (own === undefined && pending.answered) exchanges.release(pending);
    }
  }

  async function sendNotification(message: JSONRPCMessage & { method: string }, sent: TransportSendOptions) {
    const pending = exchanges.open();
    const cancelled = message.method === 'notifications/cancelled' ? cancelledRequest(exchanges, message) : undefined;
    const work = inner.send(message, {
      ...withoutKey(sent),
      headers: headersOf(sent, pending),
      requestSignal: pending.signal,
    });
    try {
      if (cancelled === undefined) return await work;
      await settleWithin(work, CANCEL_NOTICE_MS);
      pending.abort();
    } finally {
      exchanges.release(pending);
      if (cancelled !== undefined) {
        cancelled.abort();
        exchanges.release(cancelled);
      }
    }
  }

  function headersOf(sent: TransportSendOptions, pending: Pending): Record<string, string> {
    const { [EXCHANGE_HEADER]: _key, ...rest } = sent.headers ?? {};
    return options.keyed ? { ...rest, [EXCHANGE_HEADER]: pending.key } : rest;
  }

  function endWithoutAnswer(pending: Pending): void {
    if (pending.answered || pending.ended) return;
    pending.ended = true;
    exchanges.release(pending);
    const { requestId } = pending;
    if (pending.handshake) options.onHandshakeLost();
    if (pending.handshake || requestId === undefined) return;
    // An error under our own id settles the SDK's side of the request without anything on the wire.
    deliver({
      jsonrpc: '2.0',
      id: requestId,
      error: { code: -32000, message: 'The response ended without an answer' },
    });
  }
}

/**
 * The 1.x line's HTTP transport throws the status of a refusal as `code`. The 2.x client knows only its own errors and
 * would not go on to the older handshake.
 */
function isOlderRefusal(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'number' && code >= 400 && code < 500 && code !== 401 && code !== 403;
}

function withoutKey(sent: TransportSendOptions): TransportSendOptions {
  if (sent.headers?.[EXCHANGE_HEADER] === undefined) return sent;
  const { [EXCHANGE_HEADER]: _key, ...headers } = sent.headers;
  return { ...sent, headers };
}

function cancelledRequest(exchanges: Exchanges, message: JSONRPCMessage): Pending | undefined {
  const { params } = message as { params?: { requestId?: unknown } };
  return exchanges.byId(params?.requestId);
}

/** Takes the answer to a request of ours off the message; what is returned is what the SDK may see. */
function receive(exchanges: Exchanges, message: JSONRPCMessage): JSONRPCMessage | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  if ('method' in message) return message;
  const pending = exchanges.byId(message.id);
  // A late, repeated or foreign answer: there is nobody to give it to.
  if (pending === undefined || pending.answered) return undefined;
  pending.answered = true;
  exchanges.release(pending);
  if (pending.facts.body === 'event-stream') pending.lingering = setTimeout(pending.abort, LINGER_MS);
  if ('error' in message) {
    pending.rpcError = message.error;
    return message;
  }
  pending.result = message.result;
  const empty = EMPTY_RESULTS.get(pending.method);
  return empty === undefined ? message : ({ ...message, result: empty } as JSONRPCMessage);
}

/** Valid in both eras, and nothing in them to refuse. */
const EMPTY_RESULTS: ReadonlyMap<string, object> = new Map<string, object>([
  ['tools/list', { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' }],
  ['tools/call', { resultType: 'complete', content: [] }],
]);
