import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/testing/faults/plan.js';
import { sleep, until } from '../../support/http-host.js';
import { type Arrived, callOf, DONE, EFFECT, messagesOf, modern, rpc, send, start, startWith } from './raw.js';

const PROGRESS = (step: number, total?: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: 1, progress: step, ...(total === undefined ? {} : { total }) },
});

/** What is seen of a fault: the end, the status, and the messages. */
const seen = (arrived: Arrived) => ({
  end: arrived.end,
  status: arrived.status,
  messages: messagesOf(arrived),
});

describe.each(['json', 'sse'] as const)('without an answer, with format %s', (format) => {
  const type = format === 'json' ? 'application/json' : 'text/event-stream';

  it('dead before the headers', async () => {
    const server = await startWith({ kind: 'dead-before-headers' }, { format });
    expect(await send(server.url, EFFECT)).toMatchObject({ end: 'no-head', code: 'ECONNRESET' });
    expect(server.effects.get('a')).toBe(1);
  });

  it('dead after the headers', async () => {
    const server = await startWith({ kind: 'dead-after-headers' }, { format });
    const arrived = await send(server.url, EFFECT);
    expect(arrived).toMatchObject({ end: 'cut', status: 200, body: '' });
    expect(arrived.headers['content-type']).toBe(type);
  });

  it('dead after an event', async () => {
    const server = await startWith({ kind: 'dead-after-event', events: 2 }, { format });
    expect(seen(await send(server.url, EFFECT))).toEqual({
      end: 'cut',
      status: 200,
      messages: [PROGRESS(1), PROGRESS(2)],
    });
  });

  it('half closed', async () => {
    const server = await startWith({ kind: 'half-closed', events: 1 }, { format });
    expect(seen(await send(server.url, EFFECT))).toEqual({ end: 'complete', status: 200, messages: [PROGRESS(1)] });
  });

  it('silent', async () => {
    const server = await startWith({ kind: 'silent' }, { format });
    expect(await send(server.url, EFFECT, { stopAfterMs: 100 })).toMatchObject({ end: 'open', status: 0 });
  });

  it('never answers', async () => {
    const server = await startWith({ kind: 'never-answers' }, { format });
    const arrived = await send(server.url, EFFECT, { stopAfterMs: 100 });
    expect(arrived).toMatchObject({ end: 'open', status: 200, body: '' });
    expect(arrived.headers['content-type']).toBe('text/event-stream');
  });

  it('an endless line', async () => {
    const server = await startWith({ kind: 'endless-line', chunkBytes: 1_000, everyMs: 0 }, { format });
    const { end, body } = await send(server.url, EFFECT, { stopAtBytes: 50_000 });
    expect(end).toBe('open');
    expect(body).toMatch(/^event: message\ndata: x{49000,}$/);
    await until(() => server.openStreams() === 0);
  });

  it('an endless line stops at its bound', async () => {
    const server = await startWith({ kind: 'endless-line', chunkBytes: 10, everyMs: 0, maxBytes: 30 }, { format });
    const { end, body } = await send(server.url, EFFECT, { stopAfterMs: 200 });
    expect({ end, body }).toEqual({ end: 'open', body: `event: message\ndata: ${'x'.repeat(30)}` });
  });
});

describe('when the effect happens', () => {
  const at = async (fault: Fault) => {
    const server = await startWith(fault);
    await send(server.url, EFFECT);
    await sleep(30);
    return server.effects.get('a') ?? 0;
  };
  it.each<[number, Fault]>([
    [1, { kind: 'dead-before-headers' }],
    [1, { kind: 'dead-before-headers', effect: 'after' }],
    [0, { kind: 'dead-before-headers', effect: 'none' }],
    [0, { kind: 'http-error' }],
    [1, { kind: 'http-error', effect: 'before' }],
    [1, { kind: 'http-error', effect: 'after' }],
    [1, { kind: 'wrong-id' }],
    [1, { kind: 'duplicate-answer' }],
  ])('%i times in %o', async (count, fault) => {
    expect(await at(fault)).toBe(count);
  });
});

