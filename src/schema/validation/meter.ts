import { isRecord } from '../../core/json.js';
import type { JsonSchema } from '../../core/tools.js';
import { DYNAMIC_REFERENCES, own, roleOf } from '../keywords.js';
import type { DataSize } from './data.js';
import { type Draft, hasKeyword, PLAIN, REVERSING } from './keywords.js';
import { patternCost } from './patterns.js';

/** Units of work for one check (G9). A visit of a schema is one or more. */
const FUEL = 10_000;
/** Characters of property names that are written anew in each visit for one unit. */
const CHARS_A_UNIT = 1_000;
/** Where a copy keeps its `type`, to be read for free. */
export const TYPE = Symbol('type');

/** Thrown out of the validator when the work is too much. */
export class OutOfFuel {}

/** What one check may still do, shared by all schemas of a document. */
export interface Meter {
  /** Begins a check of data of this size. */
  start(size: DataSize): void;
  burn(units: number): void;
  /** Units burnt since the start. */
  used(): number;
  /** The size of the data. */
  readonly size: DataSize;
  /** Whether it is known that no array of the data repeats an item. */
  distinct: boolean;
}

export function createMeter(): Meter {
  let left = FUEL;
  let size: DataSize = { keys: 0, names: 0, items: 0, text: 0 };
  const meter: Meter = {
    distinct: false,
    start(next) {
      left = FUEL;
      size = next;
      meter.distinct = false;
    },
    burn(units) {
      left -= units;
      if (!(left >= 0)) throw new OutOfFuel();
    },
    used: () => FUEL - left,
    get size() {
      return size;
    },
  };
  return meter;
}

export interface MeteredSchema {
  readonly schema: JsonSchema;
  /** Whether something that can refuse a value was left out, so that more is accepted than by the original. */
  readonly loosened: boolean;
  /** Whether accepting more in one place could mean accepting less in another. */
  readonly reverses: boolean;
  readonly hasUniqueItems: boolean;
  /** What each pattern may cost. */
  readonly costs: readonly Cost[];
}

/** Ways to read a text of some length. */
type Cost = (length: number) => number;

export interface MeterRules {
  readonly draft: Draft;
  readonly meter: Meter;
  /** Whether patterns are tried at all. */
  readonly patterns: boolean;
  /** Leaves out what could refuse more because something else accepts more. */
  readonly relaxed: boolean;
}

/**
 * A copy of a schema with what the validator knows, in which each visit burns fuel. Its values are checked, so that the validator
 * neither throws nor refuses what the standard accepts; references stay for it to follow.
 */
export function meterSchema(root: JsonSchema, rules: MeterRules): MeteredSchema {
  const found = { loosened: false, reverses: false, hasUniqueItems: false, costs: [] };
  const schema = copySchema(root, { ...rules, found, inner: false }, true);
  return { schema: schema as JsonSchema, ...found };
}

interface Copying extends MeterRules {
  /** Whether it stands in a schema with an `$id` of its own, by which references are read. */
  readonly inner: boolean;
  readonly found: { loosened: boolean; reverses: boolean; hasUniqueItems: boolean; costs: Cost[] };
}

function copySchema(schema: unknown, around: Copying, isRoot = false): unknown {
  if (!isRecord(schema)) return schema !== false;
  const copying = { ...around, inner: around.inner || (!isRoot && hasBase(schema, around.draft)) };
  const { draft, found, inner } = copying;
  const copy: Record<string, unknown> = {};
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword];
    const role = roleOf(keyword, value);
    if (REVERSING.has(keyword)) found.reverses = true;
    if (isLeftOut(keyword, schema, copying)) found.loosened = true;
    else if (PLAIN[keyword]?.(value, draft))
      copy[keyword] = keyword === '$ref' ? localReference(String(value), inner) : value;
    else if (PLAIN[keyword] !== undefined) found.loosened = true;
    else if (hasKeyword(draft, keyword)) copyMembers(keyword, value, role, copy, copying);
  }
  if (copying.relaxed) relax(copy);
  return installMeter(copy, copying);
}

/** Nothing outside the document is looked for, so what is referred to there is any value. */
function localReference(reference: string, inner: boolean): string {
  return reference.startsWith('#') && !inner ? reference : '#/elsewhere';
}

/** Whether references inside are to this schema, which the validator would read as to the whole document. */
function hasBase(schema: JsonSchema, draft: Draft): boolean {
  const id = own(schema, draft === '4' ? 'id' : '$id');
  return typeof id === 'string' && !id.startsWith('#');
}

/** Booleans count as data for {@link roleOf}, and are schemas where one is expected. */
const MAY_BE_BOOLEAN: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

