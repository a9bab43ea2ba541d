import { McpConnectError } from '../core/errors.js';
import type { RedirectPolicy } from '../core/servers.js';
import type { AllowedHosts } from './allowlist.js';
import { dropBody } from './body.js';
import type { Credentials } from './credentials.js';
import type { Exchange } from './exchange.js';
import type { Flight } from './flights.js';
import { hopHeaders } from './headers.js';
import { hiddenRedirect, judgeRedirect, redirectLocation, strayedFetch } from './redirects.js';
import { judgeUrl, sameOrigin } from './verdict.js';

/** A request as it can be sent more than once. */
export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: BodyInit | undefined;
}

/** The rules of the road for one connection. */
export interface Road {
  /** The configured name, for messages. */
  readonly server: string;
  /** The server's own URL: its credentials go to this origin only (G4). */
  readonly url: URL;
  /** What sends. It is called without a receiver. */
  readonly fetch: typeof globalThis.fetch;
  /** Whether `fetch` is the host's own, whose errors may come after it has sent something. */
  readonly foreignFetch?: boolean;
  readonly redirect: RedirectPolicy;
  readonly limits: { readonly redirects: number };
  /** Absent: the address classes decide (G3). */
  readonly allowed?: AllowedHosts | undefined;
  /** Absent: no token is sent. */
  readonly credentials?: Credentials | undefined;
}

export interface Trip {
  readonly request: Outgoing;
  /** The configured headers. */
  readonly configured: readonly (readonly [name: string, value: string])[];
  /** Whether it is the first request of its connection. */
  readonly first: boolean;
  readonly flight: Flight;
  readonly exchange: Exchange | undefined;
}

/** Sends a request and follows its redirects as far as the policy goes (G5). Resolves to the final response. */
export async function travel(road: Road, trip: Trip): Promise<Response> {
  const { server, url: home, redirect, limits, allowed } = road;
  const { request, flight } = trip;
  const first = judgeUrl(request.url, allowed);
  if (!first.allowed) {
    throw flight.fail(new McpConnectError(first.code, `Server \`${server}\`: ${first.reason}`, { server }));
  }
  let url = request.url;
  let atHome = true;
  for (let followed = 0; ; followed++) {
    // Once away, the credentials stay away: a foreign host must not choose what they are used for at home.
    atHome = atHome && sameOrigin(url, home);
    const response = await (atHome ? sendAtHome(road, trip, url) : send(road, trip, { url }));
    if (response.type === 'opaqueredirect') {
      dropBody(response.body);
      throw flight.fail(hiddenRedirect(server, url));
    }
    const location = redirectLocation(response);
    if (location === undefined) return response;
    dropBody(response.body);
    const question = { server, policy: redirect, allowed, method: request.method, from: url, followed };
    const target = judgeRedirect({ ...question, max: limits.redirects, status: response.status, location });
    if (!(target instanceof URL)) throw flight.fail(target);
    url = target;
  }
}

/** One hop to the server itself, with its token; once more with another one where that is refused (C4, G11, G12). */
async function sendAtHome(road: Road, trip: Trip, url: URL): Promise<Response> {
  const { credentials } = road;
  const { flight, first } = trip;
  if (credentials === undefined) return send(road, trip, { url, home: {} });
  let token = await credentials.token(first ? 'connect' : 'request', flight.signal);
  let response = await sendProven(send, road, trip, { url, home: { token } });
  if (response.status === 401) {
    dropBody(response.body);
    token = await credentials.renew(token, flight.signal, challengeOf(response));
    response = await sendProven(sendAgain, road, trip, { url, home: { token } });
  }
  const challenge = response.status === 403 ? challengeOf(response) : undefined;
  if (credentials.widen === undefined || challenge === undefined) return response;
  const widened = await credentials.widen(token, flight.signal, challenge).catch((error: unknown) => {
    dropBody(response.body);
    throw error;
  });
  if (widened === undefined) return response;
  dropBody(response.body);
  return sendProven(sendAgain, road, trip, { url, home: { token: widened } });
}

/** Once more where the server wants another proof of the same token (RFC 9449, section 9). */
async function sendProven(first: typeof send, road: Road, trip: Trip, hop: Hop): Promise<Response> {
  const { credentials } = road;
  const about = { method: trip.request.method, url: hop.url };
  const response = await first(road, trip, hop);
  if (credentials?.heard?.(response, about) !== true) return response;
  dropBody(response.body);
  const again = await sendAgain(road, trip, hop);
  credentials.heard(again, about);
  return again;
}

function challengeOf({ headers }: Response): string | undefined {
  return headers.get('www-authenticate') ?? undefined;
}

/** After a refusal before anything was done with the request: it counts as not sent yet. */
function sendAgain(road: Road, trip: Trip, hop: Hop): Promise<Response> {
  if (trip.exchange !== undefined) Object.assign(trip.exchange.facts, { sent: false, delivered: false });
  return send(road, trip, hop);
}

interface Hop {
  readonly url: URL;
  /** Given where the hop goes to the server itself. */
  readonly home?: { readonly token?: string | undefined };
}

/** One hop. `redirect: 'manual'` everywhere: workerd has no `error`, and `follow` would pass the guard by. */
async function send(road: Road, trip: Trip, { url, home }: Hop): Promise<Response> {
  const { credentials, fetch, server } = road;
  const { configured, exchange, flight } = trip;
  const { method, headers: callers, body } = trip.request;
  const headers = hopHeaders(callers, configured, home !== undefined);
  // It wins over a configured one, also while there is none (G12).
  if (credentials !== undefined) headers.delete('authorization');
  if (home?.token !== undefined) {
    const proven = await credentials?.prove?.(home.token, { method, url });
    for (const [name, value] of Object.entries(proven ?? { authorization: `Bearer ${home.token}` }))
      headers.set(name, value);
  }
  flight.check();
  if (exchange !== undefined) {
    exchange.facts.sent = true;
    // That a foreign host knows no session says nothing of ours.
    exchange.facts.carriedSession = home !== undefined && callers.has('mcp-session-id');
    if (road.foreignFetch) exchange.facts.foreignFetch = true;
  }
  // Nothing else of the caller's init: workerd refuses fields such as `mode` and `credentials`.
  const response = await fetch(url.href, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    redirect: 'manual',
    signal: flight.signal,
  });
  if (exchange !== undefined) exchange.facts.delivered = true;
  const strayed = response.url !== '' && !sameOrigin(new URL(response.url), url);
  if (!strayed && !flight.signal.aborted) return response;
  dropBody(response.body);
  // A fetch that does not heed its signal comes back after the end.
  flight.check();
  throw flight.fail(strayedFetch(server, url));
}
