import { toModelOutput } from '../calls/model-output.js';
import type { ProjectedTool } from '../catalog/projection.js';
import { cloneJson } from '../core/json.js';
import type { Disclosure, ExecuteOptions, McpTool, McpToolResult } from '../core/tools.js';
import { createInputSchema } from '../schema/input-schema.js';
import { createForms, describe, type Forms, type Shape, shownOf } from './forms.js';

/** A tool object that outlives listings: a host that copied the map still holds the tool as it is now. */
export interface LiveTool {
  readonly tool: McpTool;
  /** What it shows at present. */
  readonly entry: ProjectedTool;
  readonly forms: Forms;
  disclosure: Disclosure;
  update(entry: ProjectedTool): void;
}

export type Execute = (entry: ProjectedTool, args: unknown, options: ExecuteOptions) => Promise<McpToolResult>;

export function createLiveTool(first: ProjectedTool, execute: Execute, shape: Shape): LiveTool {
  const forms = createForms(first, shape);
  const live: LiveTool = {
    forms,
    disclosure: 'full',
    get entry() {
      return forms.entry;
    },
    tool: {
      type: 'dynamic',
      description: describe(first),
      inputSchema: createInputSchema(() => cloneJson(forms.schema(live.disclosure))),
      metadata: {
        server: first.server,
        tool: first.tool.name,
        get fingerprint() {
          return forms.fingerprint;
        },
        get disclosure() {
          return live.disclosure;
        },
        state: 'active',
      },
      execute: (args, options) => execute(forms.entry, args, options ?? {}),
      toModelOutput,
    },
    update(next) {
      forms.update(next);
      show(live.tool, next);
    },
  };
  show(live.tool, first);
  return live;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

function show(tool: Writable<McpTool>, entry: ProjectedTool): void {
  tool.description = describe(entry);
  const { title } = shownOf(entry);
  if (title === undefined) delete tool.title;
  else tool.title = title;
}
