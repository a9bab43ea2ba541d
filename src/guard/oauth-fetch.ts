import { McpConnectError, type McpError } from '../core/errors.js';
import { isRecord, readJson } from '../core/json.js';
import type { AllowedHosts } from './allowlist.js';
import { dropBody, readUpTo, textOf } from './body.js';
import { hiddenRedirect, judgeRedirect, redirectLocation, strayedFetch } from './redirects.js';
import { sameOrigin, type Verdict } from './verdict.js';

export interface OAuthRoad {
  /** The MCP server's name, for messages. */
  readonly server: string;
  /** What sends. It is called without a receiver. */
  readonly fetch: typeof globalThis.fetch;
  /** The hosts that were named for that server. */
  readonly allowed: AllowedHosts | undefined;
  /** Ends every request; made in the Workers request that runs the authorization. */
  readonly signal: AbortSignal;
}

/** What an authorization server answered instead of what was asked for. */
export interface OAuthRefusal {
  readonly status: number;
  /** The OAuth error code, where it is one. */
  readonly error: string;
  /** The server's own text. */
  readonly description: string | undefined;
}

/** The one way to the network of one run of an authorization (G1). */
export interface OAuthRequests {
  /** A fetch for what `judge` lets pass. Only the headers that its caller sets are sent, and nothing of the MCP server's. */
  within(judge: (url: URL, method: string) => Verdict): (input: string | URL, init?: RequestInit) => Promise<Response>;
  /** Why the run cannot go on. Every later request fails with it. */
  readonly failure: McpError | undefined;
  /** The last answer that refused something. */
  readonly refusal: OAuthRefusal | undefined;
}

/** Metadata, registrations and tokens are a few kilobytes. */
const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 5;

/** Codes with which a server says that it could not serve, and nothing about what it was sent. */
const NOT_NOW: readonly string[] = ['server_error', 'temporarily_unavailable'];
const ERROR_CODE = /^[\w.-]{1,64}$/;

/**
 * Makes the fetch that the SDK's OAuth code is given. It hides from that code what it would pass on by its messages and to the
 * console: bodies that are not JSON, and texts of refusals.
 */
export function createOAuthRequests(road: OAuthRoad): OAuthRequests {
  const run: Run = { road, failure: undefined, unread: undefined, refusal: undefined };
  return {
    within: (judge) => (input, init) => send(run, judge, input, init),
    get failure() {
      return run.failure ?? run.unread?.error;
    },
    get refusal() {
      return run.refusal;
    },
  };
}

interface Run {
  readonly road: OAuthRoad;
  failure: McpError | undefined;
  /** The place whose metadata could not be read just now. */
  unread: { readonly href: string; readonly error: McpError } | undefined;
  refusal: OAuthRefusal | undefined;
}

interface Asked {
  readonly url: URL;
  readonly method: string;
}

type Judge = (url: URL, method: string) => Verdict;

/** Redirects of metadata are followed within the origin (G5); what holds a secret is sent once. */
async function send(run: Run, judge: Judge, input: string | URL, init: RequestInit = {}): Promise<Response> {
  const { server, allowed } = run.road;
  const method = (init.method ?? 'GET').toUpperCase();
  let url = new URL(String(input));
  for (let followed = 0; ; followed++) {
    const asked = { url, method };
    const response = await sendOnce(run, judge, asked, init);
    const location = method === 'GET' ? redirectLocation(response) : undefined;
    if (location === undefined) return rebuild(run, response, asked);
    dropBody(response.body);
    const question = { server, policy: 'same-origin', allowed, method, from: url, followed } as const;
    const target = judgeRedirect({ ...question, max: MAX_REDIRECTS, status: response.status, location });
    if (!(target instanceof URL)) throw fail(run, target);
    url = target;
  }
}

async function sendOnce(run: Run, judge: Judge, asked: Asked, { headers = {}, body }: RequestInit): Promise<Response> {
  const { server, fetch, signal } = run.road;
  const { url, method } = asked;
  const { failure, unread } = run;
  if (failure !== undefined) throw failure;
  // No other place may answer for one that could not; the same one may be asked again.
  if (unread !== undefined && unread.href !== url.href) throw fail(run, unread.error);
  const verdict = judge(url, method);
  if (!verdict.allowed) {
    throw fail(run, new McpConnectError(verdict.code, `Server \`${server}\`: ${verdict.reason}`, { server }));
  }
  let response: Response;
  try {
    const sent = { method, headers: new Headers(headers), redirect: 'manual', signal } as const;
    response = await fetch(url.href, body === undefined ? sent : { ...sent, body });
  } catch (cause) {
    throw unreached(run, asked, cause);
  }
  run.unread = undefined;
  const hidden = response.type === 'opaqueredirect';
  if (!hidden && (response.url === '' || sameOrigin(new URL(response.url), url))) return response;
  dropBody(response.body);
  throw fail(run, hidden ? hiddenRedirect(server, url) : strayedFetch(server, url));
}