describe('answers of HTTP', () => {
  const error = (id: unknown, code: number) =>
    expect.objectContaining({ ...(id === undefined ? {} : { id }), error: expect.objectContaining({ code }) });

  it.each<[Fault, object]>([
    [{ kind: 'not-json' }, { status: 200, body: expect.stringContaining('<html>') }],
    [
      { kind: 'not-json', status: 201, body: '{"a"', contentType: 'application/json' },
      { status: 201, body: '{"a"', headers: expect.objectContaining({ 'content-type': 'application/json' }) },
    ],
    [{ kind: 'empty-200' }, { status: 200, body: '' }],
    [{ kind: 'accepted-202' }, { status: 202, body: '' }],
    [{ kind: 'http-error' }, { status: 500, body: '' }],
    [
      { kind: 'http-error', status: 404, body: 'html' },
      { status: 404, body: expect.stringContaining('<html>') },
    ],
    [
      { kind: 'http-error', status: 429, body: 'text' },
      { status: 429, body: 'Sorry.' },
    ],
    [
      { kind: 'http-error', status: 503, body: 'json' },
      { status: 503, body: '{"error":"sorry"}' },
    ],
    [
      { kind: 'unauthorized' },
      { status: 401, headers: expect.objectContaining({ 'www-authenticate': 'Bearer' }), body: '' },
    ],
    [
      { kind: 'unauthorized', status: 403 },
      { status: 403, headers: expect.not.objectContaining({ 'www-authenticate': 'Bearer' }) },
    ],
    [{ kind: 'redirect' }, { status: 307, headers: expect.objectContaining({ location: '/mcp?redirected' }) }],
    [
      { kind: 'redirect', status: 302, location: 'http://example.com/' },
      { status: 302, headers: expect.objectContaining({ location: 'http://example.com/' }) },
    ],
    [
      { kind: 'session-expired', id: 'none' },
      { status: 404, body: '' },
    ],
  ])('%o', async (fault, expected) => {
    const server = await startWith(fault);
    expect(await send(server.url, EFFECT)).toMatchObject({ end: 'complete', ...expected });
  });

  it.each<[Fault, number, unknown]>([
    [{ kind: 'rpc-error' }, 200, error(1, -32603)],
    [{ kind: 'rpc-error', status: 400, code: -32000, id: 'null' }, 400, error(null, -32000)],
    [{ kind: 'rpc-error', status: 404, code: -32601, id: 'other' }, 404, error(1_001, -32601)],
    [{ kind: 'rpc-error', status: 500, id: 'absent' }, 500, error(undefined, -32603)],
    [{ kind: 'session-expired' }, 404, error(null, -32001)],
    [{ kind: 'session-expired', status: 400 }, 400, error(null, -32000)],
    [{ kind: 'header-mismatch' }, 400, error(1, -32020)],
    [{ kind: 'unsupported-version' }, 400, error(1, -32022)],
  ])('%o', async (fault, status, message) => {
    const server = await startWith(fault);
    expect(seen(await send(server.url, EFFECT))).toEqual({ end: 'complete', status, messages: [message] });
  });

  it('an error without an id has none', async () => {
    const server = await startWith({ kind: 'rpc-error', id: 'absent', message: 'm', data: { a: 1 } });
    const [message] = messagesOf(await send(server.url, EFFECT));
    expect(message).toEqual({ jsonrpc: '2.0', error: { code: -32603, message: 'm', data: { a: 1 } } });
  });

  it('an error with status 200 comes on an event stream where answers do', async () => {
    const server = await startWith({ kind: 'rpc-error' }, { format: 'sse' });
    const arrived = await send(server.url, EFFECT);
    expect(arrived.headers['content-type']).toBe('text/event-stream');
    expect(messagesOf(arrived)).toEqual([error(1, -32603)]);
  });

  it('what a redirect leads to is answered', async () => {
    const server = await startWith({ kind: 'redirect' });
    const { headers } = await send(server.url, EFFECT);
    const arrived = await send(new URL(String(headers.location), server.url).href, EFFECT);
    expect(messagesOf(arrived)).toEqual([DONE]);
    expect(server.requests.map(({ fault }) => fault)).toEqual(['redirect', undefined]);
  });
});

