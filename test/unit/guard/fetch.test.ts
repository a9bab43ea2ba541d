import { describe, expect, it, vi } from 'vitest';
import { McpConfigError, McpConnectError } from '../../../src/core/errors.js';
import { EXCHANGE_HEADER } from '../../../src/guard/exchange.js';
import type { Handler } from './fixtures.js';
import { exchangeOf, failureOf, guardFor, json, openOrigin, post, soon } from './fixtures.js';

const fine: Handler = (_, response) => json(response, 200, {});

describe('headers', () => {
  it('G1 takes the exchange header off, with an exchange, without one, and from a Request', async () => {
    await using home = await openOrigin(fine);
    const guard = guardFor(home.url, { on: exchangeOf() });
    await guard.fetch(home.url, post());
    await guard.fetch(home.url.href, post({ [EXCHANGE_HEADER]: 'unknown' }));
    await guard.fetch(new Request(home.url, post()));
    expect(home.seen.map(({ body }) => body)).toEqual(Array(3).fill(post().body));
    expect(JSON.stringify(home.seen)).not.toContain(EXCHANGE_HEADER);
  });

  it('G4 adds the configured headers and never over what the caller set', async () => {
    await using home = await openOrigin(fine);
    const headers = {
      Accept: 'text/html',
      'Content-Type': 'x/y',
      'MCP-Session-Id': 'mine',
      Authorization: 'Bearer c',
      'X-Key': 'k',
    };
    const guard = guardFor(home.url, { headers });
    await guard.fetch(home.url, post({ 'mcp-session-id': 's1', authorization: 'Bearer token' }));
    expect(home.seen[0]?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-session-id': 's1',
      authorization: 'Bearer token',
      'x-key': 'k',
    });
  });

  it('G4 sends no credentials to another origin, whoever asked for it', async () => {
    await using home = await openOrigin(fine);
    await using away = await openOrigin(fine);
    const guard = guardFor(home.url, { headers: { 'x-key': 'canary' } });
    await guard.fetch(away.url, post({ authorization: 'canary', 'mcp-session-id': 'canary' }));
    expect(away.seen).toHaveLength(1);
    expect(JSON.stringify(away.seen)).not.toContain('canary');
  });

  it.each([
    [{ 'x-key': 'canary\r\nx-evil: 1' }, '"x-key"'],
    [{ 'x-key': 'canary\n' }, '"x-key"'],
    [{ 'x-key': 'canary\0' }, '"x-key"'],
    [{ 'x-key': 'canary\u{1F511}' }, '"x-key"'],
    [{ 'canary\r\nx-evil': '1' }, 'headers'],
    [{ '': '1' }, 'headers'],
  ])('G4 refuses the configured header %j and keeps its value to itself', async (headers, named) => {
    const make = () => guardFor(new URL('https://a.example.com/'), { headers: headers as Record<string, string> });
    expect(make).toThrow(McpConfigError);
    expect(make).toThrow(named);
    expect(make).not.toThrow('canary');
  });

  it('G4 refuses a request header with a line break and keeps its value to itself', async () => {
    await using home = await openOrigin(fine);
    const error = await failureOf(guardFor(home.url).fetch(home.url, post({ 'x-key': 'canary\r\nx: 1' })));
    expect(error).toBeInstanceOf(McpConnectError);
    expect((error as Error).message).not.toContain('canary');
    expect(home.seen).toHaveLength(0);
  });

  it('G1 calls the given fetch without a receiver', async () => {
    let receiver: unknown = 'none yet';
    const url = new URL('https://a.example.com/');
    const guard = guardFor(url, {
      async fetch(this: unknown) {
        receiver = this;
        return new Response(null, { status: 202 });
      },
    });
    await guard.fetch(url, post());
    expect(receiver).toBeUndefined();
  });
});

describe('kind http', () => {
  it('W9 answers the GET for the standalone stream itself, but not the one that resumes', async () => {
    await using home = await openOrigin(fine);
    const guard = guardFor(home.url);
    expect((await guard.fetch(home.url, { headers: { accept: 'text/event-stream' } })).status).toBe(405);
    expect(home.seen).toHaveLength(0);
    expect((await guard.fetch(home.url, { headers: { 'last-event-id': '7' } })).status).toBe(200);
    expect(home.seen[0]?.headers['last-event-id']).toBe('7');
  });
});