/** A browser also refuses metadata to a script for reasons of its own, which the SDK gets round by asking without headers. */
function unreached(run: Run, { url, method }: Asked, cause: unknown): unknown {
  const error = unusable(run.road.server, url, 'could not be reached; try again later', cause);
  if (method !== 'GET') return fail(run, error);
  run.unread = { href: url.href, error };
  return cause;
}

async function rebuild(run: Run, response: Response, asked: Asked): Promise<Response> {
  const { status } = response;
  if (asked.method === 'GET' && saysNothing(status)) {
    dropBody(response.body);
    throw fail(run, unusable(run.road.server, asked.url, `answered HTTP ${status}; try again later`, { status }));
  }
  const value = await readDocument(run, response, asked);
  const ok = response.ok && value !== undefined && value.error === undefined;
  const headers = nonceOf(response);
  if (ok) return Response.json(value, { headers });
  if (asked.method === 'GET') return new Response(null, { status: missing(status) });
  return refuse(run, status, value, { ...asked, headers });
}

/** Longest nonce that is passed on, in UTF-16 code units. */
const NONCE_MAX = 1_024;

/** What the next proof of possession must hold (RFC 9449, section 8). */
function nonceOf({ headers }: Response): Record<string, string> {
  const nonce = headers.get('dpop-nonce');
  return nonce === null || nonce.length > NONCE_MAX ? {} : { 'dpop-nonce': nonce };
}

/** A server that cannot answer now does not say that it has no metadata. */
function saysNothing(status: number): boolean {
  return status >= 500 || [408, 425, 429].includes(status);
}

/** What is no JSON in a good status is a page that answers for every path. */
function missing(status: number): number {
  return status >= 400 ? status : 404;
}

async function readDocument(run: Run, response: Response, asked: Asked): Promise<Record<string, unknown> | undefined> {
  const { server, signal } = run.road;
  if (response.body === null) return undefined;
  const read = readUpTo(response.body, MAX_BYTES);
  const onAbort = () => read.cancel(signal.reason);
  signal.addEventListener('abort', onAbort);
  const { pieces, more } = await read.done
    .catch((cause: unknown) => {
      throw unreached(run, asked, cause);
    })
    .finally(() => signal.removeEventListener('abort', onAbort));
  signal.throwIfAborted();
  if (more) throw fail(run, unusable(server, asked.url, `sent more than ${MAX_BYTES} bytes`));
  const value: unknown = readJson(textOf(pieces));
  return isRecord(value) ? value : undefined;
}

/** The refusal as the SDK needs it: a code alone. */
function refuse(
  run: Run,
  status: number,
  value: Record<string, unknown> | undefined,
  { url, headers }: Asked & { readonly headers: Record<string, string> },
): Response {
  const known = typeof value?.error === 'string' && ERROR_CODE.test(value.error);
  const error = known ? (value.error as string) : 'server_error';
  const description = value?.error_description;
  run.refusal = { status, error, description: typeof description === 'string' ? description : undefined };
  // Not a word about the credentials: the user must not be sent to authorize again for it.
  const how = status < 400 ? `gave no usable answer (HTTP ${status})` : `answered HTTP ${status}; try again later`;
  if (NOT_NOW.includes(error)) fail(run, unusable(run.road.server, url, how, { status }));
  return Response.json({ error }, { status: status >= 400 && status <= 599 ? status : 400, headers });
}

function fail(run: Run, error: McpError): McpError {
  run.failure ??= error;
  return run.failure;
}

/** The cause is one level down: its status is not the MCP server's. */
function unusable(server: string, url: URL, how: string, cause?: unknown): McpConnectError {
  const message = `Server \`${server}\`: its authorization failed, as ${url.origin} ${how}.`;
  return new McpConnectError('unauthorized', message, { server, cause: { name: 'OAuthError', cause } });
}
