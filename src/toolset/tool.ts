import { toModelOutput } from '../calls/model-output.js';
import { fingerprint } from '../catalog/fingerprint.js';
import type { ProjectedTool } from '../catalog/projection.js';
import { estimateTokens } from '../catalog/tokens.js';
import type { ExecuteOptions, McpTool, McpToolResult } from '../core/tools.js';
import { cloneJson, createInputSchema } from '../schema/input-schema.js';

/** A tool object that outlives listings: a host that copied the map still holds the tool as it is now. */
export interface LiveTool {
  readonly tool: McpTool;
  /** What it shows at present. */
  readonly entry: ProjectedTool;
  /** SHA-256 in hex (S4), computed when somebody looks. */
  readonly fingerprint: string;
  /** Estimated tokens of `{ name, description, inputSchema }` (D1), computed when somebody looks. */
  readonly tokens: number;
  update(entry: ProjectedTool): void;
}

export type Execute = (entry: ProjectedTool, args: unknown, options: ExecuteOptions) => Promise<McpToolResult>;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export function createLiveTool(first: ProjectedTool, execute: Execute): LiveTool {
  let entry = first;
  let hash: string | undefined;
  let size: number | undefined;
  const live: LiveTool = {
    get entry() {
      return entry;
    },
    get fingerprint() {
      hash ??= fingerprint(entry.tool);
      return hash;
    },
    get tokens() {
      size ??= estimateTokens({ name: entry.name, description: describe(entry), inputSchema: entry.tool.inputSchema });
      return size;
    },
    tool: {
      type: 'dynamic',
      description: describe(entry),
      inputSchema: createInputSchema(() => cloneJson(entry.tool.inputSchema)),
      metadata: {
        server: entry.server,
        tool: entry.tool.name,
        get fingerprint() {
          return live.fingerprint;
        },
        disclosure: 'full',
        state: 'active',
      },
      execute: (args, options) => execute(entry, args, options ?? {}),
      toModelOutput,
    },
    update(next) {
      if (next.tool !== entry.tool) {
        hash = undefined;
        size = undefined;
      } else if (next.name !== entry.name) size = undefined;
      entry = next;
      show(live.tool, entry);
    },
  };
  show(live.tool, entry);
  return live;
}

function show(tool: Writable<McpTool>, entry: ProjectedTool): void {
  tool.description = describe(entry);
  if (entry.tool.title === undefined) delete tool.title;
  else tool.title = entry.tool.title;
}

export function describe(entry: ProjectedTool): string {
  return entry.tool.description ?? '';
}
