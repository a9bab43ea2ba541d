import { describe, expect, it } from 'vitest';
import { McpClosedError } from '../../../src/core/errors.js';
import { EXCHANGE_HEADER } from '../../../src/guard/exchange.js';
import type { Handler } from './fixtures.js';
import { countedSignal, exchangeOf, failureOf, guardFor, json, openOrigin, post, soon } from './fixtures.js';

const hangs: Handler = () => {};
const hangsInBody: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('data: 1\n\n');
};

describe('signals', () => {
  const ways: [string, Handler, (response: Response) => Promise<unknown>][] = [
    ['a body is read', (_, response) => json(response, 200, {}), (response) => response.json()],
    ['a body is cancelled', hangsInBody, async (response) => response.body?.cancel()],
    ['there is no body', (_, response) => response.writeHead(204).end(), async () => {}],
    ['an error body is dropped', (_, response) => response.writeHead(500).end('x'), async () => {}],
    [
      'an error becomes an answer',
      (_, response) => json(response, 400, { jsonrpc: '2.0', id: 1, error: { code: 1, message: '' } }),
      async () => {},
    ],
    [
      'a body is over the cap',
      (_, response) => json(response, 200, 'x'.repeat(20_000)),
      (response) => failureOf(response.text()),
    ],
    [
      'a connection is lost',
      (_, response) => {
        response.writeHead(200).write('x', () => response.destroy());
      },
      (response) => failureOf(response.text()),
    ],
  ];
  it.each(ways)('W6 leaves no listener when %s', async (_, handler, use) => {
    await using home = await openOrigin(handler);
    const counted = countedSignal();
    const on = exchangeOf({ signal: counted.controller.signal });
    await use(await guardFor(home.url, { on }).fetch(home.url, post()));
    expect([counted.added(), counted.listeners()]).toEqual([1, 0]);
  });

  it('W6 leaves no listener when the guard refuses or the network fails', async () => {
    const home = await openOrigin(hangs);
    await home[Symbol.asyncDispose]();
    for (const url of [home.url, new URL('http://10.0.0.1/')]) {
      const counted = countedSignal();
      const on = exchangeOf({ signal: counted.controller.signal });
      await failureOf(guardFor(url, { on }).fetch(url, post()));
      expect([counted.added(), counted.listeners()]).toEqual([1, 0]);
    }
  });

  it.each([
    ['before the head', hangs],
    ['in the body', hangsInBody],
  ])('W9 the exchange ends its own request %s and closes the socket', async (_, handler) => {
    await using home = await openOrigin(handler);
    const counted = countedSignal();
    const on = exchangeOf({ signal: counted.controller.signal });
    const reason = Object.assign(new Error('mine'), { code: 'NOT_A_NETWORK_CODE' });
    const failed = failureOf(
      guardFor(home.url, { on })
        .fetch(home.url, post())
        .then((response) => response.text()),
    );
    await until(() => home.seen.length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    counted.controller.abort(reason);
    expect(await soon(failed)).toBe(reason);
    await soon(home.socketClosed);
    expect(counted.listeners()).toBe(0);
    expect(on.facts.failure).toBeUndefined();
    expect(on.facts.networkCode).toBeUndefined();
  });

  it('W9 an abort while an error body is read ends the request', async () => {
    await using home = await openOrigin((_, response) => {
      response.writeHead(500, { 'content-type': 'application/json' }).write('{');
    });
    const controller = new AbortController();
    const on = exchangeOf({ signal: controller.signal });
    const failed = failureOf(guardFor(home.url, { on }).fetch(home.url, post()));
    await until(() => on.facts.status === 500);
    controller.abort('mine');
    expect(await soon(failed)).toBe('mine');
    await soon(home.socketClosed);
  });

  it('W9 an abort ends the reading of an error body that does not heed the signal', async () => {
    const controller = new AbortController();
    const on = exchangeOf({ signal: controller.signal });
    const url = new URL('https://a.example.com/');
    const body = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const answer = new Response(body, { status: 500, headers: { 'content-type': 'application/json' } });
    const failed = failureOf(guardFor(url, { on, fetch: () => Promise.resolve(answer) }).fetch(url, post()));
    await until(() => on.facts.status === 500);
    controller.abort('mine');
    expect(await soon(failed)).toBe('mine');
  });

  it('W9 sends nothing for an exchange that has already ended', async () => {
    await using home = await openOrigin(hangs);
    const on = exchangeOf({ signal: AbortSignal.abort('mine') });
    expect(await failureOf(guardFor(home.url, { on }).fetch(home.url, post()))).toBe('mine');
    expect([home.seen.length, on.facts.sent]).toEqual([0, false]);
  });

  it('W9 one exchange ends alone', async () => {
    await using home = await openOrigin((_, response, { headers }) => {
      if (headers['x-hang'] === undefined) json(response, 200, { fine: true });
    });
    const controller = new AbortController();
    const first = exchangeOf({ signal: controller.signal });
    const guard = guardFor(home.url, { exchange: (key) => (key === 'first' ? first : exchangeOf()) });
    const hung = failureOf(guard.fetch(home.url, post({ [EXCHANGE_HEADER]: 'first', 'x-hang': '1' })));
    const other = guard.fetch(home.url, post());
    controller.abort('mine');
    expect(await hung).toBe('mine');
    expect(await (await other).json()).toEqual({ fine: true });
  });

  it.each([post(), { method: 'DELETE' }])('W9 does not use a signal of the caller', async (init) => {
    await using home = await openOrigin((_, response) => json(response, 200, {}));
    const counted = countedSignal();
    counted.controller.abort();
    const guard = guardFor(home.url, { on: exchangeOf() });
    expect((await guard.fetch(home.url, { ...init, signal: counted.controller.signal })).status).toBe(200);
    expect(counted.added()).toBe(0);
  });

  it('W9 throws away the answer of a fetch that does not heed its signal', async () => {
    const controller = new AbortController();
    const on = exchangeOf({ signal: controller.signal });
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const url = new URL('https://a.example.com/');
    const fetch = async (): Promise<Response> => {
      controller.abort('mine');
      return new Response(body);
    };
    expect(await failureOf(guardFor(url, { on, fetch }).fetch(url, post()))).toBe('mine');
    expect(cancelled).toBe(true);
  });
});

describe('close', () => {
  it('W6 leaves finished requests alone', async () => {
    await using home = await openOrigin((_, response) => json(response, 200, {}));
    const on = exchangeOf();
    const guard = guardFor(home.url, { on });
    await (await guard.fetch(home.url, post())).text();
    guard.close();
    expect(on.facts.failure).toBeUndefined();
  });

  it.each([
    ['before the head', hangs],
    ['in the body', hangsInBody],
  ])('W6 ends a request %s and its socket', async (_, handler) => {
    await using home = await openOrigin(handler);
    const counted = countedSignal();
    const on = exchangeOf({ signal: counted.controller.signal });
    const guard = guardFor(home.url, { on });
    const failed = failureOf(guard.fetch(home.url, post()).then((response) => response.text()));
    const plain = failureOf(guard.fetch(home.url, { method: 'POST', body: '{}' }).then((response) => response.text()));
    await until(() => home.seen.length === 2);
    guard.close();
    guard.close();
    expect(await soon(failed)).toBeInstanceOf(McpClosedError);
    expect(await soon(plain)).toBeInstanceOf(McpClosedError);
    expect(on.facts.failure).toBeInstanceOf(McpClosedError);
    expect(on.facts.networkCode).toBeUndefined();
    await soon(home.socketClosed, 1_000);
    expect(counted.listeners()).toBe(0);
  });

  it('W6 refuses every later request', async () => {
    await using home = await openOrigin((_, response) => json(response, 200, {}));
    const guard = guardFor(home.url);
    guard.close();
    for (const init of [post(), { method: 'DELETE' }, { method: 'GET' }]) {
      expect(await failureOf(guard.fetch(home.url, init))).toMatchObject({ code: 'closed', server: 'shop' });
    }
    expect(home.seen).toHaveLength(0);
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries > 500) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
