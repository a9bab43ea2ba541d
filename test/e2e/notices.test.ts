import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/client';
import { InMemoryTransport as InMemoryTransport1 } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, vi } from 'vitest';
import type { McpServerConfig, ToolsChanged } from '../../src/index.js';
import { HANDLED } from '../support/raw-server.js';
import {
  type SdkServer,
  STANDARD_TOOLS,
  startSdk1Server,
  startSdk1SseServer,
  startSdkServer,
} from '../support/sdk-servers.js';
import { namesOf } from './rig.js';
import { createKit, custom, type FakeTransport, fakeTransport, http, tool } from './wiring-kit.js';

const kit = createKit();
const LIST_CHANGED = 'notifications/tools/list_changed';
const ANNOUNCES = { tools: { listChanged: true } };
const NOTHING: ToolsChanged = { added: [], removed: [], changed: [], quarantined: [], withheld: [] };

const soon = <T>(check: () => T) => vi.waitFor(check, { timeout: 10_000, interval: 10 });
const quiet = (ms = 1_200) => new Promise((resolve) => setTimeout(resolve, ms));

/** A server that announces, by whichever way. */
interface Announcer {
  readonly config: McpServerConfig;
  /** Resolves when what the server says next is heard. */
  listening(): Promise<unknown>;
  set(tools: readonly unknown[]): void;
  announce(times: number): void;
  listings(): number;
}

async function rawWay(era: 'legacy' | 'modern'): Promise<Announcer> {
  const server = await kit.raw({ era, stream: true, capabilities: ANNOUNCES });
  return {
    config: http('s', server),
    listening: () => soon(() => expect(server.broadcast('notifications/message', MESSAGE)).toBe(1)),
    set: (tools) => server.set({ tools }),
    announce: (times) => {
      for (let time = 0; time < times; time++) server.broadcast(LIST_CHANGED);
    },
    listings: () => server.count('tools/list'),
  };
}

const MESSAGE = { level: 'info', data: 'a message that means nothing' };

async function sseWay(): Promise<Announcer> {
  const server = await kit.sse({ capabilities: ANNOUNCES });
  return {
    config: { name: 's', type: 'sse', url: server.url },
    listening: async () => {},
    set: (tools) => server.set({ tools }),
    announce: (times) => {
      for (let time = 0; time < times; time++) server.broadcast(LIST_CHANGED);
    },
    listings: () => server.count('tools/list'),
  };
}

