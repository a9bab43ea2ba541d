import { cloneJson, isRecord, measureJson } from '../core/json.js';
import { quietly } from '../core/quietly.js';
import type { JsonSchema } from '../core/tools.js';
import { followRoot } from '../schema/references.js';

/** Longest raw tool name, in UTF-16 code units. Its characters are free: a name that no provider takes is rewritten (N2). */
const TOOL_NAME_MAX = 1_024;

/** A tool definition whose shape was checked. Its values are the server's own, not copied and not cleaned. */
export interface AdmittedTool {
  /** The raw name. */
  readonly name: string;
  readonly title?: string;
  /** Empty where the server gave none. */
  readonly description: string;
  /** An object whose root allows the type `object`; its sub-schemas are not judged. */
  readonly inputSchema: JsonSchema;
  /** In any form: it is for results, and never keeps a tool from loading. */
  readonly outputSchema?: unknown;
  readonly annotations?: JsonSchema;
}

export type Admission =
  | {
      readonly ok: true;
      readonly tool: AdmittedTool;
      /** Estimated length of the definition's JSON text, in UTF-16 code units. */
      readonly chars: number;
    }
  | {
      readonly ok: false;
      /** The raw name, where the entry has a usable one. */
      readonly name?: string;
      /** English, for a developer. It holds no text of the server's. */
      readonly reason: string;
    };

export interface AdmissionBounds {
  /** `limits.schemaDepth`: levels below the definition itself. */
  readonly schemaDepth: number;
  /** `limits.schemaNodes`: JSON values in the definition. */
  readonly schemaNodes: number;
}

/**
 * Judges one entry of a `tools` array, as `JSON.parse` gave it (L1, G9, S4). An entry is refused alone, with its reason; it
 * is never repaired. A definition beyond the bounds is refused whichever part of it is too large, `outputSchema` included.
 */
export function admitTool(entry: unknown, bounds: AdmissionBounds): Admission {
  if (!isRecord(entry)) return { ok: false, reason: `The entry is ${describeType(entry)}, not an object.` };
  const name = readOwn(entry, 'name');
  if (!isUsableName(name)) return { ok: false, reason: describeName(name) };
  const measure = measureJson(entry, { depth: bounds.schemaDepth, nodes: bounds.schemaNodes });
  if (!measure.ok) return { ok: false, name, reason: describeExcess(measure.exceeded, bounds) };
  const reason = judgeNumbers(measure.nonFinite) ?? judgeTexts(entry) ?? judgeSchema(readOwn(entry, 'inputSchema'));
  if (reason !== undefined) return { ok: false, name, reason };
  return { ok: true, tool: pickTool(name, entry), chars: measure.chars };
}

/**
 * Judges an entry that nobody has parsed: in process it is the server's own object, in which a bigint, a getter or a `toJSON`
 * is possible, and which the server may change later. What is admitted is a copy by way of JSON text; where there is no such
 * text, that entry alone is refused (L1).
 */
export function admitForeign(entry: unknown, bounds: AdmissionBounds): Admission {
  try {
    const judged = admitTool(entry, bounds);
    return judged.ok ? admitTool(cloneJson(entry), bounds) : judged;
  } catch {
    const name = quietly(() => (isRecord(entry) ? readOwn(entry, 'name') : undefined));
    return { ok: false, ...(isUsableName(name) ? { name } : {}), reason: 'The definition is not JSON data.' };
  }
}

/** The names that occur more than once, with how often they do: none of these tools is exposed (L3). */
export function findDuplicates(names: Iterable<string>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [name, count] of counts) if (count === 1) counts.delete(name);
  return counts;
}

/** Only for an entry that was judged: the assertions say what the judgments found. */
function pickTool(name: string, entry: JsonSchema): AdmittedTool {
  const title = readOwn(entry, 'title');
  const outputSchema = readOwn(entry, 'outputSchema');
  const annotations = readOwn(entry, 'annotations');
  return {
    name,
    ...(title === undefined ? {} : { title: title as string }),
    description: (readOwn(entry, 'description') ?? '') as string,
    inputSchema: readOwn(entry, 'inputSchema') as JsonSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(annotations === undefined ? {} : { annotations: annotations as JsonSchema }),
  };
}

function isUsableName(name: unknown): name is string {
  return typeof name === 'string' && name !== '' && name.length <= TOOL_NAME_MAX;
}

function describeName(name: unknown): string {
  if (typeof name !== 'string') return `The name is ${describeType(name)}, not a string.`;
  return name === '' ? 'The name is empty.' : `The name is longer than ${TOOL_NAME_MAX} characters.`;
}

function describeExcess(exceeded: 'depth' | 'nodes', bounds: AdmissionBounds): string {
  return exceeded === 'depth'
    ? `The definition is nested deeper than ${bounds.schemaDepth} levels (limits.schemaDepth).`
    : `The definition holds more than ${bounds.schemaNodes} values (limits.schemaNodes).`;
}

function judgeNumbers(nonFinite: boolean): string | undefined {
  return nonFinite ? 'The definition holds a number too large for JSON.' : undefined;
}

function judgeTexts(entry: JsonSchema): string | undefined {
  for (const key of ['description', 'title']) {
    const value = readOwn(entry, key);
    if (value !== undefined && typeof value !== 'string') return `The ${key} is ${describeType(value)}, not a string.`;
  }
  const annotations = readOwn(entry, 'annotations');
  if (annotations === undefined || isRecord(annotations)) return undefined;
  return `The annotations are ${describeType(annotations)}, not an object.`;
}

function judgeSchema(schema: unknown): string | undefined {
  if (schema === undefined) return 'The tool has no inputSchema.';
  if (!isRecord(schema)) return `The inputSchema is ${describeType(schema)}, not an object.`;
  for (const each of followRoot(schema)) {
    const reason = judgeRoot(each);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/** A root without a type is projected as the object that it has to be (P4). One that refuses every object cannot be (P3). */
function judgeRoot(schema: JsonSchema): string | undefined {
  const type = readOwn(schema, 'type');
  if (type !== undefined && type !== 'object' && !(Array.isArray(type) && type.includes('object'))) {
    const found = typeof type === 'string' ? 'another type' : describeType(type);
    return `The inputSchema has ${found} at its root, not the type "object".`;
  }
  const properties = readOwn(schema, 'properties');
  if (properties !== undefined && !isRecord(properties)) {
    return `The inputSchema's properties are ${describeType(properties)}, not an object.`;
  }
  const required = readOwn(schema, 'required');
  if (required === undefined) return undefined;
  if (!Array.isArray(required)) return `The inputSchema's required is ${describeType(required)}, not an array.`;
  const stray = required.findIndex((each) => typeof each !== 'string');
  if (stray === -1) return undefined;
  return `The inputSchema's required holds ${describeType(required[stray])} where names belong.`;
}

/** A field of the entry itself: a name that every object inherits is not one the server sent. */
function readOwn(source: JsonSchema, key: string): unknown {
  return Object.hasOwn(source, key) ? source[key] : undefined;
}

function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
