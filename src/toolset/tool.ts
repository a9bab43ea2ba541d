import { toModelOutput } from '../calls/model-output.js';
import { fingerprint } from '../catalog/fingerprint.js';
import type { ProjectedTool } from '../catalog/projection.js';
import { estimateTokens } from '../catalog/tokens.js';
import { cloneJson } from '../core/json.js';
import type { ExecuteOptions, JsonSchema, McpTool, McpToolResult } from '../core/tools.js';
import type { ProjectedSchema } from '../schema/generic.js';
import { createInputSchema } from '../schema/input-schema.js';

/** A tool object that outlives listings: a host that copied the map still holds the tool as it is now. */
export interface LiveTool {
  readonly tool: McpTool;
  /** What it shows at present. */
  readonly entry: ProjectedTool;
  /** The input schema as the model sees it (P0, P4), computed when somebody looks. */
  readonly projected: ProjectedSchema;
  /** SHA-256 in hex (S4), computed when somebody looks. */
  readonly fingerprint: string;
  /** Estimated tokens of `{ name, description, inputSchema }` as projected (D1), computed when somebody looks. */
  readonly tokens: number;
  update(entry: ProjectedTool): void;
}

/** How a provider profile shapes an input schema. */
export type Project = (inputSchema: JsonSchema) => ProjectedSchema;

export type Execute = (entry: ProjectedTool, args: unknown, options: ExecuteOptions) => Promise<McpToolResult>;

/** What was computed of a definition so far. */
type Known = Partial<Writable<Pick<LiveTool, 'projected' | 'fingerprint' | 'tokens'>>>;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export function createLiveTool(first: ProjectedTool, execute: Execute, project: Project): LiveTool {
  let entry = first;
  let known: Known = {};
  const live: LiveTool = {
    get entry() {
      return entry;
    },
    get projected() {
      known.projected ??= project(entry.tool.inputSchema);
      return known.projected;
    },
    get fingerprint() {
      known.fingerprint ??= fingerprint(entry.tool);
      return known.fingerprint;
    },
    get tokens() {
      const inputSchema = live.projected.schema;
      known.tokens ??= estimateTokens({ name: entry.name, description: describe(entry), inputSchema });
      return known.tokens;
    },
    tool: {
      type: 'dynamic',
      description: describe(entry),
      inputSchema: createInputSchema(() => cloneJson(live.projected.schema)),
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
      if (next.tool !== entry.tool) known = {};
      else if (next.name !== entry.name) delete known.tokens;
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