describe.each(['json', 'sse'] as const)('wrong or late answers, with format %s', (format) => {
  it.each<[Fault, object[]]>([
    [{ kind: 'wrong-id' }, [{ ...DONE, id: 1_001 }]],
    [{ kind: 'other-id-type' }, [{ ...DONE, id: '1' }]],
    [{ kind: 'duplicate-answer' }, [DONE, DONE]],
    [{ kind: 'odd-result-type' }, [{ ...DONE, result: { ...DONE.result, resultType: 'unheard-of' } }]],
    [{ kind: 'progress-flood', count: 3 }, [PROGRESS(1, 3), PROGRESS(2, 3), PROGRESS(3, 3), DONE]],
    [
      { kind: 'list-changed-storm', count: 2 },
      [
        { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
        { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
        DONE,
      ],
    ],
  ])('%o', async (fault, messages) => {
    const server = await startWith(fault, { format });
    expect(seen(await send(server.url, EFFECT))).toEqual({ end: 'complete', status: 200, messages });
  });

  it('an oversized body', async () => {
    const server = await startWith({ kind: 'oversized-body', bytes: 100_000 }, { format });
    const arrived = await send(server.url, EFFECT);
    expect(arrived.body.length).toBeGreaterThan(100_000);
    expect(messagesOf(arrived)).toMatchObject([{ id: 1 }]);
  });

  it('a slow drip', async () => {
    const server = await startWith({ kind: 'slow-drip', bytes: 10, everyMs: 10 }, { format });
    const arrived = await send(server.url, EFFECT);
    expect(seen(arrived)).toEqual({ end: 'complete', status: 200, messages: [DONE] });
    expect(arrived.ms).toBeGreaterThan(50);
  });

  it('a delay', async () => {
    const server = await startWith({ kind: 'delay', ms: 80 }, { format });
    const before = Date.now();
    expect(seen(await send(server.url, EFFECT))).toMatchObject({ messages: [DONE] });
    expect(Date.now() - before).toBeGreaterThanOrEqual(75);
  });

  it('an answer after the client cancelled', async () => {
    const server = await startWith({ kind: 'late-answer', afterMs: 5 }, { format });
    const answer = send(server.url, EFFECT);
    await until(() => server.effects.get('a') === 1);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect(await send(server.url, cancel)).toMatchObject({ status: 202 });
    expect(seen(await answer)).toMatchObject({ end: 'complete', messages: [DONE] });
    expect(server.cancelled).toMatchObject([{ id: 1, by: 'notification' }]);
  });
});

it('result types are there in 2026-07-28, and can be left out', async () => {
  const server = await start([{ match: { nth: 2 }, fault: { kind: 'no-result-type' } }], { era: 'modern' });
  const list = async () => messagesOf(await send(server.url, ...modern(rpc('tools/list'))))[0]?.result;
  expect(await list()).toMatchObject({ resultType: 'complete', tools: expect.any(Array) });
  expect(await list()).not.toHaveProperty('resultType');
});

it('pages without end', async () => {
  const server = await start([{ match: { method: 'tools/list', times: 2 }, fault: { kind: 'endless-pages' } }], {
    sessions: false,
  });
  const page = async (cursor?: string) => {
    const [message] = messagesOf(await send(server.url, rpc('tools/list', cursor === undefined ? {} : { cursor })));
    return message;
  };
  expect(await page()).toMatchObject({ result: { tools: [{ name: 'effect' }, {}, {}, {}], nextCursor: 'page-1' } });
  expect(await page('page-1')).toMatchObject({ result: { tools: [{ name: 'page_1_1' }], nextCursor: 'page-2' } });
  // After the fault its cursors lead to an end, and others nowhere.
  expect(await page('page-2')).toEqual({ jsonrpc: '2.0', id: 1, result: { tools: [] } });
  expect(await page('')).toMatchObject({ error: { code: -32602 } });
});

it('refuses connections for a while and comes back on its port', async () => {
  const server = await startWith({ kind: 'refuse-connections', forMs: 150, effect: 'none' });
  expect(await send(server.url, EFFECT)).toMatchObject({ end: 'no-head' });
  expect(await send(server.url, EFFECT)).toMatchObject({ end: 'no-head', code: 'ECONNREFUSED' });
  await sleep(250);
  expect(messagesOf(await send(server.url, callOf('echo', { message: 'b' })))).toMatchObject([{ id: 1 }]);
  expect(server.effects.size).toBe(0);
});

it('a seeded run gives the same answers twice', async () => {
  const run = async () => {
    const weights = { none: 2, 'http-error': 1, 'wrong-id': 1, 'dead-before-headers': 1, 'half-closed': 1 };
    const server = await start({ random: { seed: 42, weights } }, { sessions: false });
    const ends: string[] = [];
    for (let index = 0; index < 30; index++) {
      const { end, status } = await send(server.url, callOf('effect', { key: `k${index}` }, index));
      ends.push(`${end} ${status}`);
    }
    return { ends, faults: server.requests.map(({ fault }) => fault), effects: [...server.effects] };
  };
  const first = await run();
  expect(await run()).toEqual(first);
  expect(new Set(first.faults).size).toBeGreaterThan(3);
});
