import { McpConnectError, type McpError } from '../core/errors.js';
import { isRecord, readJson } from '../core/json.js';
import { dropBody, readUpTo, textOf } from './body.js';
import { strayedFetch } from './redirects.js';
import { sameOrigin, type Verdict } from './verdict.js';

export interface OAuthRoad {
  /** The MCP server's name, for messages. */
  readonly server: string;
  /** What sends. It is called without a receiver. */
  readonly fetch: typeof globalThis.fetch;
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

/** Codes with which a server says that it could not serve, and nothing about what it was sent. */
const NOT_NOW: readonly string[] = ['server_error', 'temporarily_unavailable'];
const ERROR_CODE = /^[\w.-]{1,64}$/;

/**
 * Makes the fetch that the SDK's OAuth code is given. It hides from that code what it would pass on by its messages and to the
 * console: bodies that are not JSON, and texts of refusals.
 */
export function createOAuthRequests(road: OAuthRoad): OAuthRequests {
  const run: Run = { road, failure: undefined, refusal: undefined };
  return {
    within: (judge) => (input, init) => send(run, judge, input, init),
    get failure() {
      return run.failure;
    },
    get refusal() {
      return run.refusal;
    },
  };
}

interface Run {
  readonly road: OAuthRoad;
  failure: McpError | undefined;
  refusal: OAuthRefusal | undefined;
}

async function send(
  run: Run,
  judge: (url: URL, method: string) => Verdict,
  input: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  const { server, fetch, signal } = run.road;
  if (run.failure !== undefined) throw run.failure;
  const url = new URL(String(input));
  const method = (init.method ?? 'GET').toUpperCase();
  const verdict = judge(url, method);
  if (!verdict.allowed) {
    throw fail(run, new McpConnectError(verdict.code, `Server \`${server}\`: ${verdict.reason}`, { server }));
  }
  const { headers = {}, body } = init;
  let response: Response;
  try {
    // The SDK follows redirects within the origin itself; each of them comes back here.
    const sent = { method, headers: new Headers(headers), redirect: 'manual', signal } as const;
    response = await fetch(url.href, body === undefined ? sent : { ...sent, body });
  } catch (cause) {
    // A browser refuses metadata to a script for reasons of its own, which the SDK knows how to get round.
    if (method === 'GET') throw cause;
    throw fail(run, unusable(server, url, 'could not be reached', cause));
  }
  if (response.url !== '' && !sameOrigin(new URL(response.url), url)) {
    dropBody(response.body);
    throw fail(run, strayedFetch(server, url));
  }
  return rebuild(run, response, { url, method });
}

interface Asked {
  readonly url: URL;
  readonly method: string;
}

async function rebuild(run: Run, response: Response, asked: Asked): Promise<Response> {
  const location = response.headers.get('location');
  if (asked.method === 'GET' && response.status > 300 && response.status < 400 && location !== null) {
    dropBody(response.body);
    return new Response(null, { status: response.status, headers: { location } });
  }
  const value = await readDocument(run, response, asked.url);
  const ok = response.ok && value !== undefined && value.error === undefined;
  if (asked.method === 'GET') return ok ? Response.json(value) : unread(run, response, asked.url);
  const headers = nonceOf(response);
  return ok ? Response.json(value, { headers }) : refuse(run, response, value, { url: asked.url, headers });
}

/** A server that cannot answer for a while has not said that there is nothing: what it says later must not be passed over. */
function unread(run: Run, response: Response, url: URL): Response {
  const { status } = response;
  if (status === 429 || (status >= 500 && status !== 501)) {
    throw fail(run, unusable(run.road.server, url, `answered HTTP ${status} where its metadata may be`, { status }));
  }
  return new Response(null, { status: missing(response) });
}

/** Longest nonce that is passed on, in UTF-16 code units. */
const NONCE_MAX = 1_024;

/** What the next proof of possession must hold (RFC 9449, section 8). */
function nonceOf({ headers }: Response): Record<string, string> {
  const nonce = headers.get('dpop-nonce');
  return nonce === null || nonce.length > NONCE_MAX ? {} : { 'dpop-nonce': nonce };
}

/** What is no JSON in a good status is a page that answers for every path; a hidden redirect has the status 0. */
function missing({ status }: Response): number {
  return status >= 400 && status <= 599 ? status : 404;
}

async function readDocument(run: Run, response: Response, url: URL): Promise<Record<string, unknown> | undefined> {
  const { server, signal } = run.road;
  if (response.body === null) return undefined;
  const read = readUpTo(response.body, MAX_BYTES);
  const onAbort = () => read.cancel(signal.reason);
  signal.addEventListener('abort', onAbort);
  const { pieces, more } = await read.done.finally(() => signal.removeEventListener('abort', onAbort));
  signal.throwIfAborted();
  if (more) throw fail(run, unusable(server, url, `sent more than ${MAX_BYTES} bytes`));
  const value: unknown = readJson(textOf(pieces));
  return isRecord(value) ? value : undefined;
}

/** The refusal as the SDK needs it: a code alone. */
function refuse(
  run: Run,
  { status }: Response,
  value: Record<string, unknown> | undefined,
  { url, headers }: { readonly url: URL; readonly headers: Record<string, string> },
): Response {
  const known = typeof value?.error === 'string' && ERROR_CODE.test(value.error);
  const error = known ? (value.error as string) : 'server_error';
  const description = value?.error_description;
  run.refusal = { status, error, description: typeof description === 'string' ? description : undefined };
  // Not a word about the credentials: the user must not be sent to authorize again for it.
  if (NOT_NOW.includes(error)) fail(run, unusable(run.road.server, url, `answered HTTP ${status}`, { status }));
  return Response.json({ error }, { status: status >= 400 && status <= 599 ? status : 400, headers });
}

function fail(run: Run, error: McpError): McpError {
  run.failure ??= error;
  return run.failure;
}

/** The cause is one level down: its status is not the MCP server's. */
function unusable(server: string, url: URL, how: string, cause?: unknown): McpConnectError {
  const message = `Server \`${server}\`: ${url.origin} ${how}.`;
  return new McpConnectError('unauthorized', message, { server, cause: { name: 'OAuthError', cause } });
}
