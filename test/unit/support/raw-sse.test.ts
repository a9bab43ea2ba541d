import { afterEach, expect, it } from 'vitest';
import { sleep, until } from '../../support/http-host.js';
import { HANDLED, rpcError } from '../../support/raw-server.js';
import { type RawSseOptions, type RawSseServer, startRawSse } from '../../support/raw-sse.js';
import { names, withClient, withClient1 } from './clients.js';

const servers: RawSseServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
async function start(options: RawSseOptions = {}): Promise<RawSseServer> {
  const tools = [{ name: 'a', inputSchema: { type: 'object' } }];
  const server = await startRawSse({ tools, ...options });
  servers.push(server);
  return server;
}

it.each([withClient, withClient1])('connects, lists and calls', async (connected) => {
  const server = await start();
  await connected(server.url, async (client: { listTools(): Promise<{ tools: { name: string }[] }> }) => {
    expect(names(await client.listTools())).toEqual(['a']);
    expect(server.openStreams()).toBe(1);
  });
  await until(() => server.openStreams() === 0);
  expect(server.find('tools/list')?.url).toMatch(/^\/message\?session=/);
});

it('calls, fails and is cancelled', async () => {
  const server = await start({
    onCall: async (params, ctx) => {
      if (params.name === 'hang') return HANDLED;
      ctx.progress(1);
      // The client drops progress that comes in one piece with the result.
      await sleep(20);
      return params.name === 'a' ? { content: [] } : rpcError(-32602, 'unknown');
    },
  });
  await withClient(server.url, async (client) => {
    const progress: number[] = [];
    await client.callTool({ name: 'a' }, { onprogress: (event) => progress.push(event.progress) });
    expect(progress).toEqual([1]);
    await expect(client.callTool({ name: 'b' })).rejects.toMatchObject({ code: -32602 });
    await expect(client.callTool({ name: 'hang' }, { signal: AbortSignal.timeout(50) })).rejects.toThrow();
    await until(() => server.count('notifications/cancelled') === 1);
  });
});

it('points to another origin, whatever the client thinks of it', async () => {
  const other = await start();
  const server = await start({ endpoint: (session) => `${other.origin}/message?session=${session}` });
  await expect(withClient(server.url, async () => {})).rejects.toThrow();
  expect(other.requests).toEqual([]);
});

it('moves its endpoint', async () => {
  const server = await start({ secondEndpoint: (session) => `/second?session=${session}` });
  await withClient(server.url, async (client) => {
    await client.listTools();
    const { url } = server.find('tools/list') ?? {};
    expect(url).toMatch(/^\/second\?session=/);
    server.moveEndpoint(String(url).replace('second', 'third'));
    await until(() => server.openStreams() === 1);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await client.callTool({ name: 'a' });
    expect(server.find('tools/call')?.url).toMatch(/^\/third\?session=/);
  });
});

it('drops the stream in the middle of a call', async () => {
  const server = await start({ dropOn: 'tools/call' });
  await withClient(server.url, async (client) => {
    await expect(client.callTool({ name: 'a' }, { timeout: 300 })).rejects.toThrow();
    expect(server.count('tools/call')).toBe(1);
  });
});

it('stays silent', async () => {
  const server = await start({ silent: true });
  const connecting = withClient(server.url, async () => {}).catch(() => {});
  await until(() => server.openStreams() === 1);
  const first = await Promise.race([connecting, new Promise((resolve) => setTimeout(() => resolve('hung'), 100))]);
  expect(first).toBe('hung');
  expect(server.count('initialize')).toBe(0);
  await server.close();
  expect(server.openStreams()).toBe(0);
});
