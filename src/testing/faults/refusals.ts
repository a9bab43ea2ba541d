import { finish } from './channel.js';
import type { Acts, Exchange } from './exchange.js';
import type { WrongHttp } from './plan.js';
import { errorAnswer, headerFailure, MODERN_REVISION, type RpcFailure, sessionFailure, versionFailure } from './rpc.js';

const PAGE = '<!doctype html><html><head><title>Sorry</title></head><body><h1>Sorry</h1></body></html>';
const JSON_TYPE = { 'content-type': 'application/json' };
const HTML_TYPE = { 'content-type': 'text/html; charset=utf-8' };

const BODIES = {
  none: [{}, undefined],
  html: [HTML_TYPE, PAGE],
  text: [{ 'content-type': 'text/plain; charset=utf-8' }, 'Sorry.'],
  json: [JSON_TYPE, '{"error":"sorry"}'],
} as const;

export const REFUSAL_ACTS: Acts<WrongHttp['kind'], void> = {
  'not-json': ({ status = 200, body = PAGE, contentType = 'text/html' }, { channel }) =>
    channel.plain(status, { 'content-type': contentType }, body),
  'empty-200': (_, { channel }) => channel.plain(200, JSON_TYPE),
  'accepted-202': (_, { channel }) => channel.plain(202, {}),
  'rpc-error'({ status = 200, code = -32603, message = 'Internal error', data, id = 'ours' }, { channel, entry }) {
    const answer = errorAnswer(idFor(id, entry.id), { code, message, data, status });
    finish(channel, [answer.message], status);
  },
  'http-error'({ status = 500, body = 'none' }, { channel }) {
    const [headers, text] = BODIES[body];
    channel.plain(status, headers, text);
  },
  'session-expired'({ status = 404, id = 'null' }, { channel, entry, host }) {
    host.forgetSession(entry.session);
    const answer = errorAnswer(idFor(id, entry.id), sessionFailure(status));
    if (id === 'none') channel.plain(status, {});
    else channel.plain(status, JSON_TYPE, JSON.stringify(answer.message));
  },
  'header-mismatch': (_, exchange) => refuse(exchange, headerFailure()),
  'unsupported-version': ({ supported = [MODERN_REVISION] }, exchange) =>
    refuse(exchange, versionFailure(supported, exchange.entry.headers['mcp-protocol-version'])),
  unauthorized({ status = 401, challenge = status === 401 ? 'Bearer' : undefined }, { channel }) {
    channel.plain(status, challenge === undefined ? {} : { 'www-authenticate': challenge });
  },
  redirect({ status = 307, location }, { channel, entry }) {
    const { path } = entry;
    channel.plain(status, { location: location ?? `${path}${path.includes('?') ? '&' : '?'}${REDIRECTED}` });
  },
};

/** The query that marks where a redirect of ours leads; no fault hits a request there. */
const REDIRECTED = 'redirected';

export function isRedirected(path: string): boolean {
  return new URL(path, 'http://localhost').searchParams.has(REDIRECTED);
}

function refuse({ channel, entry }: Exchange, failure: RpcFailure): void {
  channel.plain(failure.status ?? 400, JSON_TYPE, JSON.stringify(errorAnswer(entry.id, failure).message));
}

function idFor(id: 'ours' | 'null' | 'absent' | 'other' | 'none', own: unknown): unknown {
  if (id === 'ours') return own;
  if (id === 'absent') return undefined;
  return id === 'null' || id === 'none' ? null : otherId(own);
}

/** An id that the request does not have. */
export function otherId(own: unknown): string | number {
  return typeof own === 'number' ? own + 1_000 : `${String(own)}-other`;
}
