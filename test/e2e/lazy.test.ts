import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpTransport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport as InMemoryTransport1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import type { McpToolsOptions, McpToolsSource } from '../../src/index.js';
import { connectMcp, createMcpTools } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import { HANDLED } from '../support/raw-server.js';
import { namesOf } from './rig.js';
import { createKit, custom, fakeTransport, http, rejection, tool, within } from './wiring-kit.js';

const kit = createKit();
const handle = (source: McpToolsSource, options: McpToolsOptions = {}) =>
  kit.keep(createMcpTools(source, { onDiagnostic: kit.listen, ...options }));
const ADD = { description: 'Adds.', inputSchema: { a: z.number(), b: z.number() } };

/** A real server of the 2.x packages on the other end of an in-process transport. */
async function inMemory(): Promise<InMemoryTransport> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = new McpServer({ name: 'mem', version: '1.0.0' });
  server.registerTool('add', { ...ADD, inputSchema: z.object(ADD.inputSchema) }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  await server.connect(far);
  kit.keep(server);
  return near;
}

/** The same of the 1.x SDK. */
async function inMemory1(): Promise<InMemoryTransport1> {
  const [near, far] = InMemoryTransport1.createLinkedPair();
  const server = new McpServer1({ name: 'mem1', version: '1.0.0' });
  server.registerTool('add', ADD, async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }));
  await server.connect(far);
  kit.keep(server);
  return near;
}

