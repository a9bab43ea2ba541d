import type { ToolSizes } from '../catalog/disclosure.js';
import { fingerprint } from '../catalog/fingerprint.js';
import type { ProjectedTool } from '../catalog/projection.js';
import { estimateTokens } from '../catalog/tokens.js';
import type { Disclosure, JsonSchema } from '../core/tools.js';
import type { ProjectedSchema } from '../schema/generic.js';

/** How schemas are shaped for the model. */
export interface Shape {
  /** As the provider profile takes it (P1, P4). */
  project(inputSchema: JsonSchema): ProjectedSchema;
  /** With names and types of parameters alone (D2). */
  defer(projected: JsonSchema): JsonSchema;
  /** Without parameters (D3). */
  readonly bare: JsonSchema;
}

/** What is derived of a definition, each part when somebody looks. */
export interface Forms extends ToolSizes {
  readonly entry: ProjectedTool;
  /** The input schema as the model would see it. */
  schema(disclosure: Disclosure): JsonSchema;
  /** What the projection in full says less of than the original (P3). */
  readonly losses: readonly string[];
  /** SHA-256 in hex (S4). */
  readonly fingerprint: string;
  update(entry: ProjectedTool): void;
}

interface Known {
  projected?: ProjectedSchema;
  deferred?: JsonSchema;
  fingerprint?: string;
  floor?: number;
  full?: number;
}

export function createForms(first: ProjectedTool, shape: Shape): Forms {
  let entry = first;
  let known: Known = {};
  const projected = () => {
    known.projected ??= shape.project(shownOf(entry).inputSchema);
    return known.projected;
  };
  const schema = (form: Disclosure): JsonSchema => {
    if (form === 'bare') return shape.bare;
    if (form === 'full') return projected().schema;
    known.deferred ??= shape.defer(projected().schema);
    return known.deferred;
  };
  const measure = (form: Disclosure) => estimateTokens({ ...shownTexts(entry), inputSchema: schema(form) });
  return {
    get entry() {
      return entry;
    },
    schema,
    get losses() {
      return projected().losses;
    },
    get fingerprint() {
      known.fingerprint ??= fingerprint(entry.tool);
      return known.fingerprint;
    },
    get name() {
      return entry.name;
    },
    tokens(form) {
      if (form !== 'full') return measure(form);
      known.full ??= measure(form);
      return known.full;
    },
    schemaTokens: (form) => estimateTokens(schema(form)),
    get floor() {
      known.floor ??= estimateTokens(shownTexts(entry));
      return known.floor;
    },
    update(next) {
      if (next.tool !== entry.tool) known = {};
      else if (next.name !== entry.name) {
        delete known.floor;
        delete known.full;
      }
      entry = next;
    },
  };
}

export function describe(entry: ProjectedTool): string {
  return shownOf(entry).description ?? '';
}

/** The texts without what nobody sees (G10). */
export function shownOf({ tool }: ProjectedTool) {
  return tool.cleaned?.clean ?? tool;
}

function shownTexts(entry: ProjectedTool): { readonly name: string; readonly description: string } {
  return { name: entry.name, description: describe(entry) };
}
