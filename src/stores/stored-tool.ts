import { fingerprint } from '../core/fingerprint.js';
import { isRecord } from '../core/json.js';
import type { Fingerprints, StoredTool } from './row.js';

/** What a store knows of a tool without parsing its schemas. */
export interface StoredFacts {
  readonly fingerprint: string;
  /** Length of the JSON text of schemas and annotations, in UTF-16 code units. */
  readonly chars: number;
}

const FACTS: unique symbol = Symbol.for('mcp-toolset.store.facts');

/** The parts of a tool that stay text until somebody reads one of them. */
export type ToolParts = readonly [inputSchema: unknown, outputSchema?: unknown, annotations?: unknown];
export const PARTS = ['inputSchema', 'outputSchema', 'annotations'] as const;

export interface LazyTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly facts: StoredFacts;
  /** Which of {@link PARTS} the tool has. */
  readonly has: readonly boolean[];
  /** Called once, when the first of them is read. */
  parse(): ToolParts;
}

/** A tool whose schemas are parsed when they are first read, and then kept. They are its own, as if it were a plain object. */
export function createStoredTool({ name, title, description, facts, has, parse }: LazyTool): StoredTool {
  const tool = {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  };
  Object.defineProperty(tool, FACTS, { value: facts });
  let parts: ToolParts | undefined;
  const read = () => {
    parts ??= parse();
    return parts;
  };
  PARTS.forEach((part, index) => {
    if (has[index]) Object.defineProperty(tool, part, { enumerable: true, get: () => read()[index] });
  });
  return tool as unknown as StoredTool;
}

function factsOf(tool: StoredTool): StoredFacts | undefined {
  const facts: unknown = (tool as { readonly [FACTS]?: unknown })[FACTS];
  return isRecord(facts) ? (facts as unknown as StoredFacts) : undefined;
}

/** A tool's fingerprint (S4): as a store of ours remembers it, else computed. */
export function fingerprintOf(tool: StoredTool): string {
  return factsOf(tool)?.fingerprint ?? fingerprint(tool);
}

/** The fingerprints of a catalogue by raw name. Those of a row out of our own stores need no schema to be parsed. */
export function fingerprintsOf(tools: readonly StoredTool[]): Fingerprints {
  return Object.fromEntries(tools.map((tool) => [tool.name, fingerprintOf(tool)]));
}
