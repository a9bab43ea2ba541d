import { describe, expect, it } from 'vitest';
import type { NodeHttp } from '../../../src/testing/faults/node-http.js';
import { faultServer } from '../../../src/testing/faults/server.js';
import { sleep, until } from '../../support/http-host.js';
import { callOf, DONE, EFFECT, messagesOf, modern, openSession, rpc, send, start } from './raw.js';

it('uses no more of Node than it names', async () => {
  const shape: NodeHttp = (await import('node:http')) satisfies NodeHttp;
  expect(shape.createServer).toBeTypeOf('function');
});

describe('tools', () => {
  it('runs the effect and counts it by key, in order', async () => {
    const server = await start([], { sessions: false });
    for (const key of ['a', 'b', 'a']) await send(server.url, callOf('effect', { key }));
    expect([...server.effects]).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(server.effectLog.map(({ key }) => key)).toEqual(['a', 'b', 'a']);
  });

  it('runs an idempotency key once where it deduplicates', async () => {
    for (const deduplicates of [false, true]) {
      const server = await start([], { sessions: false, deduplicates });
      const call = callOf('effect', { key: 'a' }, 1, { idempotencyKey: 'k' });
      expect(messagesOf(await send(server.url, call))).toEqual([DONE]);
      expect(messagesOf(await send(server.url, call))).toEqual([DONE]);
      expect(server.effects.get('a')).toBe(deduplicates ? 1 : 2);
      expect(server.requests[0]).toMatchObject({ key: 'a', idempotencyKey: 'k', tool: 'effect' });
    }
  });

  it('reports progress to a client with a token', async () => {
    const server = await start([], { sessions: false });
    const call = (meta?: object) => send(server.url, callOf('progress', { steps: 2, everyMs: 1 }, 1, meta));
    const messages = messagesOf(await call({ progressToken: 'p' }));
    expect(messages.map(({ params }) => (params as { progress: number } | undefined)?.progress)).toEqual([
      1,
      2,
      undefined,
    ]);
    expect(messagesOf(await call())).toHaveLength(1);
  });

  it('answers added tools with their arguments, and unknown ones with -32602', async () => {
    const server = await start([], { sessions: false, tools: [{ name: 'own', inputSchema: { type: 'object' } }] });
    const call = async (name: string) => messagesOf(await send(server.url, callOf(name, { a: 1 })))[0];
    expect(await call('own')).toMatchObject({ result: { content: [{ text: '{"a":1}' }] } });
    expect(await call('other')).toMatchObject({ error: { code: -32602 } });
    server.setTools([
      { name: 'other', inputSchema: { type: 'object' } },
      { name: 'echo', description: 'changed' },
    ]);
    expect(await call('other')).toMatchObject({ result: {} });
    expect(await call('own')).toMatchObject({ error: { code: -32602 } });
    const [list] = messagesOf(await send(server.url, rpc('tools/list')));
    const { tools } = (list?.result ?? {}) as { tools: { name: string; description?: string }[] };
    expect(tools.map(({ name }) => name)).toEqual(['effect', 'slow', 'progress', 'other', 'echo']);
    expect(tools.at(-1)?.description).toBe('changed');
  });

  it('stops what was cancelled by a notification', async () => {
    const server = await start();
    const { headers } = await openSession(server);
    const slow = send(server.url, callOf('slow', { ms: 60_000 }, 5), { headers });
    await until(() => server.requests.length === 2);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } };
    await send(server.url, cancel, { headers });
    expect(await slow).toMatchObject({ status: 202, body: '' });
    expect(server.cancelled).toMatchObject([{ id: 5, by: 'notification' }]);
  });

  it('stops what the client closed the stream of', async () => {
    const server = await start([], { era: 'modern', format: 'sse' });
    const [body, sent] = modern(callOf('slow', { ms: 60_000 }, 6));
    await send(server.url, body, { ...sent, stopAfterMs: 50 });
    await until(() => server.cancelled.length === 1);
    expect(server.cancelled).toMatchObject([{ id: 6, by: 'stream' }]);
    expect(server.requests[0]).toMatchObject({ ended: true, closedEarly: true });
    expect(server.openSockets()).toBe(0);
  });
});