async function client2(url: string): Promise<Client> {
  const client = kit.keep(new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}

async function client1(url: string): Promise<Client1> {
  const client = kit.keep(new Client1({ name: 'host', version: '1.0.0' }));
  await client.connect(new HttpTransport1(new URL(url)) as Parameters<Client1['connect']>[0]);
  return client;
}

async function text(call: Promise<{ content: readonly object[] }>): Promise<unknown> {
  return ((await call).content[0] as { text?: unknown }).text;
}

describe('before the first use', () => {
  it('W10 neither handle does any I/O, nor does closing one that was not used', async () => {
    const server = await kit.raw();
    let connects = 0;
    const counted = custom('c', () => {
      connects += 1;
      return fakeTransport();
    });
    const tools = createMcpTools(http('s', server));
    const client = await connectMcp(http('s', server));
    const others = [createMcpTools(counted), await connectMcp(counted), createMcpTools(fakeTransport())];
    await sleep(50);
    expect(server.openSockets()).toBe(0);
    for (const each of [tools, client, ...others]) {
      await each.close();
      await each.close();
    }
    expect(await rejection(tools.tools())).toMatchObject({ code: 'closed' });
    expect(await rejection(client.callTool('a'))).toMatchObject({ code: 'closed' });
    expect(server.requests).toEqual([]);
    expect(server.openSockets()).toBe(0);
    expect(connects).toBe(0);
  });

  it('W10 uses at the same time connect once', async () => {
    const server = await kit.raw({ era: 'modern', latencyMs: 20 });
    const tools = handle(http('s', server));
    const [first, second, summaries] = await Promise.all([tools.tools(), tools.tools(), tools.describeTools()]);
    expect(first).toBe(second);
    expect(summaries.map(({ name }) => name)).toEqual(['s__a', 'mcp__read_result']);
    expect(server.requests.map(({ method }) => method)).toEqual(['server/discover', 'tools/list']);
    const client = kit.keep(await connectMcp(http('s', server)));
    await Promise.all([client.listTools(), client.callTool('a'), client.callTool('a')]);
    expect(server.count('server/discover')).toBe(2);
    expect(server.count('tools/list')).toBe(2);
  });

  it('W10 a connect that failed is tried again at the next use', async () => {
    const server = await kit.raw({ status: { 'server/discover': 503, initialize: 503 } });
    const tools = handle(http('s', server));
    const client = kit.keep(await connectMcp(http('s', server)));
    for (const use of [tools.tools, tools.describeTools, client.listTools, () => client.callTool('a')]) {
      server.reset();
      expect(await rejection(use())).toMatchObject({ code: 'connect-failed', server: 's' });
      expect(server.requests.length).toBeGreaterThan(0);
    }
    server.set({ status: {} });
    expect(namesOf(await tools.tools())).toEqual(['s__a']);
    expect(await text(client.callTool('a', { q: 'x' }))).toBe('{"q":"x"}');
  });
});

describe('over whatever a host has', () => {
  it('W10 a configuration, with a prefix and a name for the client', async () => {
    const server = await kit.raw({ era: 'legacy' });
    const tools = handle(http('s', server), { prefix: 'p_', info: { name: 'mine', version: '9.9.9' } });
    expect(namesOf(await tools.tools())).toEqual(['p_a']);
    expect(server.find('initialize')!.params).toMatchObject({ clientInfo: { name: 'mine', version: '9.9.9' } });
    const named = kit.keep(await connectMcp(http('s', server), { name: 'other', version: '1.1.1' }));
    server.reset();
    expect((await named.listTools()).map(({ name }) => name)).toEqual(['a']);
    expect(server.find('initialize')!.params).toMatchObject({ clientInfo: { name: 'other', version: '1.1.1' } });
    const plain = handle(http('s', server), { prefix: '' });
    expect(namesOf(await plain.tools())).toEqual(['a']);
  });

  it.each([
    ['2.x', inMemory],
    ['1.x', inMemory1],
  ] as const)('W10 an in-process transport of the %s line', async (_, make) => {
    const tools = handle((await make()) as McpToolsSource);
    const map = await tools.tools();
    expect(namesOf(map)).toEqual(['add']);
    expect(await text(map.add!.execute({ a: 2, b: 3 }))).toBe('5');
    const client = kit.keep(await connectMcp((await make()) as never));
    expect(await text(client.callTool('add', { a: 4, b: 5 }))).toBe('9');
    expect((await client.listTools())[0]).toMatchObject({ name: 'add', description: 'Adds.', state: 'active' });
  });

  it.each([
    ['2.x', (url: string) => new StreamableHTTPClientTransport(new URL(url))],
    ['1.x', (url: string) => new HttpTransport1(new URL(url))],
  ] as const)('W10 an HTTP transport of the %s line', async (_, make) => {
    for (const era of ['legacy', 'both'] as const) {
      const server = await kit.raw({ era });
      const tools = handle(make(server.url) as McpToolsSource, { prefix: 't_', timeoutMs: 5_000 });
      const map = await tools.tools();
      expect(await text(map.t_a!.execute({ q: 1 }))).toBe('{"q":1}');
      await tools.close();
      expect(await rejection(map.t_a!.execute({}))).toMatchObject({ code: 'closed' });
    }
  });

  it.each([
    ['2.x', 'legacy', client2],
    ['2.x', 'modern', client2],
    ['1.x', 'legacy', client1],
  ] as const)('W10 a connected client of the %s line (%s)', async (_, era, connect) => {
    const server = await kit.raw({
      era,
      tools: [tool('a'), tool('bad'), tool('rpc'), tool('hang')],
      onCall: ({ name, arguments: args }, ctx) => {
        if (name === 'hang') return HANDLED;
        if (name === 'bad') return { content: [{ type: 'text', text: 'no' }], isError: true };
        if (name === 'rpc') {
          ctx.fail(-32050, 'broken');
          return HANDLED;
        }
        return { content: [{ type: 'text', text: JSON.stringify(args) }] };
      },
    });
    const client = await connect(server.url);
    const tools = handle(client as McpToolsSource);
    const map = await tools.tools();
    expect(namesOf(map)).toEqual(['a', 'bad', 'hang', 'rpc']);
    expect(await map.a!.execute({ q: 1 })).toEqual({ content: [{ type: 'text', text: '{"q":1}' }] });
    expect(await rejection(map.bad!.execute({}))).toMatchObject({ code: 'tool-error', message: 'MCP tool error: no' });
    expect(await rejection(map.rpc!.execute({}))).toMatchObject({ code: 'protocol', rpcCode: -32050 });
    const reason = new Error('enough');
    const abort = new AbortController();
    const hanging = rejection(map.hang!.execute({}, { abortSignal: abort.signal }));
    await until(() => server.requests.some(({ method, closed }) => method === 'tools/call' && !closed));
    abort.abort(reason);
    const error = await within(3_000, hanging);
    expect(error).toMatchObject({ code: 'aborted' });
    expect((error as { reason: unknown }).reason).toBe(reason);
    // The client is the host's own and stays open.
    await tools.close();
    expect(await rejection(map.a!.execute({}))).toMatchObject({ code: 'closed' });
    expect((await client.listTools()).tools).toHaveLength(4);
  });

  it('W10 a client of the real server', async () => {
    for (const connect of [client1, client2]) {
      const map = await handle((await connect(inject('everythingHttpUrl'))) as McpToolsSource).tools();
      expect(await text(map.echo!.execute({ message: 'hi' }))).toContain('hi');
    }
  });

  it('W10 a handle of connectMcp: what it lists is shown, aborts and keys reach its server', async () => {
    const server = await kit.raw({
      era: 'modern',
      tools: [tool('a'), tool('hang')],
      onCall: ({ name }) => (name === 'hang' ? HANDLED : { content: [], structuredContent: { fine: true } }),
    });
    const inner = kit.keep(await connectMcp(http('s', server)));
    const tools = handle(inner, { prefix: 'h_' });
    expect(server.requests).toEqual([]);
    const map = await tools.tools();
    expect(namesOf(map)).toEqual(['h_a', 'h_hang']);
    expect(await map.h_a!.execute({}, { idempotencyKey: 'key-1' })).toEqual({
      content: [],
      structuredContent: { fine: true },
    });
    expect(server.find('tools/call')!.params).toMatchObject({ _meta: { idempotencyKey: 'key-1' } });
    server.reset();
    const abort = new AbortController();
    const hanging = rejection(map.h_hang!.execute({}, { abortSignal: abort.signal }));
    await until(() => server.count('tools/call') === 1);
    abort.abort();
    expect(await hanging).toMatchObject({ code: 'aborted' });
    await until(() => server.find('tools/call')!.closedEarly);
    await tools.close();
    // It is closed by whoever made it.
    expect((await inner.listTools()).map(({ name }) => name)).toEqual(['a', 'hang']);
  });
});

describe('a handle', () => {
  it('W10 of connectMcp finds tools by raw and projected name, and refuses others with the closest', async () => {
    const server = await kit.raw({ tools: [tool('get.weather'), tool('forecast')] });
    const client = kit.keep(await connectMcp(http('s', server)));
    const summary = (await client.listTools()).find(({ tool: raw }) => raw === 'get.weather');
    expect(summary).toMatchObject({ tool: 'get.weather', name: expect.stringMatching(/^get_weather_[0-9a-f]{12}$/) });
    expect(await text(client.callTool('get.weather', { q: 1 }))).toBe('{"q":1}');
    expect(await text(client.callTool(summary!.name, { q: 2 }))).toBe('{"q":2}');
    server.reset();
    const error = await rejection(client.callTool('forecasts'));
    expect(error).toMatchObject({ code: 'unknown-tool' });
    expect((error as Error).message).toContain('`forecast`');
    expect(await rejection(client.callTool('__proto__'))).toMatchObject({ code: 'unknown-tool' });
    expect(server.requests).toEqual([]);
  });

  it('W10 closed while it opens ends that at once', async () => {
    const server = await kit.raw({ onRequest: () => true });
    const tools = createMcpTools(http('s', server), { onDiagnostic: kit.listen });
    const opening = rejection(tools.tools());
    await until(() => server.requests.length === 1);
    await within(3_000, Promise.all([tools.close(), tools.close()]));
    expect(await opening).toMatchObject({ code: 'closed' });
    await until(() => server.pending() === 0);
  });

  it('W10 ends its session once', async () => {
    const server = await kit.raw({ era: 'legacy' });
    const tools = createMcpTools(http('s', server));
    await tools.tools();
    await Promise.all([tools.close(), tools.close()]);
    expect(server.count('DELETE')).toBe(1);
    expect(server.sessions.size).toBe(0);
  });
});
