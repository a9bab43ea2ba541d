import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ToolsChanged } from '../../src/index.js';
import { clock } from '../support/time.js';
import { namesOf } from './rig.js';
import { createKit, custom, type FakeTransport, fakeTransport, http, tool } from './wiring-kit.js';

const kit = createKit();
const HOUR = 3_600_000;
const NOTHING: ToolsChanged = { added: [], removed: [], changed: [], quarantined: [], withheld: [] };
const soon = <T>(check: () => T) => vi.waitFor(check, { timeout: 10_000, interval: 10 });

afterEach(() => void vi.restoreAllMocks());

describe.each(['legacy', 'modern'] as const)('%s', (era) => {
  const page = (ttlMs: unknown, name = 'a') => ({ tools: [tool(name)], ttlMs });

  it('L7 a refresh inside the TTL asks nobody and moves nothing; forced, or after it, it asks', async () => {
    const time = clock();
    const server = await kit.raw({ era, pages: [page(HOUR)] });
    const toolset = await kit.wire([http('s', server)]);
    server.set({ pages: [page(HOUR, 'b')] });
    expect(await toolset.refresh()).toEqual(NOTHING);
    expect(await toolset.refresh('s')).toEqual(NOTHING);
    expect(server.count('tools/list')).toBe(1);
    expect(await toolset.refresh('s', { force: true })).toEqual({ ...NOTHING, added: ['s__b'], removed: ['s__a'] });
    server.set({ pages: [page(HOUR, 'c')] });
    time.pass(HOUR - 60_000);
    expect(await toolset.refresh()).toEqual(NOTHING);
    time.pass(60_000);
    expect(await toolset.refresh()).toEqual({ ...NOTHING, added: ['s__c'], removed: ['s__b'] });
    expect(server.count('tools/list')).toBe(3);
  });

  it('L7 the TTL is capped at 24 h', async () => {
    const time = clock();
    const server = await kit.raw({ era, pages: [page(Number.MAX_SAFE_INTEGER)] });
    const toolset = await kit.wire([http('s', server)]);
    time.pass(24 * HOUR - 60_000);
    await toolset.refresh();
    expect(server.count('tools/list')).toBe(1);
    time.pass(60_000);
    await toolset.refresh();
    expect(server.count('tools/list')).toBe(2);
  });

  it.each([[0], [-1], [-HOUR], [String(HOUR)], [null], [true], [{}], [[HOUR]]])(
    'L7 a TTL of %j is none',
    async (ttlMs) => {
      const server = await kit.raw({ era, pages: [page(ttlMs)] });
      const toolset = await kit.wire([http('s', server)]);
      await toolset.refresh();
      expect(server.count('tools/list')).toBe(2);
    },
  );

  it('L7 of several pages the shortest TTL counts, and a list that was not read to its end has none', async () => {
    const time = clock();
    const server = await kit.raw({
      era,
      pages: [
        { ...page(2 * HOUR), nextCursor: 'more' },
        { ...page(HOUR, 'b'), nextCursor: undefined },
      ],
    });
    const toolset = await kit.wire([http('s', server)]);
    time.pass(HOUR);
    await toolset.refresh();
    expect(server.count('tools/list')).toBe(4);

    const endless = await kit.raw({ era, pages: () => ({ ...page(HOUR), nextCursor: 'again' }) });
    const other = await kit.wire([http('s', endless)]);
    const asked = endless.count('tools/list');
    await other.refresh();
    expect(endless.count('tools/list')).toBeGreaterThan(asked);
  });

  it('L7 a notice ignores the TTL, and ends it also where the listing fails', async () => {
    const server = await kit.raw({
      era,
      stream: true,
      capabilities: { tools: { listChanged: true } },
      pages: [page(HOUR)],
    });
    const toolset = await kit.wire([http('s', server)], { onToolsChanged: () => {} });
    await soon(() => expect(server.broadcast('notifications/message', { level: 'info', data: 'nothing' })).toBe(1));
    server.set({ pages: [page(HOUR, 'b')] });
    server.broadcast('notifications/tools/list_changed');
    await soon(() => expect(namesOf(toolset.tools)).toEqual(['s__b']));

    server.set({ pages: [page(HOUR, 'c')], status: { 'tools/list': { status: 200, error: ERROR, times: 1 } } });
    server.broadcast('notifications/tools/list_changed');
    await soon(() => expect(kit.diagnostics).toMatchObject([{ code: 'server-failed' }]));
    expect(namesOf(toolset.tools)).toEqual(['s__b']);
    expect(await toolset.refresh()).toEqual({ ...NOTHING, added: ['s__c'], removed: ['s__b'] });
  });
});

const ERROR = { code: -32603, message: 'rebuilding' };

it.each([[Number.NaN], [Number.NEGATIVE_INFINITY], [12n], [Number.POSITIVE_INFINITY, 1]])(
  'L7 a TTL that no JSON holds, %s, does no harm',
  async (ttlMs, listings = 2) => {
    const transport: FakeTransport = fakeTransport({
      answer(method) {
        if (method !== 'initialize') return { result: { tools: [tool('a')], ttlMs } };
        const capabilities = { tools: {} };
        return { result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'f', version: '1' } } };
      },
    });
    const toolset = await kit.wire([{ ...custom('s', () => transport), protocol: 'legacy' }]);
    await toolset.refresh();
    const isListing = (message: JSONRPCMessage) => 'method' in message && message.method === 'tools/list';
    expect(transport.sent.filter(isListing)).toHaveLength(listings as number);
  },
);

it('L7 each server has its own TTL', async () => {
  const kept = await kit.raw({ pages: [{ tools: [tool('a')], ttlMs: HOUR }] });
  const asked = await kit.raw({ pages: [{ tools: [tool('a')], ttlMs: 0 }] });
  const toolset = await kit.wire([http('kept', kept), http('asked', asked)]);
  await toolset.refresh();
  expect([kept.count('tools/list'), asked.count('tools/list')]).toEqual([1, 2]);
  await toolset.refresh(undefined, { force: true });
  expect([kept.count('tools/list'), asked.count('tools/list')]).toEqual([2, 3]);
});