it('records what arrives', async () => {
  const server = await start([{ match: { tool: 'echo' }, fault: { kind: 'http-error', status: 503 } }]);
  const { headers } = await openSession(server);
  const session = headers['mcp-session-id'];
  await send(server.url, callOf('echo', { message: 'a' }, 'x'), { headers });
  await send(server.url, undefined, { method: 'DELETE', headers });
  await send(server.url, EFFECT, { headers });
  expect(server.requests).toMatchObject([
    { http: 'POST', path: '/mcp', method: 'initialize', id: 1, status: 200, ended: true, closedEarly: false },
    { method: 'tools/call', tool: 'echo', id: 'x', session, fault: 'http-error', status: 503 },
    { http: 'DELETE', session, status: 200 },
    { method: 'tools/call', session, status: 404 },
  ]);
  expect(server.effects.size).toBe(0);
  expect(server.openSessions()).toBe(0);
  server.reset();
  expect(server.requests).toEqual([]);
});

it('does not take what it cut itself for closed by the client', async () => {
  const server = await start([{ match: { tool: 'effect' }, fault: { kind: 'dead-after-headers' } }], {
    sessions: false,
  });
  await send(server.url, EFFECT);
  await until(() => server.requests[0]?.ended === true);
  expect(server.requests[0]).toMatchObject({ closedEarly: false, status: 200 });
  expect(server.cancelled).toEqual([]);
});

it('counts a new plan anew and keeps what was recorded', async () => {
  const plan = [{ match: { nth: 2 }, fault: { kind: 'http-error' } }] as const;
  const server = await start(plan, { sessions: false });
  const status = async () => (await send(server.url, EFFECT)).status;
  expect([await status(), await status()]).toEqual([200, 500]);
  server.script(plan);
  expect([await status(), await status(), await status()]).toEqual([200, 500, 200]);
  expect(server.requests).toHaveLength(5);
  expect(() => server.script([{ match: { every: 0 }, fault: { kind: 'delay' } }])).toThrow(
    expect.objectContaining({ code: 'config' }),
  );
});

describe('sessions', () => {
  it('are insisted on, and forgotten when told', async () => {
    const server = await start();
    expect(await send(server.url, EFFECT)).toMatchObject({ status: 400 });
    const { headers } = await openSession(server);
    expect(await send(server.url, EFFECT, { headers })).toMatchObject({ status: 200 });
    server.expireSessions();
    expect(await send(server.url, EFFECT, { headers })).toMatchObject({ status: 404 });
  });

  it('end with the fault, for good', async () => {
    const server = await start([
      { match: { tool: 'effect', nth: 1 }, fault: { kind: 'session-expired', status: 400 } },
    ]);
    const { headers } = await openSession(server);
    expect(await send(server.url, EFFECT, { headers })).toMatchObject({ status: 400 });
    expect(await send(server.url, EFFECT, { headers })).toMatchObject({ status: 404 });
    expect(server.openSessions()).toBe(0);
  });
});

describe('notices', () => {
  it('go to the GET streams of a legacy server', async () => {
    const server = await start();
    const { headers } = await openSession(server);
    const stream = send(server.url, undefined, { method: 'GET', headers });
    await until(() => server.openStreams() === 1);
    expect(server.broadcast('tools')).toBe(1);
    server.dropStreams();
    const arrived = await stream;
    expect(arrived.end).toBe('complete');
    expect(messagesOf(arrived)).toEqual([{ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }]);
    expect(server.broadcast('tools')).toBe(0);
  });

  it('go to the subscriptions of a modern server that want them', async () => {
    const server = await start([], { era: 'modern' });
    const filter = { toolsListChanged: true };
    const [body, sent] = modern(rpc('subscriptions/listen', { notifications: filter }, 'listen:0'));
    const stream = send(server.url, body, sent);
    await until(() => server.openStreams() === 1);
    expect(server.broadcast('tools')).toBe(1);
    expect(server.broadcast('prompts')).toBe(0);
    // What is cut at once has not left yet.
    await sleep(20);
    server.dropStreams('destroy');
    const arrived = await stream;
    const meta = { 'io.modelcontextprotocol/subscriptionId': 'listen:0' };
    expect(arrived.end).toBe('cut');
    expect(messagesOf(arrived)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: filter, _meta: meta },
      },
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta: meta } },
    ]);
    expect(server.requests[0]).toMatchObject({ closedEarly: false });
  });

  it('come in a storm on their own stream, and a late answer too', async () => {
    const server = await start([
      { match: { tool: 'echo' }, fault: { kind: 'list-changed-storm', count: 3, on: 'notices' } },
      { match: { tool: 'effect' }, fault: { kind: 'late-answer', afterMs: 1 } },
    ]);
    const { headers } = await openSession(server);
    const stream = send(server.url, undefined, { method: 'GET', headers });
    await until(() => server.openStreams() === 1);
    expect(messagesOf(await send(server.url, callOf('echo', { message: 'a' }), { headers }))).toHaveLength(1);
    await send(server.url, EFFECT, { headers, stopAfterMs: 50 });
    await until(() => server.cancelled.length === 1);
    await sleep(30);
    server.dropStreams();
    const messages = messagesOf(await stream);
    expect(messages).toHaveLength(4);
    expect(messages[3]).toEqual(DONE);
  });
});

