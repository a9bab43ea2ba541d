import { describe, expect, inject, it } from 'vitest';
import type { HttpServer } from '../../src/index.js';
import { until } from '../support/http-host.js';
import type { RecordedRequest } from '../support/raw-server.js';
import { callText, createKit, http, rejection } from './wiring-kit.js';

const kit = createKit();

const HEADERS = { authorization: 'Bearer fallback' };
const STATUSES = [400, 401, 403, 404, 405, 500, 503, 'hang'] as const;
const FALLS_BACK: readonly unknown[] = [400, 404, 405];
const MODERN_ERROR = { jsonrpc: '2.0', error: { code: -32022, message: 'no', data: { supported: ['2099-01-01'] } } };

/** A server over SSE whose own URL answers a POST with `status`, and with the body of a modern error where asked. */
async function sseOnly(status: number | 'hang', modernBody = false) {
  return kit.sse({
    onRequest: ({ http: verb, url, id }, response) => {
      if (verb !== 'POST' || !url.startsWith('/sse')) return false;
      if (status === 'hang') return true;
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(modernBody ? JSON.stringify({ ...MODERN_ERROR, id }) : 'nothing here');
      return true;
    },
  });
}

const gets = (requests: readonly RecordedRequest[]) => requests.filter(({ http: verb }) => verb === 'GET');

describe.each([
  ['http', undefined, true],
  ['http', true, true],
  ['http', false, false],
  ['streamable-http', undefined, false],
  ['streamable-http', true, true],
  ['streamable-http', false, false],
] as const)('type %s with fallbackToSse %s', (type, fallbackToSse, allowed) => {
  const config = (url: string): HttpServer => ({
    name: 's',
    type,
    url,
    headers: HEADERS,
    ...(fallbackToSse === undefined ? {} : { fallbackToSse }),
  });

  it.each(STATUSES)('W8 a POST that gets %s', async (status) => {
    const server = await sseOnly(status);
    const toolset = await kit.wire([config(server.url)], { connectTimeoutMs: status === 'hang' ? 300 : 5_000 });
    const [serverStatus] = toolset.servers;
    if (!allowed || !FALLS_BACK.includes(status)) {
      expect(serverStatus).toMatchObject({ state: 'failed' });
      const code = status === 401 || status === 403 ? 'unauthorized' : status === 'hang' ? 'timeout' : 'connect-failed';
      expect(serverStatus!.error!.code).toBe(code);
      expect(gets(server.requests)).toEqual([]);
      return;
    }
    expect(serverStatus).toMatchObject({ state: 'ready', era: 'legacy' });
    expect(await callText(toolset, 's__a', { q: 'x' })).toBe('{"q":"x"}');
    // The same credentials, on the stream and on what is posted.
    expect(gets(server.requests)).toHaveLength(1);
    for (const { headers } of server.requests) expect(headers.authorization).toBe(HEADERS.authorization);
  });

  it.each([400, 404, 405])('W8 never with the body of a modern error (%s)', async (status) => {
    const server = await sseOnly(status, true);
    const toolset = await kit.wire([config(server.url)]);
    expect(toolset.servers[0]).toMatchObject({ state: 'failed', error: { code: 'protocol-unsupported' } });
    expect(gets(server.requests)).toEqual([]);
  });
});

describe('the old transport', () => {
  it('W8 is spoken directly with type sse', async () => {
    const server = await kit.sse();
    const toolset = await kit.wire([{ name: 's', type: 'sse', url: server.url, headers: HEADERS }]);
    expect(toolset.servers[0]).toMatchObject({ state: 'ready', era: 'legacy', protocolVersion: '2025-11-25' });
    expect(await callText(toolset, 's__a', { q: 'x' })).toBe('{"q":"x"}');
    expect(server.requests.map(({ method, http: verb }) => method ?? verb)).toEqual([
      'GET',
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/call',
    ]);
    for (const { headers } of server.requests) expect(headers.authorization).toBe(HEADERS.authorization);
    await toolset.close();
    await until(() => server.openStreams() === 0);
  });

  it.each(['sse', 'http'] as const)('W8 is spoken with the real server, type %s', async (type) => {
    const toolset = await kit.wire([{ name: 'e', type, url: inject('everythingSseUrl') }]);
    expect(toolset.servers[0]).toMatchObject({ state: 'ready', era: 'legacy' });
    expect(await callText(toolset, 'e__echo', { message: 'over sse' })).toContain('over sse');
  });

  it('W8 a server that once answered over HTTP is never tried over SSE', async () => {
    const server = await kit.raw({ era: 'legacy' });
    const toolset = await kit.wire([http('s', server)]);
    server.set({ status: { 'tools/call': 404, 'tools/list': 404, initialize: 404, 'server/discover': 404 } });
    await rejection(toolset.tools.s__a!.execute({}));
    await rejection(toolset.refresh('s'));
    await rejection(toolset.tools.s__a!.execute({}));
    expect(server.count('GET')).toBe(0);
  });

  it('W8 a server that was found over SSE is reached so again when its stream ended', async () => {
    const server = await sseOnly(405);
    const toolset = await kit.wire([http('s', server)]);
    server.dropStreams();
    await until(() => server.openStreams() === 0);
    server.reset();
    expect(await callText(toolset, 's__a', { q: 'again' })).toBe('{"q":"again"}');
    expect(server.requests.map(({ method, http: verb }) => method ?? verb)).toEqual([
      'GET',
      'initialize',
      'notifications/initialized',
      'tools/call',
    ]);
  });

  it('W8 a fallback that finds nothing reports what the first try said', async () => {
    const server = await kit.raw({ onRequest: (_, response) => Boolean(response.writeHead(404).end()) });
    const toolset = await kit.wire([http('s', server)]);
    expect(toolset.servers[0]!.error).toMatchObject({ code: 'connect-failed', cause: { status: 404 } });
    expect(server.count('GET')).toBe(1);
  });

  it('W8 G1 an endpoint on another origin is refused, and gets nothing', async () => {
    const other = await kit.sse();
    const server = await kit.sse({ endpoint: (session) => `${other.origin}/message?session=${session}` });
    const toolset = await kit.wire([{ name: 's', type: 'sse', url: server.url, headers: HEADERS }], {
      connectTimeoutMs: 1_000,
    });
    expect(toolset.servers[0]).toMatchObject({ state: 'failed' });
    expect(other.requests).toEqual([]);
  });
});
