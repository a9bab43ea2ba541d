import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { settleWithin } from '../core/deadline.js';
import { EXCHANGE_HEADER } from '../guard/exchange.js';
import type { Exchanges, Pending } from './exchanges.js';
import { receiveMessage } from './receive.js';

/** How long a cancel notice may take before the stream is closed anyway. */
const CANCEL_NOTICE_MS = 500;
const PROBE = 'server/discover';
const HANDSHAKE = [PROBE, 'initialize'];

export interface WireOptions {
  readonly exchanges: Exchanges;
  /** Whether the exchange header reaches our guarded fetch, which alone takes it off again. */
  readonly keyed: boolean;
  /** Whether the guard knows which request an HTTP request carries. */
  readonly tied: boolean;
  /** A handshake's response ended without an answer; nothing more will come. */
  onHandshakeLost(): void;
  /** The server says that its tools have changed (L7). */
  onToolsChanged(): void;
}

type Handler = (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;

/** A wrapped transport from the inside. */
interface Wire {
  readonly inner: Transport;
  readonly options: WireOptions;
  /** Hands a message to the SDK. */
  deliver: Handler;
}

/**
 * Wraps any SDK transport and closes there what the SDK leaves to its user: results are kept raw and the SDK's parser is
 * handed an empty, valid one; each request has a signal of its own, ended after the cancel notice; a response that ends
 * without an answer rejects at once; answers that nobody waits for are dropped.
 */
export function wrapTransport(inner: Transport, options: WireOptions): Transport {
  let handler: Handler | undefined;
  const wire: Wire = { inner, options, deliver: (message, extra) => handler?.(message, extra) };
  inner.onmessage = (message, extra) => {
    const passed = receiveMessage(message, options);
    if (passed !== undefined) wire.deliver(passed, extra);
  };
  const wrapper: Transport = {
    start: () => inner.start(),
    send: (message, sent = {}) => {
      if (!('method' in message)) return inner.send(message, withoutKey(sent));
      return 'id' in message ? sendRequest(wire, message, sent) : sendNotification(wire, message, sent);
    },
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
}

type Request = JSONRPCMessage & { id: string | number; method: string };

async function sendRequest(wire: Wire, message: Request, sent: TransportSendOptions): Promise<void> {
  const { exchanges, keyed, tied } = wire.options;
  const key = sent.headers?.[EXCHANGE_HEADER];
  const own = key === undefined ? undefined : exchanges.byKey(key);
  const pending = own ?? exchanges.open();
  pending.handshake = HANDSHAKE.includes(message.method);
  exchanges.assign(pending, message.id, message.method);
  // Below a transport that the guard cannot tie to the request, whatever was handed over may have been delivered.
  if (!tied) pending.facts.sent = true;
  sent.requestSignal?.addEventListener('abort', pending.abort, { once: true });
  try {
    await wire.inner.send(message, {
      ...withoutKey(sent),
      headers: headersOf(wire, sent, pending),
      requestSignal: pending.signal,
      onRequestStreamEnd: () => {
        sent.onRequestStreamEnd?.();
        exchanges.streamEnded(pending);
        endWithoutAnswer(wire, pending);
      },
    });
    // Anything but an event stream has been read to its end by now.
    const { status, body } = pending.facts;
    if (keyed && status !== undefined && body !== 'event-stream') endWithoutAnswer(wire, pending);
  } catch (error) {
    exchanges.release(pending);
    takeRefusal(pending);
    if (message.method !== PROBE || keyed || !isOlderRefusal(error)) throw error;
    const refusal = { code: -32601, message: 'Refused by its HTTP status' };
    wire.deliver({ jsonrpc: '2.0', id: message.id, error: refusal });
  } finally {
    if (own === undefined && pending.answered) exchanges.release(pending);
  }
}

/** Over HTTP+SSE the SDK reads no answer off a POST, so an error with our id is taken from what the guard read (R1). */
function takeRefusal(pending: Pending): void {
  const { rpc } = pending.facts;
  if (rpc?.id !== 'ours' || pending.answered || pending.handshake) return;
  pending.answered = true;
  pending.rpcError = { code: rpc.code, message: rpc.message };
}

type Notification = JSONRPCMessage & { method: string };

async function sendNotification(wire: Wire, message: Notification, sent: TransportSendOptions): Promise<void> {
  const { exchanges } = wire.options;
  const pending = exchanges.open();
  const cancelled = message.method === 'notifications/cancelled' ? cancelledRequest(exchanges, message) : undefined;
  const headers = headersOf(wire, sent, pending);
  const work = wire.inner.send(message, { ...withoutKey(sent), headers, requestSignal: pending.signal });
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

function endWithoutAnswer(wire: Wire, pending: Pending): void {
  if (pending.answered || pending.ended) return;
  pending.ended = true;
  wire.options.exchanges.release(pending);
  const { requestId } = pending;
  if (pending.handshake) wire.options.onHandshakeLost();
  if (pending.handshake || requestId === undefined) return;
  // An error under our own id settles the SDK's side of the request without anything on the wire.
  const error = { code: -32000, message: 'The response ended without an answer' };
  wire.deliver({ jsonrpc: '2.0', id: requestId, error });
}

function headersOf({ options }: Wire, sent: TransportSendOptions, pending: Pending): Record<string, string> {
  const { [EXCHANGE_HEADER]: _key, ...rest } = sent.headers ?? {};
  return options.keyed ? { ...rest, [EXCHANGE_HEADER]: pending.key } : rest;
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

/**
 * The 1.x line's HTTP transport throws the status of a refusal as `code`. The 2.x client knows only its own errors and
 * would not go on to the older handshake.
 */
function isOlderRefusal(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'number' && code >= 400 && code < 500 && code !== 401 && code !== 403;
}
