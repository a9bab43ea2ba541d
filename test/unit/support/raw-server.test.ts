import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../support/http-host.js';
import {
  HANDLED,
  type RawServer,
  type RawServerOptions,
  rawJson,
  rpcError,
  startRawServer,
} from '../../support/raw-server.js';
import { INITIALIZE, names, post, withClient, withClient1 } from './clients.js';

const servers: RawServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
async function start(options: RawServerOptions = {}): Promise<RawServer> {
  const server = await startRawServer({ tools: TOOLS, ...options });
  servers.push(server);
  return server;
}

const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object' as const } });
const TOOLS = [tool('a'), tool('b')];
const LEGACY = { session: false, era: 'legacy' } as const;
const list = (cursor?: unknown) => ({ jsonrpc: '2.0', id: 5, method: 'tools/list', params: { cursor } });

describe.each(['legacy', 'modern', 'both'] as const)('era %s', (era) => {
  it.each(['json', 'sse'] as const)('connects, lists and calls over %s', async (format) => {
    const server = await start({ era, format, instructions: 'read me' });
    await withClient(server.url, async (client) => {
      expect(client.getProtocolEra()).toBe(era === 'legacy' ? 'legacy' : 'modern');
      expect(client.getInstructions()).toBe('read me');
      expect(names(await client.listTools())).toEqual(['a', 'b']);
      const result = await client.callTool({ name: 'a', arguments: { x: 1 } });
      expect(result.content).toEqual([{ type: 'text', text: '{"x":1}' }]);
    });
    expect(server.count('tools/list')).toBe(1);
    expect(server.count('tools/call')).toBe(1);
    expect(server.find('tools/call')).toMatchObject({ http: 'POST', url: '/mcp', status: 200, closedEarly: false });
    expect(server.count('DELETE')).toBe(era === 'legacy' ? 1 : 0);
    expect(server.sessions.size).toBe(0);
  });

  it('reports progress and sees what an abort does', async () => {
    const server = await start({
      era,
      onCall: (_params, ctx) => {
        ctx.progress(1, 2);
        return HANDLED;
      },
    });
    await withClient(server.url, async (client) => {
      const abort = new AbortController();
      const call = client.callTool(
        { name: 'a', arguments: {} },
        { signal: abort.signal, onprogress: () => abort.abort(new Error('enough')) },
      );
      await expect(call).rejects.toThrow();
      if (era === 'legacy') await until(() => server.count('notifications/cancelled') === 1);
      else await until(() => server.find('tools/call')?.closedEarly === true);
    });
  });

  it('answers with protocol errors and overridden statuses', async () => {
    const server = await start({ era, onCall: () => rpcError(-32602, 'no such tool') });
    await withClient(server.url, async (client) => {
      await expect(client.callTool({ name: 'a' })).rejects.toMatchObject({ code: -32602 });
      server.set({ status: { 'tools/call': { status: 500, error: { code: -32603, message: 'down' }, times: 1 } } });
      await expect(client.callTool({ name: 'a' })).rejects.toMatchObject({ status: 500 });
      await expect(client.callTool({ name: 'a' })).rejects.toMatchObject({ code: -32602 });
    });
  });
});

it('works with the 1.x client', async () => {
  const server = await start({ era: 'both' });
  await withClient1(server.url, async (client) => {
    expect(names(await client.listTools())).toEqual(['a', 'b']);
    expect((await client.callTool({ name: 'a', arguments: {} })).content).toEqual([{ type: 'text', text: '{}' }]);
  });
});

it('sends raw JSON text', async () => {
  const text = '[{"name":"x","__proto__":{"n":1e400},"s":"\\ud800","s":2}]';
  const server = await start({ ...LEGACY, tools: rawJson(text) });
  expect(await (await post(server.url, list())).text()).toBe(`{"jsonrpc":"2.0","id":5,"result":{"tools":${text}}}`);
  server.set({ tools: [tool('a'), rawJson('1e400')], onCall: () => rawJson('{"content":[],"n":1e400}') });
  expect(await (await post(server.url, list())).text()).toContain(',1e400]');
  const call = await post(server.url, { jsonrpc: '2.0', id: 'c', method: 'tools/call', params: { name: 'a' } });
  expect(await call.text()).toBe('{"jsonrpc":"2.0","id":"c","result":{"content":[],"n":1e400}}');
});

