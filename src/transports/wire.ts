import type { JSONRPCMessage, MessageExtraInfo, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { settleWithin } from '../core/deadline.js';
import { quietly } from '../core/quietly.js';
import { METHOD_NOT_FOUND } from '../core/rpc-codes.js';
import { EXCHANGE_HEADER } from '../guard/exchange.js';
import type { Exchanges, Pending } from './exchanges.js';
import { receiveMessage } from './receive.js';

/** How long a cancel notice may take before the stream is closed anyway. */
const CANCEL_NOTICE_MS = 500;
/** How long an answer to the server's own request may take, and how many may be on their way. */
const REPLY_MS = 5_000;
const REPLIES_AT_ONCE = 32;
export const PROBE = 'server/discover';
const HANDSHAKE = [PROBE, 'initialize'];

export interface WireOptions {
  readonly exchanges: Exchanges;
  /** Whether the exchange header reaches our guarded fetch, which alone takes it off again. */
  readonly keyed: boolean;
  /** Whether the guard knows which request an HTTP request carries. */
  readonly tied: boolean;
  /** The server is a process: one that says nothing to the question for the era is an older one. */
  readonly isProcess: boolean;
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
  /** Answers to the server's own requests that are on their way. */
  replies: number;
}

/**
 * Wraps any SDK transport and closes there what the SDK leaves to its user: results are kept raw and the SDK's parser is
 * handed an empty, valid one; each request has a signal of its own, ended after the cancel notice; a response that ends
 * without an answer rejects at once; answers that nobody waits for are dropped.
 */
export function wrapTransport(inner: Transport, options: WireOptions): Transport {
  let handler: Handler | undefined;
  const wire: Wire = { inner, options, deliver: (message, extra) => handler?.(message, extra), replies: 0 };
  inner.onmessage = (message, extra) => {
    const passed = readSafely(message, options);
    // The SDK writes what it cannot use as text, which ends with an error where that is too deep (G9).
    if (passed !== undefined) quietly(() => wire.deliver(passed, extra));
  };
  const wrapper: Transport = {
    start: () => inner.start(),
    send: (message, sent = {}) => {
      if (!('method' in message)) return sendReply(wire, message, sent);
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
  // By these two members the SDK tells a process from a server over HTTP.
  if (options.isProcess) Object.assign(wrapper, { stderr: null, pid: null });
  inner.onclose = () => wrapper.onclose?.();
  inner.onerror = (error) => wrapper.onerror?.(error);
  return wrapper;
}

/** In process, a message is a foreign object whose members may throw: it is then as good as none. */
function readSafely(message: JSONRPCMessage, options: WireOptions): JSONRPCMessage | undefined {
  return quietly(() => receiveMessage(message, options));
}

/** A server may ask as often as it likes and never take the answers: neither holds anything for long. */
async function sendReply(wire: Wire, message: JSONRPCMessage, sent: TransportSendOptions): Promise<void> {
  if (wire.replies >= REPLIES_AT_ONCE) return;
  const pending = wire.options.exchanges.open();
  wire.replies += 1;
  try {
    const work = wire.inner.send(message, passedOn(wire, sent, pending));
    await settleWithin(work, REPLY_MS);
    pending.abort();
  } finally {
    wire.replies -= 1;
    wire.options.exchanges.release(pending);
  }
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
      ...passedOn(wire, sent, pending),
      onresumptiontoken: (token) => {
        sent.onresumptiontoken?.(token);
        exchanges.noteToken(pending, token);
      },
      onRequestStreamEnd: () => {
        sent.onRequestStreamEnd?.();
        exchanges.streamEnded(pending);
        endWithoutAnswer(wire, pending);
      },
    });
    // Anything but an event stream has been read to its end by now.
    const { status, body } = pending.facts;
    if (body !== 'event-stream') exchanges.streamEnded(pending);
    if (keyed && status !== undefined && body !== 'event-stream') endWithoutAnswer(wire, pending);
  } catch (error) {
    exchanges.release(pending);
    // A process does not execute half a line.
    if (wire.options.isProcess) pending.facts.sent = false;
    takeRefusal(pending);
    if (message.method !== PROBE || keyed || !isOlderRefusal(error)) throw error;
    const refusal = { code: METHOD_NOT_FOUND, message: 'Refused by its HTTP status' };
    wire.deliver({ jsonrpc: '2.0', id: message.id, error: refusal });
  } finally {
    if (own === undefined && pending.answered) exchanges.release(pending);
  }
}

/** Over HTTP+SSE the SDK reads no answer off a POST, so an error with our id is taken from what the guard read (R1). */
function takeRefusal(pending: Pending): void {
  const { rpc } = pending.facts;
  if (rpc?.id !== 'ours' || rpc.code === undefined || pending.answered || pending.handshake) return;
  pending.answered = true;
  pending.rpcError = { code: rpc.code, message: rpc.message };
}

type Notification = JSONRPCMessage & { method: string };

async function sendNotification(wire: Wire, message: Notification, sent: TransportSendOptions): Promise<void> {
  const { exchanges } = wire.options;
  const pending = exchanges.open();
  if (message.method === 'notifications/initialized') exchanges.initialized = pending;
  const cancelled = message.method === 'notifications/cancelled' ? cancelledRequest(exchanges, message) : undefined;
  // One that still waits, for a token for instance, must not go out any more, and there is nothing to tell.
  if (cancelled?.facts.sent === false) return giveUp(exchanges, pending, cancelled);
  const work = wire.inner.send(message, passedOn(wire, sent, pending));
  try {
    if (cancelled === undefined) return await work;
    await settleWithin(work, CANCEL_NOTICE_MS);
    pending.abort();
  } finally {
    giveUp(exchanges, pending, cancelled);
  }
}

function giveUp(exchanges: Exchanges, notice: Pending, cancelled: Pending | undefined): void {
  exchanges.release(notice);
  if (cancelled === undefined) return;
  cancelled.abort();
  exchanges.release(cancelled);
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

/**
 * What the transport is told. Over our own HTTP the guard alone ends a request: of a signal per request the SDK would keep
 * something for as long as the connection lives (`AbortSignal.any` with a signal of that age).
 */
function passedOn({ options }: Wire, sent: TransportSendOptions, pending: Pending): TransportSendOptions {
  const { headers: { [EXCHANGE_HEADER]: _key, ...headers } = {}, requestSignal: _signal, ...rest } = sent;
  if (!options.keyed) return { ...rest, headers, requestSignal: pending.signal };
  return { ...rest, headers: { ...headers, [EXCHANGE_HEADER]: pending.key } };
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
