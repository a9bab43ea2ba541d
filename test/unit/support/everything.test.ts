import { expect, it } from 'vitest';
import { startEverything } from '../../support/everything.js';
import { withClient, withClient1 } from './clients.js';

it.each(['streamableHttp', 'sse'] as const)(
  'starts, answers and ends over %s',
  async (kind) => {
    const server = await startEverything(kind);
    try {
      for (const connected of [withClient, withClient1]) {
        await connected(
          server.url,
          async (client: {
            listTools(): Promise<{ tools: unknown[] }>;
            callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<{ content?: unknown }>;
          }) => {
            expect((await client.listTools()).tools.length).toBeGreaterThanOrEqual(13);
            const result = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
            expect(JSON.stringify(result.content)).toContain('hi');
          },
        );
      }
    } finally {
      await server.close();
    }
    expect(server.tail()).toMatch(/port/);
    await expect(fetch(server.url)).rejects.toThrow();
  },
  30_000,
);
