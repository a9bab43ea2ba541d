import { fingerprint } from '../core/fingerprint.js';
import type { Fingerprints, StoredTool } from './row.js';

/** The parts of a tool that stay text until somebody reads one of them. */
export type ToolParts = readonly [inputSchema: unknown, outputSchema?: unknown, annotations?: unknown];
export const PARTS = ['inputSchema', 'outputSchema', 'annotations'] as const;

/** A tool in the index: what can be read of it without its schemas. */
export type IndexEntry = readonly [
  name: string,
  title: string | null,
  description: string | null,
  fingerprint: string,
  /** A bit for each of {@link PARTS} that the tool has. */
  has: number,
  /** Of its text among the schemas, in UTF-16 code units. */
  length: number,
];

/** What a store knows of a tool without parsing its schemas. */
export interface StoredFacts {
  readonly fingerprint: string;
  /** Of its text among the schemas, in UTF-16 code units. */
  readonly start: number;
  readonly chars: number;
  /** Shared by the tools of a row. Called once for each tool, when one of its parts is read for the first time. */
  readonly parse: (start: number, end: number, tool: string) => ToolParts;
}

const FACTS: unique symbol = Symbol.for('mcp-toolset.store.facts');

type WithFacts = StoredTool & { readonly [FACTS]?: StoredFacts & { parts?: ToolParts } };

function partsOf(tool: WithFacts): ToolParts | undefined {
  const facts = tool[FACTS];
  if (facts === undefined) return undefined;
  facts.parts ??= facts.parse(facts.start, facts.start + facts.chars, tool.name);
  return facts.parts;
}

/** The same for all tools: a wake makes thousands of them, and functions of their own would be most of it. */
const GETTERS: readonly PropertyDescriptor[] = PARTS.map((_, index) => ({
  enumerable: true,
  get(this: WithFacts) {
    return partsOf(this)?.[index];
  },
}));

/**
 * A tool whose schemas are parsed when they are first read, and then kept. They are its own properties, as if it were a plain
 * object.
 */
export function createStoredTool(entry: IndexEntry, facts: StoredFacts): StoredTool {
  const tool: { name: string; title?: string; description?: string } = { name: entry[0] };
  if (entry[1] !== null) tool.title = entry[1];
  if (entry[2] !== null) tool.description = entry[2];
  Object.defineProperty(tool, FACTS, { value: facts });
  for (let index = 0; index < PARTS.length; index++) {
    if ((entry[4] & (1 << index)) !== 0) Object.defineProperty(tool, PARTS[index]!, GETTERS[index]!);
  }
  return tool as StoredTool;
}

/** A tool's fingerprint (S4): as a store of ours remembers it, else computed. */
export function fingerprintOf(tool: StoredTool): string {
  return (tool as WithFacts)[FACTS]?.fingerprint ?? fingerprint(tool);
}

/** The fingerprints of a catalogue by raw name. Those of a row out of our own stores need no schema to be parsed. */
export function fingerprintsOf(tools: readonly StoredTool[]): Fingerprints {
  return Object.fromEntries(tools.map((tool) => [tool.name, fingerprintOf(tool)]));
}
