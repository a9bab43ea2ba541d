import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../support/http-host.js';
import {
  FAIL_TEXT,
  type SdkServer,
  STANDARD_TOOLS,
  startSdk1Server,
  startSdk1SseServer,
  startSdkServer,
  THROW_TEXT,
  TINY_PNG,
} from '../../support/sdk-servers.js';
import { INITIALIZE, names, post, withClient, withClient1 } from './clients.js';

const servers: SdkServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
async function started(server: Promise<SdkServer>): Promise<SdkServer> {
  servers.push(await server);
  return server;
}

const EXPECTED = STANDARD_TOOLS.map((tool) => tool.name).sort();
const KINDS = [
  { label: '2.x dual', era: 'modern', start: () => startSdkServer({ mode: 'dual' }) },
  { label: '2.x legacy-only', era: 'legacy', start: () => startSdkServer({ mode: 'legacy-only' }) },
  { label: '2.x modern-only', era: 'modern', start: () => startSdkServer({ mode: 'modern-only' }) },
  { label: '1.x HTTP', era: 'legacy', start: () => startSdk1Server() },
  { label: '1.x SSE', era: 'legacy', start: () => startSdk1SseServer() },
] as const;

describe.each(KINDS)('$label', ({ era, start }) => {
  it('connects, lists and calls with the 2.x client', async () => {
    const server = await started(start());
    await withClient(server.url, async (client) => {
      expect(client.getProtocolEra()).toBe(era);
      expect(names(await client.listTools())).toEqual(EXPECTED);
      const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
      expect((await call('echo', { message: 'hi' })).content).toEqual([{ type: 'text', text: 'hi' }]);
      expect((await call('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
      expect((await call('image')).content).toEqual([{ type: 'image', data: TINY_PNG, mimeType: 'image/png' }]);
      expect((await call('audio')).content).toMatchObject([{ type: 'audio', mimeType: 'audio/wav' }]);
      expect((await call('open', { kind: 'a', extra: [1] })).content).toEqual([
        { type: 'text', text: '{"kind":"a","extra":[1]}' },
      ]);
      expect((await call('search.docs', { query: 'q' })).content).toEqual([{ type: 'text', text: 'results for q' }]);
      expect((await call('link')).content).toMatchObject([{ type: 'resource_link' }]);
      expect((await call('embed')).content).toMatchObject([
        { type: 'resource', resource: { text: 'a note' } },
        { type: 'resource', resource: { blob: TINY_PNG } },
      ]);
      expect(await call('fail')).toMatchObject({ isError: true, content: [{ type: 'text', text: FAIL_TEXT }] });
      expect(await call('throw')).toMatchObject({ isError: true, content: [{ type: 'text', text: THROW_TEXT }] });
      expect(server.executed('echo')).toBe(1);
      expect(server.executed()).toBe(10);
    });
  });

  it('reports progress and records a cancellation', async () => {
    const server = await started(start());
    await withClient(server.url, async (client) => {
      const progress: number[] = [];
      const slow = { name: 'slow', arguments: { ms: 100 } };
      await client.callTool(slow, { onprogress: (event) => progress.push(event.progress) });
      expect(progress.length).toBeGreaterThan(5);
      const abort = new AbortController();
      const call = client.callTool({ name: 'slow', arguments: { ms: 20_000 } }, { signal: abort.signal });
      const refused = expect(call).rejects.toThrow();
      await until(() => server.executed('slow') === 2);
      abort.abort(new Error('enough'));
      await refused;
      await until(() => server.calls[1]?.finished === true);
      expect(server.calls[1]?.cancelled).toBe(true);
    });
  });
});

describe.each(KINDS.filter((kind) => kind.label !== '2.x modern-only'))('$label', ({ start }) => {
  it('works with the 1.x client', async () => {
    const server = await started(start());
    await withClient1(server.url, async (client) => {
      expect(names(await client.listTools())).toEqual(EXPECTED);
      const result = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
      expect(result.content).toEqual([{ type: 'text', text: 'hi' }]);
    });
  });
});

describe('sessions', () => {
  it.each([KINDS[1], KINDS[3]])(
    '$label ends a session on DELETE and refuses a lost one with 404',
    async ({ start }) => {
      const server = await started(start());
      await withClient(server.url, async (client) => {
        expect(server.sessions()).toBe(1);
        await server.expireSessions();
        await expect(client.listTools()).rejects.toMatchObject({ status: 404 });
      });
      await withClient(server.url, async () => {
        expect(server.sessions()).toBe(1);
      });
      expect(server.sessions()).toBe(0);
      expect(server.count('DELETE')).toBe(2);
      const answer = await post(server.url, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
      expect(answer.status).toBe(400);
    },
  );

  it('modern-only refuses initialize with 400 and -32022', async () => {
    const server = await started(startSdkServer({ mode: 'modern-only' }));
    const answer = await post(server.url, INITIALIZE);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 1, error: { code: -32022 } });
    await expect(withClient1(server.url, async () => {})).rejects.toThrow();
  });

  it.each(KINDS)('$label tells listening clients that its tools changed', async ({ start }) => {
    const server = await started(start());
    const { Client, SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    let changes = 0;
    const onChanged = () => {
      changes += 1;
    };
    const client = new Client(
      { name: 'fixture-test', version: '1.0.0' },
      {
        versionNegotiation: { mode: 'auto' },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
      },
    );
    const url = new URL(server.url);
    await client.connect(
      server.url.endsWith('/sse') ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url),
    );
    await until(() => server.url.endsWith('/sse') || server.count('GET') + server.count('subscriptions/listen') > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    server.setTools(STANDARD_TOOLS.slice(0, 2));
    await until(() => changes > 0);
    expect(names(await client.listTools())).toEqual(['add', 'echo']);
    await client.close();
  });
});