it('sends pages', async () => {
  const server = await start({ ...LEGACY, pages: [[tool('a')], [tool('b')], [tool('c')]] });
  const page = async (cursor?: unknown) => (await (await post(server.url, list(cursor))).json()) as unknown;
  expect(await page()).toMatchObject({ result: { tools: [{ name: 'a' }], nextCursor: 'page-1' } });
  expect(await page('page-1')).toMatchObject({ result: { tools: [{ name: 'b' }], nextCursor: 'page-2' } });
  expect(await page('page-2')).toEqual({ jsonrpc: '2.0', id: 5, result: { tools: [tool('c')] } });
  expect(await page('none')).toMatchObject({ error: { code: -32602 } });
  server.set({ pages: [{ tools: [tool('a')], nextCursor: '' }, [tool('b')]] });
  expect(await page('')).toEqual({ jsonrpc: '2.0', id: 5, result: { tools: [tool('b')] } });
  server.set({ pages: (cursor) => ({ tools: [], nextCursor: `${cursor ?? ''}x` }) });
  expect(await page('xx')).toMatchObject({ result: { nextCursor: 'xxx' } });
});

it('keeps to its session rule', async () => {
  const server = await start({ era: 'legacy' });
  expect((await post(server.url, list())).status).toBe(400);
  const session = (await post(server.url, INITIALIZE)).headers.get('mcp-session-id') ?? '';
  expect((await post(server.url, list(), { 'mcp-session-id': session })).status).toBe(200);
  server.expireSessions();
  expect((await post(server.url, list(), { 'mcp-session-id': session })).status).toBe(404);
  server.set({ lostSessionStatus: 400 });
  const lost = await post(server.url, list(), { 'mcp-session-id': session });
  expect(lost.status).toBe(400);
  expect(await lost.json()).toMatchObject({ id: null, error: { code: -32000 } });
});

it('refuses what a modern server refuses', async () => {
  const server = await start({ era: 'modern' });
  const refused = await post(server.url, INITIALIZE);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ id: 1, error: { code: -32022, data: { supported: ['2026-07-28'] } } });
  const params = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };
  const mismatch = await post(server.url, { jsonrpc: '2.0', id: 1, method: 'tools/list', params });
  expect(mismatch.status).toBe(400);
  expect(await mismatch.json()).toMatchObject({ error: { code: -32020 } });
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/nothing' };
  const unknown = await post(server.url, { jsonrpc: '2.0', id: 1, method: 'tools/nothing', params }, headers);
  expect(unknown.status).toBe(404);
});

it('broadcasts on notice streams of both eras', async () => {
  const capabilities = { tools: { listChanged: true } };
  for (const era of ['legacy', 'modern'] as const) {
    const server = await start({ era, stream: true, capabilities });
    await withClient(server.url, async (client) => {
      let changed = 0;
      client.setNotificationHandler('notifications/tools/list_changed', () => {
        changed += 1;
      });
      if (era === 'modern') await client.listen({ toolsListChanged: true });
      await until(() => server.broadcast('notifications/tools/list_changed') > 0);
      await until(() => changed > 0);
      server.dropStreams();
    });
  }
});

it('lets a handler drip, hang and close, and closes completely', async () => {
  const server = await start({ ...LEGACY, keepAlive: false });
  await (await post(server.url, list())).text();
  await until(() => server.openSockets() === 0);
  server.set({
    keepAlive: true,
    onCall: (params, ctx) => {
      if (params.name === 'close') ctx.response.destroy();
      else ctx.response.writeHead(200, { 'content-type': 'application/json' }).write(' ');
      return HANDLED;
    },
  });
  const call = (name: string) => post(server.url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } });
  await expect(call('close')).rejects.toThrow();
  const dripping = await call('drip');
  expect(server.pending()).toBe(1);
  expect(server.openSockets()).toBe(1);
  const body = expect(dripping.text()).rejects.toThrow();
  await server.close();
  await body;
  expect(server.openSockets()).toBe(0);
});

it('is controlled over HTTP and by onRequest', async () => {
  const server = await start({
    ...LEGACY,
    onRequest: (request, response) => {
      if (request.headers.authorization === undefined) return false;
      response.writeHead(307, { location: '/elsewhere' }).end();
      return true;
    },
  });
  await post(server.url, list());
  const redirected = await fetch(server.url, { headers: { authorization: 'x' }, redirect: 'manual' });
  expect(redirected.status).toBe(307);
  const requests = (await (await fetch(`${server.origin}/__requests`)).json()) as unknown[];
  expect(requests).toMatchObject([
    { http: 'POST', method: 'tools/list', id: 5 },
    { http: 'GET', url: '/mcp' },
  ]);
  await fetch(`${server.origin}/__reset`, { method: 'POST' });
  expect(server.requests).toEqual([]);
});
