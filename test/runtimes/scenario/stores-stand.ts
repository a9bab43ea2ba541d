import type { McpConnectionRow } from 'mcp-toolset';

/** What the scenario of stores is told, in the variable STAND. */
export interface StoresStand {
  /** Runs a file of the scenario on the same runtime. */
  readonly program: string;
  readonly args: readonly string[];
  /** An empty folder to write to. */
  readonly folder: string;
  /** Whether the runtime has no SQLite of its own. */
  readonly without: boolean;
}

/** What a child is told to do, as the variable TASK. */
export type Task =
  /** Answers each line `number path at` with the baseline that it sees after it offered its own at that time. */
  | { readonly kind: 'race'; readonly who: string }
  /** Saves a row, and is killed before the statement of that number; `done` on its output: there were fewer. */
  | { readonly kind: 'cut-off'; readonly path: string; readonly version: number; readonly end: number }
  /** Saves versions of a row, one after the other, until it is killed. */
  | { readonly kind: 'write'; readonly path: string; readonly who: string };

const TOOLS = 40;

/** Found nowhere in the file, whoever writes. */
export const SECRET = 'canary-stores-8d27';

/** A row of which every tool says which version it is of; as long as a few rows of the database. */
export function version(mark: string, baseline: string): McpConnectionRow {
  const row = {
    id: 'row',
    name: 'server',
    type: 'http',
    url: `https://user:${SECRET}@mcp.example.com/mcp?key=${SECRET}`,
    headers: { authorization: SECRET },
    tools: Array.from({ length: TOOLS }, (_, index) => ({
      name: `tool ${index}`,
      description: mark,
      inputSchema: { type: 'object', title: mark, description: 'x'.repeat(30_000) },
    })),
    toolFingerprints: { baseline },
  };
  return row;
}

/** The version that a row is of; a row that is of several, or of none, is an error. */
export function versionOf({ tools }: McpConnectionRow): string {
  const marks = new Set(
    tools.flatMap(({ description, inputSchema }) => [description, (inputSchema as { title?: unknown }).title]),
  );
  if (tools.length !== TOOLS || marks.size !== 1)
    throw new Error(`${tools.length} tools of ${[...marks].join(' and ')}`);
  return String([...marks][0]);
}
