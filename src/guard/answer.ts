import { McpLimitError } from '../core/errors.js';
import { dropBody, readUpTo, textOf, watchBody } from './body.js';
import type { Exchange, ExchangeFacts } from './exchange.js';
import { type Flight, isFinished } from './flights.js';
import { meterEvents, meterWhole } from './meters.js';
import { networkCode } from './network.js';
import { overResponseBytes } from './over-limit.js';
import { readRpc } from './rpc.js';

/** What is kept of a handshake's error body: enough for a JSON-RPC error, which tells the protocol's era. */
const HANDSHAKE_ERROR_BYTES = 64 * 1024;

/** What is read of an error body that does not say that it is JSON: some servers send theirs as HTML. */
const OTHER_ERROR_BYTES = 64 * 1024;
const OTHER_ERROR_MS = 500;

/** Statuses that a `Response` cannot have with a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

export interface AnswerContext {
  readonly server: string;
  readonly responseBytes: number;
  /** Whether an answer in an error status can be handed to the SDK as an ordinary response (R1). */
  readonly inBand: boolean;
  readonly exchange: Exchange | undefined;
  readonly flight: Flight;
  /** The body was read, cancelled or lost. */
  readonly onBodyEnd?: (() => void) | undefined;
  /** Handed out before the body of an event stream, as if the server had sent it. */
  readonly prelude?: Uint8Array | undefined;
}

/** The response the SDK gets for the final one: capped (G6), and without a foreign body in an error (R1, R7). */
export async function answer(response: Response, context: AnswerContext): Promise<Response> {
  const { flight, exchange } = context;
  const { status } = response;
  if (status < 200 || status > 599) {
    dropBody(response.body);
    // No failure of the guard's: something was answered, and what became of the request is not known.
    throw new TypeError('The answer has no status that a Response can have');
  }
  const headers = decodedHeaders(response.headers);
  const source = BODILESS.has(status) ? null : response.body;
  const kind = bodyKind(source, response.headers);
  if (exchange !== undefined) {
    exchange.facts.status = status;
    exchange.facts.body = kind;
  }
  if (source === null) {
    dropBody(response.body);
    flight.land();
    return new Response(null, { status, headers });
  }
  if (!response.ok) return answerError(source, { status, headers, kind }, context);
  return new Response(guardStream(source, kind, context), { status, headers });
}

interface Head {
  readonly status: number;
  readonly headers: Headers;
  readonly kind: ExchangeFacts['body'];
}

async function answerError(source: ReadableStream<Uint8Array>, head: Head, context: AnswerContext): Promise<Response> {
  const { exchange, flight, responseBytes } = context;
  const { status, headers } = head;
  const empty = (): Response => new Response(null, { status, headers });
  if (exchange?.handshake) {
    const { pieces } = await readWithin(source, HANDSHAKE_ERROR_BYTES, flight);
    const text = textOf(pieces);
    noteRpc(exchange, text);
    // As bytes: a text would come with a content type of its own.
    return new Response(new TextEncoder().encode(text), { status, headers });
  }
  // An event stream may never end; its status alone has to do.
  if (exchange === undefined || head.kind === 'event-stream') {
    if (exchange !== undefined) exchange.facts.unread = true;
    dropBody(source);
    flight.land();
    return empty();
  }
  const isJson = mayBeJson(headers);
  const { pieces, more } = isJson
    ? await readWithin(source, responseBytes, flight)
    : await readWithin(source, OTHER_ERROR_BYTES, flight, OTHER_ERROR_MS);
  if (more && isJson) throw flight.fail(overCap(context));
  if (more) exchange.facts.unread = true;
  const text = textOf(pieces);
  if (!noteRpc(exchange, text) || !context.inBand) return empty();
  headers.set('content-type', 'application/json');
  return new Response(text, { status: 200, headers });
}

/** Keeps what an error body says; whether it is an ordinary answer in itself. */
function noteRpc({ facts, requestId }: Exchange, text: string): boolean {
  const { rpc, isAnswer } = readRpc(text, requestId);
  if (rpc !== undefined) facts.rpc = rpc;
  return isAnswer;
}

async function readWithin(source: ReadableStream<Uint8Array>, max: number, flight: Flight, ms?: number) {
  const read = readUpTo(source, max);
  flight.onAbort = (reason) => read.cancel(reason);
  // An abort between the head and here found nobody to tell.
  flight.check();
  let late = false;
  const giveUp = () => {
    late = true;
    read.cancel(new Error('The body took too long'));
  };
  const timer = ms === undefined ? undefined : setTimeout(giveUp, ms);
  const { pieces, more } = await read.done;
  clearTimeout(timer);
  // A cancelled read ends like a finished one.
  flight.check();
  flight.land();
  return { pieces, more: more || late };
}

function guardStream(
  source: ReadableStream<Uint8Array>,
  kind: Head['kind'],
  context: AnswerContext,
): ReadableStream<Uint8Array> {
  const { flight, exchange, responseBytes } = context;
  const body = watchBody(source, {
    meter: kind === 'event-stream' ? meterEvents(responseBytes) : meterWhole(responseBytes),
    ...(kind === 'event-stream' ? { prelude: context.prelude } : {}),
    overCap: () => flight.fail(overCap(context)),
    ended(error) {
      if (error !== undefined) noteNetworkError(error, flight, exchange);
      flight.land();
      context.onBodyEnd?.();
    },
  });
  flight.onAbort = (reason) => {
    // On Workers the request that reads it may have ended: to settle a promise of that from another one is warned of.
    if (isFinished(exchange)) body.drop(reason);
    else body.fail(reason);
  };
  return body.stream;
}

/** Keeps the code of a network error; an abort of ours is none. */
export function noteNetworkError(error: unknown, flight: Flight, exchange: Exchange | undefined): void {
  if (exchange === undefined || flight.signal.aborted) return;
  const code = networkCode(error);
  if (code !== undefined) exchange.facts.networkCode ??= code;
}

function overCap({ server, responseBytes, flight }: AnswerContext): McpLimitError {
  if (flight.failure instanceof McpLimitError) return flight.failure;
  return overResponseBytes(server, 'a response body or event', responseBytes);
}

/** The runtime has decoded the body, so its old coding and length no longer hold. */
function decodedHeaders(headers: Headers): Headers {
  const copy = new Headers(headers);
  for (const name of ['content-encoding', 'content-length', 'location']) copy.delete(name);
  return copy;
}

function bodyKind(body: ReadableStream<Uint8Array> | null, headers: Headers): NonNullable<ExchangeFacts['body']> {
  if (body === null || headers.get('content-length') === '0') return 'none';
  const type = mediaType(headers);
  if (type === 'text/event-stream') return 'event-stream';
  return type === 'application/json' || type.endsWith('+json') ? 'json' : 'other';
}

function mayBeJson(headers: Headers): boolean {
  const type = mediaType(headers);
  return type === '' || type === 'text/plain' || type === 'application/json' || type.endsWith('+json');
}

function mediaType(headers: Headers): string {
  return (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}
