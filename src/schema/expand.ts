import { isRecord } from '../core/json.js';
import type { JsonSchema } from '../core/tools.js';
import { DYNAMIC_REFERENCES, ignoresSiblings, isConstraint, isScaffold, own, roleOf } from './keywords.js';
import { indexReferences, type References } from './references.js';
import { createSizes, type Size } from './size.js';

/** Bounds of a whole projection. Both are inclusive. */
export interface ProjectionBounds {
  /** `limits.schemaDepth`: levels below the tool definition, in which the schema itself stands one level deep. */
  readonly schemaDepth: number;
  /** `limits.schemaNodes`: JSON values. */
  readonly schemaNodes: number;
}

/** What references may add in text, in UTF-16 code units for each of `schemaNodes`: values are counted, and may be of any length. */
const CHARS_A_NODE = 100;

/** Why a reference could not be kept. */
export type Obstacle = 'recursive' | 'nodes' | 'depth' | 'unresolved' | 'dynamic' | 'siblings';

/** One schema of the projection. */
export interface Place {
  readonly parent: Place | undefined;
  /** The parent's keyword that it stands under; empty at the root. */
  keyword: string;
  /** The member of that keyword's value, where it has members. */
  readonly key: string | undefined;
  /** Levels below the root. */
  readonly depth: number;
  /** What gives the place its keywords: the schema that was written there, or the one it refers to. */
  source: JsonSchema;
  /** Annotations written beside each reference on the way to the source. The earlier win over the later and the source's own. */
  readonly notes: JsonSchema[];
  /** Whether the source was reached by a reference. */
  referred: boolean;
  /** Set where the place is only a boolean. */
  boolean: boolean | undefined;
  /** A schema that must hold beside the source's own constraints. */
  beside: JsonSchema | boolean | undefined;
  readonly obstacles: Obstacle[];
  /** By keyword, then by member; a keyword with one schema has it under `undefined`. */
  readonly below: Map<string, Map<string | undefined, Place>>;
}

/** A schema that waits for its turn. */
interface Pending {
  readonly schema: JsonSchema;
  readonly parent: Place | undefined;
  readonly keyword: string;
  readonly key: string | undefined;
  readonly depth: number;
}

interface Expansion {
  readonly references: References;
  readonly sizeOf: (schema: JsonSchema) => Size;
  /** Whether the dialect ignores what stands beside a `$ref`. */
  readonly ignoring: boolean;
  readonly bounds: ProjectionBounds;
  /** Where chains of bare references end; a schema that is none ends where it stands. */
  readonly ends: Map<JsonSchema, Target>;
  nodes: number;
  /** What references have added. */
  chars: number;
}

type Target = JsonSchema | boolean | Extract<Obstacle, 'recursive' | 'unresolved'>;

/**
 * Lays out the projection of a schema, references followed, as a list of places in which parents come before children (P4).
 *
 * What is granted from the bounds goes by depth, then by the names of keywords and members: the shallow is expanded before
 * the deep, and the order of keys decides nothing. The document's own values are always kept; only references cost.
 */
export function expandReferences(document: JsonSchema, bounds: ProjectionBounds): readonly Place[] {
  const sizeOf = createSizes();
  const expansion: Expansion = {
    references: indexReferences(document),
    sizeOf,
    ignoring: ignoresSiblings(document),
    bounds,
    ends: new Map(),
    // The root may also need a type and properties.
    nodes: sizeOf(document).nodes + 2,
    chars: 0,
  };
  const places: Place[] = [];
  const pending: Pending[] = [{ schema: document, parent: undefined, keyword: '', key: undefined, depth: 0 }];
  // The list grows while it is read.
  for (const next of pending) {
    const place = settle(next, expansion);
    places.push(place);
    const { parent, keyword, key } = next;
    if (parent !== undefined) {
      const members = parent.below.get(keyword) ?? new Map<string | undefined, Place>();
      parent.below.set(keyword, members.set(key, place));
    }
    if (place.boolean === undefined) for (const below of listBelow(place, expansion)) pending.push(below);
  }
  return places;
}

/** Follows the references of one place as far as only annotations stand beside them. */
function settle({ schema, parent, keyword, key, depth }: Pending, expansion: Expansion): Place {
  const place: Place = {
    parent,
    keyword,
    key,
    depth,
    source: schema,
    notes: [],
    referred: false,
    boolean: undefined,
    beside: undefined,
    obstacles: [],
    below: new Map(),
  };
  if (Object.hasOwn(schema, '$ref')) {
    const passed = new Set([schema]);
    while (follow(place, passed, expansion)) passed.add(place.source);
  }
  if (DYNAMIC_REFERENCES.some((reference) => Object.hasOwn(place.source, reference))) place.obstacles.push('dynamic');
  return place;
}

