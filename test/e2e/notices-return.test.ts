import { describe, expect, it } from 'vitest';
import { mcpTools } from '../../src/index.js';
import { startRawServer } from '../support/raw-server.js';
import { startRawSse } from '../support/raw-sse.js';
import { namesOf } from './rig.js';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const capabilities = { tools: { listChanged: true } };

describe('a connection that ends while changes are listened for', () => {
  it('L7 a session that the server has forgotten: connected again, what was missed is seen, notices come again', async () => {
    const server = await startRawServer({ era: 'legacy', stream: true, capabilities, tools: [tool('a')] });
    const seen: string[][] = [];
    const toolset = await mcpTools([{ name: 's', type: 'http', url: server.url }], {
      onToolsChanged: ({ added }) => seen.push([...added]),
      onDiagnostic() {},
    });
    await expect.poll(() => server.count('GET')).toBe(1);
    server.set({ tools: [tool('a'), tool('b')] });
    server.expireSessions();
    server.dropStreams();
    await expect.poll(() => namesOf(toolset.tools), { timeout: 10_000 }).toEqual(['s__a', 's__b']);
    expect(server.count('initialize')).toBe(2);
    server.set({ tools: [tool('a'), tool('b'), tool('c')] });
    await expect
      .poll(() => server.broadcast('notifications/tools/list_changed'), { timeout: 10_000 })
      .toBeGreaterThan(0);
    await expect.poll(() => namesOf(toolset.tools), { timeout: 10_000 }).toContain('s__c');
    expect(seen).toEqual([['s__b'], ['s__c']]);
    await toolset.close();
    await expect.poll(() => server.broadcast('notifications/tools/list_changed')).toBe(0);
    await server.close();
  });

  it('L7 an HTTP+SSE stream that ends is opened again; without a listener it is left to the next call', async () => {
    const server = await startRawSse({ capabilities, tools: [tool('a')] });
    const quiet = await mcpTools([{ name: 's', type: 'sse', url: server.url }], { onDiagnostic() {} });
    const listening = await mcpTools([{ name: 's', type: 'sse', url: server.url }], {
      onToolsChanged() {},
      onDiagnostic() {},
    });
    server.set({ tools: [tool('a'), tool('b')] });
    server.dropStreams();
    await expect.poll(() => namesOf(listening.tools), { timeout: 10_000 }).toEqual(['s__a', 's__b']);
    expect(namesOf(quiet.tools)).toEqual(['s__a']);
    expect(server.openStreams()).toBe(1);
    await Promise.all([quiet.close(), listening.close()]);
    await server.close();
  });

  it('L7 a server that ends every connection at once is asked ever more seldom, and not at all after the close', async () => {
    const server = await startRawSse({ capabilities, tools: [tool('a')] });
    const options = { onToolsChanged() {}, onDiagnostic() {} };
    const toolset = await mcpTools([{ name: 's', type: 'sse', url: server.url }], options);
    const before = server.count('GET');
    const until = performance.now() + 2_500;
    while (performance.now() < until) {
      server.dropStreams();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(server.count('GET') - before).toBeLessThanOrEqual(6);
    await toolset.close();
    const after = server.count('GET');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(server.count('GET')).toBe(after);
    await server.close();
  });
});
