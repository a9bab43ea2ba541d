import { describe, expect, it } from 'vitest';
import { type Diagnostic, McpConfigError, mcpTools } from '../../src/index.js';
import { startRawServer } from '../support/raw-server.js';
import { namesOf } from './rig.js';

const tools = ['find', 'drop'].map((name) => ({ name, inputSchema: { type: 'object' } }));

async function unmatched(servers: Parameters<typeof mcpTools>[0], allow: string[]): Promise<string[]> {
  const notices: Diagnostic[] = [];
  const toolset = await mcpTools(servers, { tools: { allow }, onDiagnostic: (notice) => notices.push(notice) });
  await toolset.close();
  return notices.flatMap((notice) => (notice.code === 'filter-unmatched' ? [notice.data.entry] : []));
}

describe('filters over servers that share a name or fail', () => {
  it('L4 N4 an entry with the configured prefix holds for servers that go by a suffixed name', async () => {
    const [one, two] = [await startRawServer({ tools }), await startRawServer({ tools })];
    const servers = [one, two].map(({ url }) => ({ name: 'crm', type: 'http' as const, url }));
    const toolset = await mcpTools(servers, { tools: { block: ['crm__drop'] }, onDiagnostic() {} });
    expect(namesOf(toolset.tools)).toEqual([
      expect.stringMatching(/^crm_\w{8}__find$/),
      expect.stringMatching(/^crm_\w{8}__find$/),
    ]);
    await toolset.close();
    await Promise.all([one.close(), two.close()]);
  });

  it('L4 an entry that a failed server might have matched is not called unmatched', async () => {
    const server = await startRawServer({ tools });
    const good = { name: 'crm', type: 'http', url: server.url } as const;
    const gone = { name: 'gone', type: 'http', url: 'http://127.0.0.1:9/mcp' } as const;
    expect(await unmatched([good], ['crm__find', 'gone__x'])).toEqual(['gone__x']);
    expect(await unmatched([good, gone], ['crm__find', 'gone__x'])).toEqual([]);
    await server.close();
  });

  it('W3 a depth that could not be written as JSON is refused', async () => {
    await expect(mcpTools([], { limits: { schemaDepth: 1_001 } })).rejects.toBeInstanceOf(McpConfigError);
    await (await mcpTools([], { limits: { schemaDepth: 1_000 } })).close();
  });
});
