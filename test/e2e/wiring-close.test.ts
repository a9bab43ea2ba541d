import { describe, expect, it } from 'vitest';
import { mcpTools } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import { HANDLED } from '../support/raw-server.js';
import { namesOf } from './rig.js';
import { createKit, custom, fakeTransport, http, rejection, within } from './wiring-kit.js';

const kit = createKit();

describe('close', () => {
  it('ends the session once, however often and concurrently it is asked for', async () => {
    const server = await kit.raw({ era: 'legacy', keepAlive: false });
    const toolset = await kit.wire([http('s', server)]);
    const execute = toolset.tools.s__a!.execute;
    const closes = [toolset.close(), toolset.close(), toolset[Symbol.asyncDispose]()];
    await Promise.all(closes);
    await toolset.close();
    expect(server.count('DELETE')).toBe(1);
    expect(server.sessions.size).toBe(0);
    await until(() => server.openSockets() === 0);
    expect(await rejection(execute({}))).toMatchObject({ name: 'McpClosedError', code: 'closed', tool: 'a' });
    expect(await rejection(toolset.refresh())).toMatchObject({ code: 'closed' });
    expect(await rejection(toolset.refresh('s'))).toMatchObject({ code: 'closed' });
    expect(toolset.servers).toMatchObject([{ name: 's', state: 'closed' }]);
    expect(server.count('tools/call')).toBe(0);
  });

  it('sends no DELETE where there is no session', async () => {
    const modern = await kit.raw({ era: 'modern' });
    const stateless = await kit.raw({ era: 'legacy', session: false });
    const toolset = await kit.wire([http('m', modern), http('s', stateless)]);
    await toolset.close();
    expect(modern.count('DELETE') + stateless.count('DELETE')).toBe(0);
  });

  it('works with `await using`', async () => {
    const server = await kit.raw({ era: 'legacy' });
    {
      await using toolset = await mcpTools([http('s', server)]);
      expect(namesOf(toolset.tools)).toEqual(['s__a']);
      expect(server.sessions.size).toBe(1);
    }
    expect(server.sessions.size).toBe(0);
  });

  it.each(['legacy', 'modern'] as const)(
    'rejects a call in flight with `closed` and ends its stream (%s)',
    async (era) => {
      const server = await kit.raw({ era, onCall: () => HANDLED });
      const toolset = await kit.wire([http('s', server)]);
      const call = rejection(toolset.tools.s__a!.execute({}));
      await until(() => server.count('tools/call') === 1);
      await within(3_000, toolset.close());
      expect(await call).toMatchObject({ code: 'closed', server: 's', tool: 'a' });
      await until(() => server.pending() === 0);
      expect(server.find('tools/call')!.closedEarly).toBe(true);
    },
  );

  it('waits no longer than its bound for a server that will not end its session', async () => {
    const server = await kit.raw({ era: 'legacy', onRequest: ({ http: method }) => method === 'DELETE' });
    const toolset = await kit.wire([http('s', server)]);
    await within(6_000, toolset.close());
    expect(server.count('DELETE')).toBe(1);
    await until(() => server.pending() === 0);
  });

  it('waits no longer than its bound for a transport that will not close', async () => {
    const transport = fakeTransport({ close: () => new Promise(() => {}) });
    const toolset = await kit.wire([custom('s', () => transport)]);
    await within(6_000, toolset.close());
    expect(transport.closes).toBe(1);
  });

  it('during a reconnect ends that too', async () => {
    const transports: ReturnType<typeof fakeTransport>[] = [];
    const server = custom('s', async () => {
      if (transports.length > 0) await sleep(100);
      transports.push(fakeTransport());
      return transports.at(-1)!;
    });
    const toolset = await kit.wire([server]);
    transports[0]!.onclose?.();
    const call = rejection(toolset.tools.s__a!.execute({}));
    await sleep(20);
    await within(3_000, toolset.close());
    expect(await call).toMatchObject({ code: 'closed' });
    await until(() => transports[1]?.closes === 1);
    expect(transports[1]!.sent).toEqual([]);
  });

  it('a handshake that fails after the session began ends it', async () => {
    const server = await kit.raw({ era: 'legacy', onRequest: ({ method }) => method === 'notifications/initialized' });
    const toolset = await kit.wire([http('s', server)], { connectTimeoutMs: 400 });
    expect(toolset.servers[0]!.error).toMatchObject({ code: 'timeout' });
    await until(() => server.sessions.size === 0);
    expect(server.count('DELETE')).toBe(1);
  });
});