/** A transport of the host's own, in whichever era. */
async function fakeWay(era: 'legacy' | 'modern'): Promise<Announcer> {
  let tools: readonly unknown[] = [tool('a')];
  let listings = 0;
  let subscription: unknown;
  let transport: FakeTransport | undefined;
  const say = (method: string, params: object) =>
    transport?.onmessage?.({ jsonrpc: '2.0', method, params } as JSONRPCMessage);
  const meta = () =>
    subscription === undefined ? {} : { _meta: { 'io.modelcontextprotocol/subscriptionId': subscription } };
  const answer = (method: string) => {
    if (method === 'tools/list') {
      listings += 1;
      return { result: { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' } };
    }
    if (era === 'modern' && method === 'server/discover') return { result: DISCOVERED };
    if (era === 'modern' && method === 'subscriptions/listen') {
      subscription = transport!.sent.flatMap((message) => ('id' in message ? [message.id] : [])).at(-1);
      queueMicrotask(() => say('notifications/subscriptions/acknowledged', { notifications: {}, ...meta() }));
      return undefined;
    }
    if (method === 'initialize') return { result: INITIALIZED };
    return { error: { code: -32601, message: `Method not found: ${method}` } };
  };
  return {
    config: custom('s', () => {
      transport = fakeTransport({ answer });
      return transport;
    }),
    listening: () => soon(() => expect(era === 'legacy' || subscription !== undefined).toBe(true)),
    set: (next) => {
      tools = next;
    },
    announce: (times) => {
      for (let time = 0; time < times; time++) say(LIST_CHANGED, meta());
    },
    listings: () => listings,
  };
}

const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: ANNOUNCES,
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fake', version: '1.0.0' } },
};

const INITIALIZED = {
  protocolVersion: '2025-11-25',
  capabilities: ANNOUNCES,
  serverInfo: { name: 'fake', version: '1.0.0' },
};

const WAYS: readonly [string, () => Promise<Announcer>][] = [
  ['the standalone GET stream of an older server', () => rawWay('legacy')],
  ['a subscription of 2026-07-28', () => rawWay('modern')],
  ['the stream of HTTP+SSE', sseWay],
  ["the host's own transport, in the older era", () => fakeWay('legacy')],
  ["the host's own transport, in 2026-07-28", () => fakeWay('modern')],
];

describe.each(WAYS)('over %s', (_, start) => {
  it('L7 a change that is announced corrects the map in place and is told once', async () => {
    const server = await start();
    server.set(['stays', 'goes', 'changes', 'breaks'].map(tool));
    const changes: ToolsChanged[] = [];
    const toolset = await kit.wire([server.config], { onToolsChanged: (change) => void changes.push(change) });
    const { tools } = toolset;
    const { s__stays: held } = tools;
    await server.listening();
    server.set([tool('stays'), { ...tool('changes'), description: 'Other.' }, { name: 'breaks' }, tool('new')]);
    server.announce(1);
    await soon(() => expect(changes).toHaveLength(1));
    expect(changes).toEqual([
      {
        ...NOTHING,
        added: ['s__new'],
        removed: ['s__breaks', 's__goes'],
        changed: ['s__changes'],
        quarantined: ['s__breaks'],
      },
    ]);
    expect(toolset.tools).toBe(tools);
    expect(namesOf(tools)).toEqual(['s__changes', 's__new', 's__stays']);
    expect(tools.s__stays).toBe(held);
    expect(server.listings()).toBe(2);
  });

  it('L7 a thousand notices lead to at most two listings, and nothing is told when nothing moved', async () => {
    const server = await start();
    const onToolsChanged = vi.fn();
    const toolset = await kit.wire([server.config], { onToolsChanged });
    await server.listening();
    server.announce(1_000);
    await soon(() => expect(server.listings()).toBeGreaterThan(1));
    await quiet();
    expect(server.listings() - 1).toBeLessThanOrEqual(2);
    expect(onToolsChanged).not.toHaveBeenCalled();
    await toolset.close();
    server.announce(10);
    await quiet(200);
    expect(server.listings()).toBeLessThanOrEqual(3);
  });
});

it('L7 a notice on the stream of a call is heard, also where no stream for notices is open', async () => {
  for (const era of ['legacy', 'modern'] as const) {
    const server = await kit.raw({
      era,
      capabilities: ANNOUNCES,
      onCall: (_, ctx) => {
        server.set({ tools: [tool('a'), tool('b')] });
        for (let time = 0; time < 500; time++) ctx.notify(LIST_CHANGED, {});
        ctx.send({ content: [] });
        return HANDLED;
      },
    });
    const toolset = await kit.wire([http('s', server)]);
    expect(await toolset.tools.s__a!.execute({})).toEqual({ content: [] });
    await soon(() => expect(namesOf(toolset.tools)).toEqual(['s__a', 's__b']));
    await quiet(800);
    expect(server.count('tools/list')).toBeLessThanOrEqual(3);
    expect(server.count('GET') + server.count('subscriptions/listen')).toBe(0);
  }
});

it('L7 notices that come during the first listing are looked into', async () => {
  for (const era of ['legacy', 'modern'] as const) {
    let listings = 0;
    const server = await kit.raw({
      era,
      stream: true,
      capabilities: ANNOUNCES,
      pages: async () => {
        listings += 1;
        if (listings > 1) return { tools: [tool('a'), tool('late')] };
        await soon(() => expect(server.broadcast(LIST_CHANGED)).toBe(1));
        return { tools: [tool('a')] };
      },
    });
    const onToolsChanged = vi.fn();
    const toolset = await kit.wire([http('s', server)], { onToolsChanged });
    await soon(() => expect(namesOf(toolset.tools)).toEqual(['s__a', 's__late']));
    expect(onToolsChanged).toHaveBeenCalledWith({ ...NOTHING, added: ['s__late'] });
    expect(listings).toBe(2);
  }
});

describe('servers made with the official packages', () => {
  const echo = STANDARD_TOOLS.filter(({ name }) => name === 'echo');
  const starts: readonly [string, McpServerConfig['type'], () => Promise<SdkServer>][] = [
    ['2.x, both eras', 'http', () => startSdkServer({ mode: 'dual', tools: echo })],
    ['2.x, 2026-07-28 alone', 'http', () => startSdkServer({ mode: 'modern-only', tools: echo })],
    ['2.x, 2025-11-25 alone', 'http', () => startSdkServer({ mode: 'legacy-only', tools: echo })],
    ['1.x', 'http', () => startSdk1Server({ tools: echo })],
    ['1.x over HTTP+SSE', 'sse', () => startSdk1SseServer({ tools: echo })],
  ];

  it.each(starts)('L7 %s: a change is heard and told', async (_, type, start) => {
    const server = kit.keep(await start());
    const onToolsChanged = vi.fn();
    const config = { name: 's', type, url: server.url } as McpServerConfig;
    const toolset = await kit.wire([config], { onToolsChanged });
    expect(namesOf(toolset.tools)).toEqual(['s__echo']);
    if (type === 'http') await soon(() => expect(server.count('GET') + server.count('subscriptions/listen')).toBe(1));
    // The stream is there when its request has arrived and a little later.
    await quiet(100);
    server.setTools(STANDARD_TOOLS.filter(({ name }) => name === 'echo' || name === 'add'));
    await soon(() => expect(namesOf(toolset.tools)).toEqual(['s__add', 's__echo']));
    expect(onToolsChanged.mock.calls.map(([change]) => change)).toContainEqual(
      expect.objectContaining({ added: ['s__add'] }),
    );
  });

  it('L7 the in-memory transports of both lines: a change is heard and told', async () => {
    const far = new McpServer({ name: 'far', version: '1.0.0' });
    const far1 = new McpServer1({ name: 'far', version: '1.0.0' });
    far.registerTool('a', { description: 'a' }, () => ({ content: [] }));
    far1.registerTool('a', { description: 'a' }, () => ({ content: [] }));
    const connect = async () => {
      const [near, end] = InMemoryTransport.createLinkedPair();
      await far.connect(end);
      return near;
    };
    const connect1 = async () => {
      const [near, end] = InMemoryTransport1.createLinkedPair();
      await far1.connect(end);
      return near as unknown as InMemoryTransport;
    };
    const onToolsChanged = vi.fn();
    const toolset = await kit.wire([custom('two', connect), custom('one', connect1)], { onToolsChanged });
    expect(namesOf(toolset.tools)).toEqual(['two__a', 'one__a']);
    far.registerTool('b', { description: 'b' }, () => ({ content: [] }));
    far1.registerTool('b', { description: 'b' }, () => ({ content: [] }));
    await soon(() => expect(namesOf(toolset.tools)).toEqual(['two__a', 'two__b', 'one__a', 'one__b']));
    expect(onToolsChanged.mock.calls.map(([{ added }]) => added).sort()).toEqual([['one__b'], ['two__b']]);
  });
});

it('L7 a listener that throws changes nothing, and a listing that fails keeps the tools and is reported', async () => {
  const server = await kit.raw({ era: 'legacy', stream: true, capabilities: ANNOUNCES });
  const onToolsChanged = vi.fn(() => {
    throw new Error('mine');
  });
  const toolset = await kit.wire([http('s', server)], { onToolsChanged });
  await soon(() => expect(server.broadcast('notifications/message', MESSAGE)).toBe(1));
  server.set({ tools: [tool('a'), tool('b')] });
  server.broadcast(LIST_CHANGED);
  await soon(() => expect(namesOf(toolset.tools)).toEqual(['s__a', 's__b']));
  expect(onToolsChanged).toHaveBeenCalledTimes(1);

  server.set({ status: { 'tools/list': { status: 200, error: { code: -32603, message: 'rebuilding' } } } });
  server.broadcast(LIST_CHANGED);
  await soon(() => expect(kit.diagnostics).toHaveLength(1));
  expect(kit.diagnostics).toMatchObject([{ code: 'server-failed', data: { errorCode: 'protocol', required: false } }]);
  expect(namesOf(toolset.tools)).toEqual(['s__a', 's__b']);
  await expect(toolset.tools.s__b!.execute({})).resolves.toMatchObject({ content: [{ type: 'text' }] });

  server.set({ status: {}, tools: [tool('b')] });
  server.broadcast(LIST_CHANGED);
  await soon(() => expect(namesOf(toolset.tools)).toEqual(['s__b']));
  expect(toolset.servers).toMatchObject([{ state: 'ready' }]);
});