function copyMembers(
  keyword: string,
  value: unknown,
  role: ReturnType<typeof roleOf>,
  copy: Record<string, unknown>,
  copying: Copying,
): void {
  if (role === 'schema' || (typeof value === 'boolean' && MAY_BE_BOOLEAN.has(keyword)))
    copy[keyword] = copySchema(value, copying);
  else if (role === 'list') {
    const list = value as readonly unknown[];
    // An empty list of branches would refuse everything.
    if (list.length > 0) copy[keyword] = list.map((each) => copySchema(each, copying));
  } else if (role === 'map') {
    const map: Record<string, unknown> = Object.create(null);
    for (const [name, each] of Object.entries(value as JsonSchema)) {
      map[name] = keyword === 'dependencies' && Array.isArray(each) ? each : copySchema(each, copying);
    }
    copy[keyword] = map;
  }
}

/** What the validator does not know, or must not be given. */
function isLeftOut(keyword: string, schema: JsonSchema, { patterns, inner }: Copying): boolean {
  if (DYNAMIC_REFERENCES.includes(keyword) || (keyword === '$anchor' && inner)) return true;
  const value = schema[keyword];
  if (keyword === 'pattern') return !patterns || patternCost(String(value)) === undefined;
  const hasPatterns = isRecord(own(schema, 'patternProperties'));
  if (!hasPatterns || patternsAdmitted(schema, patterns)) return false;
  // What they would have judged must not be judged as something additional.
  return keyword === 'patternProperties' || keyword === 'additionalProperties' || keyword === 'unevaluatedProperties';
}

function patternsAdmitted(schema: JsonSchema, patterns: boolean): boolean {
  const sources = Object.keys(schema.patternProperties as JsonSchema);
  return patterns && sources.every((source) => patternCost(source) !== undefined);
}

/** Accepts whatever it accepted, and what accepting more elsewhere would have made it refuse. */
function relax(copy: Record<string, unknown>): void {
  const { oneOf, anyOf } = copy;
  for (const keyword of REVERSING) delete copy[keyword];
  delete copy.then;
  delete copy.else;
  if (oneOf === undefined) return;
  copy.anyOf = oneOf;
  if (anyOf === undefined) return;
  const others = Array.isArray(copy.allOf) ? copy.allOf : [];
  copy.allOf = [...others, { anyOf }];
}

/** The validator reads `type` once in each visit, and `uniqueItems` and `pattern` where there are any. */
function installMeter(copy: Record<string, unknown>, { meter, found }: Copying): JsonSchema {
  const { type, uniqueItems } = copy;
  const weight = weigh(copy);
  const cost = costOf(copy, found.costs);
  const read = () => {
    const { keys, names, text, items } = meter.size;
    const pairs = uniqueItems === true && !meter.distinct ? items * items : 0;
    meter.burn(weight + Math.floor(keys / 20 + names / CHARS_A_UNIT) + cost(text, keys) + pairs / 50);
    return type;
  };
  if (uniqueItems === true) {
    found.hasUniqueItems = true;
    // Where no array repeats an item, the validator need not compare each with each.
    Object.defineProperty(copy, 'uniqueItems', { get: () => (meter.distinct ? undefined : true) });
  }
  Object.defineProperty(copy, TYPE, { value: type });
  Object.defineProperty(copy, 'type', { enumerable: type !== undefined, configurable: true, get: read });
  return copy;
}

/** Units of a visit that its own keywords cost, whatever the data. */
function weigh(copy: Record<string, unknown>): number {
  const size = (value: unknown) =>
    Array.isArray(value) ? value.length : isRecord(value) ? Object.keys(value).length : 0;
  const values = [copy.enum, copy.const].reduce<number>(
    (sum, value) => sum + (value === undefined ? 0 : (JSON.stringify(value)?.length ?? 0)),
    0,
  );
  const lists =
    3 * size(copy.required) +
    size(copy.properties) +
    size(copy.dependentRequired) +
    size(copy.dependentSchemas) +
    size(copy.dependencies);
  // What fails in alternatives is told apart.
  const branching = copy.anyOf === undefined && copy.oneOf === undefined ? 0 : 2;
  return 1 + Math.floor(values / 50) + Math.floor(lists / 10) + branching;
}

/** Units that texts cost: their length, and what patterns may do to them. */
function costOf(copy: Record<string, unknown>, all: Cost[]): (text: number, keys: number) => number {
  const measured = copy.minLength !== undefined || copy.maxLength !== undefined ? 1 : 0;
  const sources = typeof copy.pattern === 'string' ? [copy.pattern] : [];
  const nameSources = isRecord(copy.patternProperties) ? Object.keys(copy.patternProperties) : [];
  const [costs, nameCosts] = [sources, nameSources].map((each) => each.map((source) => patternCost(source)!));
  all.push(...costs!, ...nameCosts!);
  const sum = (each: readonly Cost[], text: number) => each.reduce((units, cost) => units + 1 + cost(text) / 1_000, 0);
  return (text, keys) => (measured * text) / 300 + sum(costs!, text) + sum(nameCosts!, text) * keys;
}
