import { describe, expect, it, vi } from 'vitest';
import type { ToolsChanged } from '../../src/index.js';
import type { RawServer, RawServerOptions } from '../support/raw-server.js';
import { namesOf } from './rig.js';
import { createKit, http, tool } from './wiring-kit.js';

const kit = createKit();
const LIST_CHANGED = 'notifications/tools/list_changed';
const ANNOUNCES = { tools: { listChanged: true } };
const ERAS = ['legacy', 'modern'] as const;

const soon = <T>(check: () => T) => vi.waitFor(check, { timeout: 10_000, interval: 10 });
const quiet = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const opened = (server: RawServer) => server.count('GET') + server.count('subscriptions/listen');
const listening = (server: RawServer) =>
  soon(() => expect(server.broadcast('notifications/message', { level: 'info', data: 'nothing' })).toBe(1));
const lost = () => kit.diagnostics.filter(({ code }) => code === 'stream-lost');

describe.each(ERAS)('%s', (era) => {
  const raw = (options: RawServerOptions = {}) => kit.raw({ era, stream: true, capabilities: ANNOUNCES, ...options });

  it('L7 no stream is opened without `onToolsChanged`', async () => {
    const server = await raw();
    const toolset = await kit.wire([http('s', server)]);
    await toolset.tools.s__a!.execute({});
    await toolset.refresh('s', { force: true });
    await quiet(300);
    expect(opened(server)).toBe(0);
  });

  it.each([[{ tools: {} }], [{ tools: { listChanged: false } }], [{ tools: {}, prompts: { listChanged: true } }]])(
    'L7 no stream is opened to a server that declares %j',
    async (capabilities) => {
      const server = await raw({ capabilities });
      const toolset = await kit.wire([http('s', server)], { onToolsChanged: () => {} });
      await toolset.tools.s__a!.execute({});
      await quiet(300);
      expect(opened(server)).toBe(0);
    },
  );

  it('L7 one stream is opened, and stays one', async () => {
    const server = await raw();
    const toolset = await kit.wire([http('s', server)], { onToolsChanged: () => {} });
    await listening(server);
    for (let call = 0; call < 5; call++) await toolset.tools.s__a!.execute({});
    await toolset.refresh();
    expect(opened(server)).toBe(1);
  });

  it('L7 a stream that is dropped is opened again, reported, and what was missed is looked for', async () => {
    const server = await raw();
    const changes: ToolsChanged[] = [];
    const toolset = await kit.wire([http('s', server)], { onToolsChanged: (change) => void changes.push(change) });
    await listening(server);
    // It changes and nobody is told.
    server.set({ tools: [tool('a'), tool('missed')] });
    server.dropStreams();
    await soon(() => expect(namesOf(toolset.tools)).toEqual(['s__a', 's__missed']));
    expect(changes).toMatchObject([{ added: ['s__missed'], removed: [] }]);
    expect(lost()).toMatchObject([{ level: 'info', server: 's', data: { times: 1 } }]);
    expect(opened(server)).toBe(2);
    // The new stream is heard as the first was.
    await listening(server);
    server.set({ tools: [tool('a')] });
    server.broadcast(LIST_CHANGED);
    await soon(() => expect(namesOf(toolset.tools)).toEqual(['s__a']));
  });

  it('L7 a server that ends the stream at once is asked a few times and not in a loop', async () => {
    const server = await raw({
      onRequest: ({ http: verb, method, id }, response) => {
        if (verb !== 'GET' && method !== 'subscriptions/listen') return false;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        if (verb === 'GET') response.end(': nothing\n\n');
        else response.end(`data: ${JSON.stringify(acknowledged(id))}\n\n`);
        return true;
      },
    });
    await kit.wire([http('s', server)], { onToolsChanged: () => {} });
    await quiet(2_000);
    expect(opened(server)).toBeGreaterThanOrEqual(2);
    expect(opened(server)).toBeLessThanOrEqual(6);
    // Each re-opening looks for what was missed.
    expect(server.count('tools/list')).toBeLessThanOrEqual(opened(server) + 1);
    expect(lost().length).toBeLessThanOrEqual(opened(server));
  });

  it.each([404, 405, 500])(
    'L7 a stream refused with HTTP %i is not asked for in a loop, and calls work',
    async (status) => {
      const server = await raw({ status: { GET: status, 'subscriptions/listen': status } });
      const toolset = await kit.wire([http('s', server)], { onToolsChanged: () => {} });
      await quiet(1_500);
      expect(opened(server)).toBeGreaterThanOrEqual(1);
      expect(opened(server)).toBeLessThanOrEqual(5);
      expect(lost().length).toBeLessThanOrEqual(1);
      await expect(toolset.tools.s__a!.execute({ q: 'x' })).resolves.toMatchObject({ content: [{ type: 'text' }] });
      expect(toolset.servers).toMatchObject([{ state: 'ready' }]);
    },
  );

  it('L7 W4 a close ends the stream and the wait for the next one', async () => {
    const server = await raw({ keepAlive: false });
    const open = await kit.wire([http('s', server)], { onToolsChanged: () => {} });
    await listening(server);
    await open.close();
    await soon(() => expect(server.pending()).toBe(0));
    await soon(() => expect(server.openSockets()).toBe(0));

    server.reset();
    const waiting = await kit.wire([http('s', server)], { onToolsChanged: () => {} });
    await listening(server);
    server.dropStreams();
    await soon(() => expect(lost().length).toBeGreaterThan(0));
    const reported = lost().length;
    await waiting.close();
    const asked = opened(server);
    await quiet(1_500);
    expect(opened(server)).toBe(asked);
    expect(lost()).toHaveLength(reported);
  });

  it('L7 a stream that is lost while a call runs leaves the call alone', async () => {
    let answer: () => void = () => {};
    const server = await raw({
      onCall: (_, ctx) =>
        new Promise((resolve) => {
          answer = () => resolve({ content: [{ type: 'text', text: 'done' }] });
          ctx.signal.addEventListener('abort', () => resolve({ content: [] }));
        }),
    });
    const toolset = await kit.wire([http('s', server)], { onToolsChanged: () => {} });
    await listening(server);
    const call = toolset.tools.s__a!.execute({});
    await soon(() => expect(server.count('tools/call')).toBe(1));
    server.dropStreams();
    await soon(() => expect(opened(server)).toBe(2));
    answer();
    expect(await call).toEqual({ content: [{ type: 'text', text: 'done' }] });
    expect(server.count('tools/call')).toBe(1);
  });
});

function acknowledged(id: unknown): object {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  return {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true }, _meta },
  };
}

it.each([0, 5, 3_600_000])(
  'L7 a server that ends the stream at once and asks for retries after %i ms is not obeyed',
  async (retry) => {
    let events = 0;
    const server = await kit.raw({
      era: 'legacy',
      capabilities: ANNOUNCES,
      onRequest: ({ http: verb }, response) => {
        if (verb !== 'GET') return false;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`retry: ${retry}\nid: ${events++}\ndata: \n\n`);
        return true;
      },
    });
    const toolset = await kit.wire([http('s', server)], { onToolsChanged: () => {} });
    await quiet(2_000);
    expect(opened(server)).toBeLessThanOrEqual(10);
    await toolset.close();
    const asked = opened(server);
    await quiet(600);
    expect(opened(server)).toBe(asked);
  },
);

it('L7 over HTTP+SSE no second stream is opened', async () => {
  const server = await kit.sse({ capabilities: ANNOUNCES });
  const toolset = await kit.wire([{ name: 's', type: 'sse', url: server.url }], { onToolsChanged: () => {} });
  await toolset.tools.s__a!.execute({});
  await quiet(300);
  expect(server.count('GET')).toBe(1);
});