/** Takes one step. Whether there may be another. */
function follow(place: Place, passed: ReadonlySet<JsonSchema>, expansion: Expansion): boolean {
  const { source } = place;
  if (!Object.hasOwn(source, '$ref')) return false;
  const target = endOf(source, expansion);
  const constraints = constraintsBeside(place, target);
  if (constraints.length > 0 && expansion.ignoring) place.obstacles.push('siblings');
  const joins = constraints.length > 0 && !expansion.ignoring;
  const again = isRecord(target) && passed.has(target);
  const obstacle = again ? 'recursive' : typeof target === 'string' ? target : judge(place, target, joins, expansion);
  if (obstacle !== undefined) {
    place.obstacles.push(obstacle);
    return false;
  }
  const notes = annotationsOf(place);
  if (typeof target === 'boolean') {
    if (place.parent !== undefined && !joins && notes === undefined && place.notes.length === 0) place.boolean = target;
    else place.beside = target;
    return false;
  }
  if (joins) {
    place.beside = target as JsonSchema;
    return false;
  }
  if (notes !== undefined) place.notes.push(notes);
  place.source = target as JsonSchema;
  place.referred = true;
  return true;
}

const NEVER: Size = { nodes: 1, chars: 0, depth: 0 };

/** Whether the target may be put here, which is then paid for. */
function judge(place: Place, target: JsonSchema | boolean, joins: boolean, expansion: Expansion): Obstacle | undefined {
  if (target === true) return undefined;
  for (let above: Place | undefined = place; above !== undefined; above = above.parent) {
    if (above.source === target) return 'recursive';
  }
  const { nodes, chars, depth } = target === false ? NEVER : expansion.sizeOf(target);
  const { schemaNodes, schemaDepth } = expansion.bounds;
  // The reference itself goes, and its schema too unless that holds the target in an `allOf`.
  const isHeld = joins || target === false;
  const cost = isHeld ? nodes : nodes - 2;
  if (expansion.nodes + cost > schemaNodes) return 'nodes';
  if (expansion.chars + chars > schemaNodes * CHARS_A_NODE) return 'nodes';
  if (place.depth + depth + (isHeld ? 2 : 0) + 1 > schemaDepth) return 'depth';
  expansion.nodes += cost;
  expansion.chars += chars;
  return undefined;
}

/** Where a reference leads when those that stand alone are followed. Each is followed once, however many lead to it. */
function endOf(from: JsonSchema, { references, ends }: Expansion): Target {
  const passed = new Set<JsonSchema>();
  let target: Target = references.resolve(from) ?? 'unresolved';
  while (isRecord(target)) {
    const known: Target | undefined = passed.has(target) ? 'recursive' : ends.get(target);
    passed.add(target);
    if (known !== undefined || !isBareReference(target)) {
      target = known ?? target;
      break;
    }
    target = references.resolve(target) ?? 'unresolved';
  }
  for (const each of passed) ends.set(each, target);
  return target;
}

function isBareReference(schema: JsonSchema): boolean {
  return Object.hasOwn(schema, '$ref') && Object.keys(schema).every((key) => isScaffold(key) && !isConstraint(key));
}

/** Constraints that stand beside a reference and say more than its target does. */
function constraintsBeside({ source, parent }: Place, target: Target): readonly string[] {
  return Object.keys(source).filter((key) => {
    if (!isConstraint(key)) return false;
    // The arguments of a tool are an object whatever the root says of its type.
    if (key === 'type' && parent === undefined) return false;
    return !isRecord(target) || typeof source[key] === 'object' || own(target, key) !== source[key];
  });
}

/** The dialect is the document's: a target's own says nothing here. */
function annotationsOf({ source, referred }: Place): JsonSchema | undefined {
  const isNote = (key: string) => !isConstraint(key) && !isScaffold(key) && !(referred && key === '$schema');
  const notes = Object.entries(source).filter(([key]) => isNote(key));
  return notes.length === 0 ? undefined : Object.fromEntries(notes);
}

/** Whether the constraints of a schema have no meaning in its dialect. */
export function isSilent(schema: JsonSchema, ignoring: boolean): boolean {
  return ignoring && Object.hasOwn(schema, '$ref');
}

/** The schemas directly below a place, by names. */
function listBelow(place: Place, { ignoring }: Expansion): Pending[] {
  const { source, beside, depth } = place;
  const found: Pending[] = [];
  const add = (schema: unknown, keyword: string, key?: string) => {
    if (!isRecord(schema)) return;
    found.push({ schema, parent: place, keyword, key, depth: depth + (key === undefined ? 1 : 2) });
  };
  for (const keyword of isSilent(source, ignoring) ? [] : Object.keys(source).sort()) {
    const value = source[keyword];
    const role = roleOf(keyword, value);
    if (role === 'data' || isScaffold(keyword)) continue;
    if (role === 'schema') {
      add(value, keyword);
      continue;
    }
    const keys = Object.keys(value as object);
    for (const key of role === 'map' ? keys.sort() : keys) add((value as JsonSchema)[key], keyword, key);
  }
  // Last, so that the schema's own members keep their places.
  const allOf = own(source, 'allOf');
  if (isRecord(beside)) add(beside, 'allOf', String(Array.isArray(allOf) ? allOf.length : 0));
  return found;
}
