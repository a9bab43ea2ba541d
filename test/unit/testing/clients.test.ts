import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { FaultPlan } from '../../../src/testing/faults/plan.js';
import type { FaultServer, FaultServerOptions } from '../../../src/testing/faults/server.js';
import { sleep, until } from '../../support/http-host.js';
import { start } from './raw.js';

const KINDS: readonly [string, FaultServerOptions][] = [
  ['legacy, JSON', { era: 'legacy', format: 'json' }],
  ['legacy, event streams', { era: 'legacy', format: 'sse' }],
  ['legacy, without sessions', { era: 'legacy', sessions: false }],
  ['legacy, HTTP+SSE', { era: 'legacy', transport: 'sse' }],
  ['modern, JSON', { era: 'modern', format: 'json' }],
  ['modern, event streams', { era: 'modern', format: 'sse' }],
];

/** Connects the official client, gives it to `use`, and closes both; nothing may stay open. */
async function withServer(
  options: FaultServerOptions,
  use: (client: Client, server: FaultServer, changed: () => number) => Promise<void>,
): Promise<void> {
  const server = await start([], options);
  let changes = 0;
  const listChanged = { tools: { autoRefresh: false, onChanged: () => void changes++ } };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' }, listChanged });
  const url = new URL(server.url);
  const transport = options.transport === 'sse' ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
  try {
    await client.connect(transport);
    await use(client, server, () => changes);
  } finally {
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => {});
    await client.close();
  }
  await until(() => server.openStreams() === 0);
  expect(server.openSessions()).toBe(0);
  await server.close();
  expect(server.openSockets()).toBe(0);
}

describe.each(KINDS)('the official client, %s', (_, options) => {
  it('lists, calls, hears of progress and of changes', async () => {
    await withServer(
      { ...options, tools: [{ name: 'own', inputSchema: { type: 'object' } }] },
      async (client, server, changed) => {
        expect(client.getProtocolEra()).toBe(options.era);
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).toEqual(['effect', 'echo', 'slow', 'progress', 'own']);
        const done = await client.callTool({ name: 'effect', arguments: { key: 'a' } });
        expect(done.content).toEqual([{ type: 'text', text: 'done: a' }]);
        const steps: number[] = [];
        const onprogress = ({ progress }: { progress: number }) => void steps.push(progress);
        await client.callTool({ name: 'progress', arguments: { steps: 3, everyMs: 1 } }, { onprogress });
        // The client drops a notification that comes together with the answer.
        expect([1, 2, 3].slice(0, Math.max(2, steps.length))).toEqual(steps);
        await expect(client.callTool({ name: 'none' })).rejects.toMatchObject({ code: -32602 });
        await until(() => server.openStreams() === 1);
        expect(server.broadcast('tools')).toBe(1);
        await until(() => changed() === 1);
        expect([...server.effects]).toEqual([['a', 1]]);
        expect(server.cancelled).toEqual([]);
      },
    );
  });

  it('gives a call up', async () => {
    await withServer(options, async (client, server) => {
      const controller = new AbortController();
      const call = client.callTool({ name: 'slow', arguments: { ms: 60_000 } }, { signal: controller.signal });
      call.catch(() => {});
      await until(() => server.requests.some(({ tool }) => tool === 'slow'));
      controller.abort();
      await expect(call).rejects.toThrow();
      await until(() => server.cancelled.length > 0);
      const { id } = server.requests.find(({ tool }) => tool === 'slow') ?? {};
      expect(server.cancelled[0]).toMatchObject({ id, by: options.era === 'modern' ? 'stream' : 'notification' });
    });
  });
});

describe('faults over HTTP+SSE', () => {
  const connect = async (plan: FaultPlan) => {
    const server = await start(plan, { transport: 'sse' });
    const client = new Client({ name: 'test', version: '1' });
    const closed = new Promise<void>((resolve) => {
      client.onclose = resolve;
    });
    await client.connect(new SSEClientTransport(new URL(server.url)));
    const call = (timeout = 150) => client.callTool({ name: 'effect', arguments: { key: 'a' } }, { timeout });
    return { server, client, call, closed };
  };
  const on = (fault: unknown) => [{ match: { tool: 'effect', nth: 1 }, fault }] as FaultPlan;

  it.each<[string, unknown, unknown]>([
    ['HTTP answers the request', { kind: 'http-error', status: 503 }, /503/],
    ['no answer comes', { kind: 'never-answers' }, /timed out/],
    ['the request is not even accepted', { kind: 'silent' }, /timed out/],
    ['another id is answered', { kind: 'wrong-id' }, /timed out/],
    ['an error is answered', { kind: 'rpc-error', message: 'broken' }, /broken/],
    ['the connection of the request dies', { kind: 'dead-before-headers' }, /fetch failed/],
  ])('%s', async (_, fault, message) => {
    const { client, server, call } = await connect(on(fault));
    await expect(call()).rejects.toThrow(message as RegExp);
    expect((await call()).content).toEqual([{ type: 'text', text: 'done: a' }]);
    expect(server.openStreams()).toBe(1);
    await client.close();
  });

  it.each(['dead-after-headers', 'dead-after-event', 'half-closed'])('the stream ends: %s', async (kind) => {
    const { client, server, call } = await connect(on({ kind }));
    await expect(call(300)).rejects.toThrow();
    expect(server.effects.get('a')).toBe(1);
    expect(server.requests.find(({ http }) => http === 'GET')).toMatchObject({ ended: true, closedEarly: false });
    expect(server.cancelled.filter(({ by }) => by === 'stream')).toEqual([]);
    await client.close();
  });

  it('a client that leaves gives its calls up', async () => {
    const { client, server, call } = await connect(on({ kind: 'never-answers' }));
    call(10_000).catch(() => {});
    await until(() => server.effects.get('a') === 1);
    await sleep(20);
    await client.close();
    await until(() => server.cancelled.length === 1);
    expect(server.cancelled).toMatchObject([{ by: 'stream' }]);
    expect(server.openStreams()).toBe(0);
  });

  it('answers and floods go on the stream', async () => {
    for (const kind of ['duplicate-answer', 'progress-flood', 'list-changed-storm', 'slow-drip', 'delay']) {
      const { client, call } = await connect(on({ kind, count: 20, bytes: 20, everyMs: 1 }));
      expect((await call(2_000)).content).toEqual([{ type: 'text', text: 'done: a' }]);
      await client.close();
    }
  });
});