describe('kind sse', () => {
  const stream: Handler = (request, response) => {
    if (request.method === 'POST') return response.writeHead(202).end('Accepted');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('event: endpoint\ndata: /messages?s=1\n\n');
    if (request.url === '/ends') response.end();
    if (request.url === '/breaks') setTimeout(() => response.destroy(), 20);
    if (request.url === '/floods') response.write(`data: ${'x'.repeat(20_000)}`);
  };

  it('W8 pins the first POST URL', async () => {
    await using home = await openOrigin(stream);
    const guard = guardFor(home.url, { kind: 'sse' });
    expect((await guard.fetch(new URL('/messages?s=1', home.url), post())).status).toBe(202);
    expect((await guard.fetch(new URL('/messages?s=1', home.url), post())).status).toBe(202);
    for (const moved of ['/messages?s=secret', '/secret', '/messages']) {
      const error = await failureOf(guard.fetch(new URL(moved, home.url), post()));
      expect(error).toMatchObject({ code: 'host-denied', server: 'shop' });
      expect((error as Error).message).not.toContain('secret');
    }
    expect(home.seen).toHaveLength(2);
  });

  it('W8 keeps the POST on the origin and free of user names', async () => {
    await using home = await openOrigin(stream);
    await using away = await openOrigin(stream);
    const guard = guardFor(home.url, { kind: 'sse' });
    const withUser = new URL('/messages', home.url);
    withUser.username = 'secret';
    for (const url of [away.url, withUser, new URL('blob:https://a.example.com/')]) {
      const error = await failureOf(guard.fetch(url, post()));
      expect(error).toMatchObject({ code: 'host-denied' });
      expect((error as Error).message).not.toContain('secret');
    }
    expect([home.seen.length, away.seen.length]).toEqual([0, 0]);
    expect((await guard.fetch(new URL('/fine', home.url), post())).status).toBe(202);
  });

  it.each(['/ends', '/breaks', '/floods'])(
    'W8 tells once when the event stream %s, and opens no other',
    async (path) => {
      await using home = await openOrigin(stream);
      const onStreamEnd = vi.fn(() => {
        throw new Error('a broken listener');
      });
      const guard = guardFor(home.url, { kind: 'sse', onStreamEnd });
      const url = new URL(path, home.url);
      const response = await guard.fetch(url, { headers: { accept: 'text/event-stream' } });
      expect(onStreamEnd).not.toHaveBeenCalled();
      await soon(response.text().catch(() => {}));
      expect(onStreamEnd).toHaveBeenCalledTimes(1);
      const error = await failureOf(guard.fetch(url, { headers: { 'last-event-id': '1' } }));
      expect(error).toMatchObject({ code: 'connect-failed', server: 'shop' });
      expect([home.seen.length, onStreamEnd.mock.calls.length]).toEqual([1, 1]);
    },
  );

  it('W8 a stream that never opened may be asked for again', async () => {
    await using home = await openOrigin((_, response) => response.writeHead(503).end());
    const onStreamEnd = vi.fn();
    const guard = guardFor(home.url, { kind: 'sse', onStreamEnd });
    expect((await guard.fetch(home.url)).status).toBe(503);
    expect((await guard.fetch(home.url)).status).toBe(503);
    expect(onStreamEnd).not.toHaveBeenCalled();
  });

  it('W6 close ends the event stream and tells nobody', async () => {
    await using home = await openOrigin(stream);
    const onStreamEnd = vi.fn();
    const guard = guardFor(home.url, { kind: 'sse', onStreamEnd });
    const response = await guard.fetch(home.url);
    const text = failureOf(response.text());
    guard.close();
    expect(await soon(text)).toMatchObject({ code: 'closed' });
    await soon(home.socketClosed, 1_000);
    expect(onStreamEnd).not.toHaveBeenCalled();
  });

  it('R1 leaves the status of a failed POST, since nobody reads its body over SSE', async () => {
    const error = { jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'no' } };
    await using home = await openOrigin((_, response) => json(response, 400, error));
    const on = exchangeOf();
    const response = await guardFor(home.url, { kind: 'sse', on }).fetch(home.url, post());
    expect([response.status, await response.text()]).toEqual([400, '']);
    expect(on.facts.rpc).toEqual({ code: -32600, id: 'ours', message: 'no' });
  });
});
