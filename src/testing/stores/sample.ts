import type { McpConnectionRow, McpConnectionStore, StoredTool } from '../../stores/row.js';

export type MakeStore = () => McpConnectionStore | Promise<McpConnectionStore>;

/** Something to do with a store that `make` gave. */
export type StoreCase = readonly [name: string, run: (store: McpConnectionStore) => Promise<void>];

export function toolOf(name: string, more: Partial<StoredTool> = {}): StoredTool {
  return {
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    ...more,
  };
}

/** A row with all of its fields. Its id is its own, so that a store may be shared by all cases. */
export function rowOf(id: string, more: Partial<McpConnectionRow> = {}): McpConnectionRow {
  return {
    id,
    name: 'docs',
    type: 'http',
    url: 'https://mcp.example.com/mcp',
    tools: [
      toolOf('search', { title: 'Search', annotations: { readOnlyHint: true }, outputSchema: { type: 'object' } }),
      toolOf('fetch'),
    ],
    toolFingerprints: { search: 'a'.repeat(64), fetch: 'b'.repeat(64) },
    protocol: {
      era: 'modern',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      checkedAt: 1_700_000_000_000,
    },
    ...more,
  };
}

/** The row of that id, which must be there. */
export async function read(store: McpConnectionStore, id: string): Promise<McpConnectionRow> {
  const row = await store.get(id);
  if (row === undefined) throw new Error(`There is no row ${JSON.stringify(id)}`);
  return row;
}

export async function idsIn(store: McpConnectionStore, prefix: string): Promise<string[]> {
  return (await store.list())
    .map(({ id }) => id)
    .filter((id) => id.startsWith(prefix))
    .sort();
}