describe('going away', () => {
  it('restarts on the same port without its sessions', async () => {
    const server = await start();
    const { headers } = await openSession(server);
    const open = send(server.url, undefined, { method: 'GET', headers });
    await until(() => server.openStreams() === 1);
    await Promise.all([server.restart({ downMs: 20 }), server.restart()]);
    expect((await open).end).toBe('cut');
    expect(await send(server.url, EFFECT, { headers })).toMatchObject({ status: 404 });
    const again = await openSession(server);
    await server.restart({ keepSessions: true });
    expect(await send(server.url, EFFECT, again)).toMatchObject({ status: 200 });
    expect(server.requests.some(({ closedEarly }) => closedEarly)).toBe(false);
  });

  it('a new server takes the port of a closed one', async () => {
    const first = await start();
    const port = Number(new URL(first.url).port);
    await first.close();
    const second = await start([], { port, sessions: false });
    expect(second.url).toBe(first.url);
    expect(messagesOf(await send(second.url, EFFECT))).toEqual([DONE]);
    await expect(faultServer([], { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('closes whatever is open, at once and again', async () => {
    const plan = [
      { match: { tool: 'effect', nth: 1 }, fault: { kind: 'silent' } },
      { match: { tool: 'effect', nth: 2 }, fault: { kind: 'endless-line' } },
      { match: { tool: 'effect', nth: 3 }, fault: { kind: 'never-answers' } },
      { match: { tool: 'effect', nth: 4 }, fault: { kind: 'late-answer' } },
    ] as const;
    const server = await start(plan, { sessions: false });
    const calls = [1, 2, 3, 4].map(() => send(server.url, EFFECT));
    calls.push(send(server.url, callOf('slow', { ms: 60_000 })), send(server.url, undefined, { method: 'GET' }));
    await until(() => server.requests.length === 6 && server.openSockets() === 6);
    const begin = Date.now();
    await Promise.all([server.close(), server.close()]);
    await server.close();
    expect(Date.now() - begin).toBeLessThan(1_000);
    expect([server.openSockets(), server.openStreams()]).toEqual([0, 0]);
    for (const { end } of await Promise.all(calls)) expect(end).not.toBe('open');
    expect(server.requests.some(({ closedEarly }) => closedEarly)).toBe(false);
  });

  it('closes while it is down', async () => {
    const server = await start();
    const back = server.restart({ downMs: 60_000 });
    await sleep(20);
    await server.close();
    await back;
    expect(await send(server.url, EFFECT)).toMatchObject({ code: 'ECONNREFUSED' });
    await server.restart();
    expect(await send(server.url, EFFECT)).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

it('refuses what is no message, another place and another method', async () => {
  const server = await start([], { sessions: false });
  expect(messagesOf(await send(server.url, [EFFECT]))).toMatchObject([{ id: null, error: { code: -32700 } }]);
  expect(await send(`${server.url}/else`, EFFECT)).toMatchObject({ status: 404 });
  expect(await send(server.url, undefined, { method: 'PUT' })).toMatchObject({ status: 405 });
  expect(await send(server.url, { jsonrpc: '2.0', method: 'notifications/initialized' })).toMatchObject({
    status: 202,
  });
  expect(messagesOf(await send(server.url, rpc('prompts/list')))).toMatchObject([{ error: { code: -32601 } }]);
});

it('a modern server refuses the old handshake and headers unlike the body', async () => {
  const server = await start([], { era: 'modern' });
  const handshake = await send(server.url, rpc('initialize', { protocolVersion: '2025-11-25' }));
  expect(handshake.status).toBe(400);
  expect(messagesOf(handshake)).toMatchObject([
    { id: 1, error: { code: -32022, data: { supported: ['2026-07-28'] } } },
  ]);
  const [body] = modern(rpc('tools/list'));
  expect(messagesOf(await send(server.url, body))).toMatchObject([{ error: { code: -32020 } }]);
  expect(await send(server.url, undefined, { method: 'GET' })).toMatchObject({ status: 405 });
});

it('there is no SSE transport in 2026-07-28', async () => {
  await expect(faultServer([], { era: 'modern', transport: 'sse' })).rejects.toMatchObject({ code: 'config' });
});
