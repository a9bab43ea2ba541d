import { isMcpError } from '../core/errors.js';
import { answer, noteNetworkError } from './answer.js';
import { EXCHANGE_HEADER, type Exchange, type ExchangeFacts } from './exchange.js';
import { createFlights, type Flights } from './flights.js';
import { copyHeaders, readConfiguredHeaders } from './headers.js';
import { idOf } from './rpc.js';
import { createSseRules, type SseRules } from './sse.js';
import { type NoticeStream, type OpenStream, openNotices, resumeStream, type StreamWatch } from './streams.js';
import { type Outgoing, type Road, travel } from './travel.js';

export interface GuardedFetchOptions extends Road {
  /** The server's configured headers, credentials among them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: { readonly responseBytes: number; readonly redirects: number };
  readonly kind: 'http' | 'sse';
  /** The exchange whose key a request carries in `EXCHANGE_HEADER`. */
  exchange(key: string): Exchange | undefined;
  /** Over `sse`, whose requests carry no such header: the exchange of the request with this JSON-RPC id. */
  exchangeOf?(id: unknown): Exchange | undefined;
  /** Over `http`: the exchange whose event stream is resumed after this event id. */
  exchangeOfStream?(lastEventId: string): Exchange | undefined;
  /** Over `http`: the optional stream for what a server says unasked. Absent: it is not opened (L7). */
  readonly notices?: NoticeStream;
  /** Over `sse`: the event stream ended or failed, but for `close`. Called at most once. */
  onStreamEnd?(): void;
}

export interface GuardedFetch {
  /**
   * Sends a request behind the guard (G1). The caller's `signal` is not used: on Workers it may belong to another request
   * (W9). Rejects with an `McpError` where the guard refuses, else with what the runtime's fetch threw.
   */
  fetch(input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** What is known of the event stream over `sse`, which carries no exchange of a request. */
  readonly facts: ExchangeFacts;
  /** Aborts every request and stream, and refuses later ones. Never throws. */
  close(): void;
}

interface Guard {
  readonly options: GuardedFetchOptions;
  readonly configured: readonly (readonly [name: string, value: string])[];
  readonly flights: Flights;
  /** Over `sse`. */
  readonly sse: SseRules | undefined;
  /** What stands for the event stream over `sse`, whose request has no exchange. */
  readonly stream: Exchange;
  /** Nothing of this connection was sent yet. */
  fresh: boolean;
}

/** The one way to the network of one connection. Throws `McpConfigError` for a header that HTTP cannot carry. */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { server, url: home, kind } = options;
  const facts: ExchangeFacts = { sent: false, carriedSession: false };
  let closed = false;
  const guard: Guard = {
    options,
    configured: readConfiguredHeaders(server, options.headers),
    flights: createFlights(server),
    // A close is our own doing: nobody has to hear of the stream's end.
    sse: kind === 'sse' ? createSseRules(server, home, () => closed || options.onStreamEnd?.()) : undefined,
    stream: { requestId: undefined, handshake: true, signal: new AbortController().signal, facts },
    fresh: true,
  };
  return {
    fetch: (input, init) => guardedFetch(guard, input, init),
    facts,
    close() {
      closed = true;
      guard.flights.close();
    },
  };
}

async function guardedFetch(guard: Guard, input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { options, flights, sse } = guard;
  const { request, key } = await readRequest(options.server, input, init);
  flights.check();
  const exchange = key === null ? tieExchange(guard, request) : options.exchange(key);
  if (sse !== undefined || request.method !== 'GET') {
    return exchangeOnce(guard, request, exchange, { onBodyEnd: streamEnd(sse, request) });
  }
  // Any stream that is no call's is the one for what a server says unasked, also where it is resumed.
  const lastEventId = request.headers.get('last-event-id');
  const open: OpenStream = (tied, watch) => exchangeOnce(guard, request, tied, watch);
  if (exchange !== undefined) return resumeStream(exchange, lastEventId ?? '', open);
  return openNotices(options.notices, lastEventId, open);
}

/** One request with its redirects. */
async function exchangeOnce(
  guard: Guard,
  request: Outgoing,
  exchange: Exchange | undefined,
  watch: StreamWatch,
): Promise<Response> {
  const { options, flights, sse } = guard;
  const flight = flights.open(exchange);
  try {
    flight.check();
    const refusal = sse?.refuse(request.method, request.url);
    if (refusal !== undefined) throw flight.fail(refusal);
    const { configured, fresh: first } = guard;
    guard.fresh = false;
    const response = await travel(options, { request, configured, first, flight, exchange });
    return await answer(response, {
      server: options.server,
      responseBytes: options.limits.responseBytes,
      // The SDK reads no POST response over SSE, so an answer put there would be lost.
      inBand: sse === undefined,
      exchange,
      flight,
      ...watch,
    });
  } catch (error) {
    noteNetworkError(error, flight, exchange);
    // A token that could not be had ends the request as the guard does.
    if (isMcpError(error)) flight.fail(error);
    flight.land();
    throw flight.failure ?? error;
  }
}

/** A request as it can be sent more than once. */
async function readRequest(
  server: string,
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<{ readonly request: Outgoing; readonly key: string | null }> {
  const given = input instanceof Request ? input : undefined;
  const url = new URL(given?.url ?? String(input));
  const headers = copyHeaders(server, init?.headers ?? given?.headers);
  const key = headers.get(EXCHANGE_HEADER);
  headers.delete(EXCHANGE_HEADER);
  const method = (init?.method ?? given?.method ?? 'GET').toUpperCase();
  const raw = init?.body ?? given?.body ?? undefined;
  // A stream could be sent only once, and a redirect may ask for a second time.
  const body = raw instanceof ReadableStream ? await new Response(raw).arrayBuffer() : raw;
  return { request: { url, method, headers, body }, key };
}

/**
 * Over `http` a call's event stream is resumed by its last event id. Over `sse` the event stream stands for itself, and a
 * POST for the request in its body.
 */
function tieExchange({ options, sse, stream }: Guard, { method, headers, body }: Outgoing): Exchange | undefined {
  if (sse === undefined) {
    const lastEventId = headers.get('last-event-id');
    return lastEventId === null ? undefined : options.exchangeOfStream?.(lastEventId);
  }
  if (method === 'GET') return stream;
  return method === 'POST' && typeof body === 'string' ? options.exchangeOf?.(idOf(body)) : undefined;
}

function streamEnd(sse: SseRules | undefined, { method }: Outgoing): (() => void) | undefined {
  return sse !== undefined && method === 'GET' ? sse.streamEnded : undefined;
}
