import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { McpLimitError } from '../../../src/core/errors.js';
import type { Handler } from './fixtures.js';
import { exchangeOf, failureOf, guardFor, json, openOrigin, post, soon } from './fixtures.js';

const MAX = 100_000;
const limits = { responseBytes: MAX, redirects: 5 };
const repeat =
  (head: string, text: string): Handler =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(head);
    const more = (): void => {
      if (!response.destroyed) response.write(text, () => setImmediate(more));
    };
    more();
  };
const endless: [string, Handler][] = [
  ['line', repeat('data: ', 'x'.repeat(1_000))],
  ['run of comments', repeat('', ': ping\n'.repeat(100))],
  ['run of comments after an event', repeat('data: 1\n\n', ': ping\r\n'.repeat(100))],
  [
    'JSON body',
    (request, response) => {
      repeat('', 'x'.repeat(1_000))(request, response, { method: '', path: '', headers: {}, body: '' });
    },
  ],
];

describe('caps over the network', () => {
  it.each(endless)('G6 cuts an endless %s, rejects with limit and closes the socket', async (_, handler) => {
    await using home = await openOrigin(handler);
    const on = exchangeOf();
    const response = await guardFor(home.url, { on, limits }).fetch(home.url, post());
    const error = await soon(failureOf(response.text()));
    expect(error).toBeInstanceOf(McpLimitError);
    expect(error).toMatchObject({ code: 'limit', limit: 'responseBytes', max: MAX, server: 'shop' });
    expect(on.facts.failure).toBe(error);
    await soon(home.socketClosed);
  });

  it('G6 counts after decompression: a small gzip of a large body', async () => {
    const bomb = gzipSync(new Uint8Array(20_000_000));
    expect(bomb.byteLength).toBeLessThan(MAX);
    await using home = await openOrigin((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb);
    });
    const on = exchangeOf();
    const response = await guardFor(home.url, { on, limits }).fetch(home.url, post());
    expect(await soon(failureOf(response.json()))).toMatchObject({ code: 'limit' });
    expect(on.facts.failure).toMatchObject({ code: 'limit' });
  });

  it('G6 hands on a decoded body without its old coding and length', async () => {
    await using home = await openOrigin((_, response) => {
      const body = gzipSync('{"ok":true}');
      const headers = {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'content-length': body.byteLength,
      };
      response.writeHead(200, { ...headers, 'mcp-session-id': 's1' }).end(body);
    });
    const response = await guardFor(home.url).fetch(home.url, post());
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'mcp-session-id': 's1',
    });
    expect(response.headers.has('content-encoding')).toBe(false);
    expect(response.headers.has('content-length')).toBe(false);
    expect(await response.json()).toEqual({ ok: true });
  });

  it('G6 lets a long stream of small events live', async () => {
    await using home = await openOrigin((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.end(`data: ${'x'.repeat(1_000)}\n\n`.repeat(500));
    });
    const on = exchangeOf();
    const response = await guardFor(home.url, { on, limits }).fetch(home.url, post());
    expect((await response.text()).length).toBe(500 * 1_008);
    expect(on.facts).toMatchObject({ status: 200, body: 'event-stream' });
  });

  it('G6 caps the error body of a call', async () => {
    await using home = await openOrigin((_, response) => json(response, 500, 'x'.repeat(MAX)));
    const on = exchangeOf();
    const error = await failureOf(guardFor(home.url, { on, limits }).fetch(home.url, post()));
    expect(error).toMatchObject({ code: 'limit', limit: 'responseBytes' });
    expect(on.facts.failure).toBe(error);
  });

  it('G6 closes the connection when the consumer cancels', async () => {
    await using home = await openOrigin(repeat('', 'data: 1\n\n'));
    const response = await guardFor(home.url, { limits }).fetch(home.url, post());
    await response.body?.cancel();
    await soon(home.socketClosed);
  });
});
