import type { JsonSchema } from '../core/tools.js';
import { isSilent, type Obstacle, type Place } from './expand.js';
import { IN_PLACE, isConstraint, isScaffold, UNEVALUATED } from './keywords.js';

/** One thing that a projection says less of than the original. */
export interface Loss {
  readonly place: Place;
  /** The keyword that it is about; absent where the place itself is meant. */
  readonly keyword?: string;
  readonly reason: Obstacle | 'left-out' | 'any-of';
}

/** What was made of a place. */
interface Made {
  readonly schema: JsonSchema | boolean;
  /** Whether it, or anything below, accepts more than what the server wrote. */
  readonly loosened: boolean;
  /** Whether `unevaluated*` above it may find fewer members evaluated than with what the server wrote. */
  readonly unseen: boolean;
  /** Keywords that were left out, with everything below them. */
  readonly gone: readonly string[];
  readonly losses: readonly Loss[];
}

export interface Rebuilt {
  readonly schema: JsonSchema;
  /** Parents before children, in the order of the places. */
  readonly losses: readonly Loss[];
}

/** Writes a schema from its places, children before parents, so that no depth is a danger. */
export function rebuildSchema(places: readonly Place[], ignoring: boolean): Rebuilt {
  const made = new Map<Place, Made>();
  for (let index = places.length - 1; index >= 0; index--) {
    const place = places[index]!;
    made.set(place, rebuildPlace(place, made, ignoring));
  }
  const left = new Set<Place>();
  for (const place of places) {
    const { parent, keyword } = place;
    if (parent !== undefined && (left.has(parent) || made.get(parent)!.gone.includes(keyword))) left.add(place);
  }
  const losses = places.flatMap((place) => (left.has(place) ? [] : made.get(place)!.losses));
  // The root is never a mere boolean.
  return { schema: made.get(places[0]!)!.schema as JsonSchema, losses };
}

function rebuildPlace(place: Place, made: ReadonlyMap<Place, Made>, ignoring: boolean): Made {
  const below = (keywords: Iterable<string>, finding: 'loosened' | 'unseen') => {
    for (const keyword of keywords) {
      for (const each of place.below.get(keyword)?.values() ?? []) if (made.get(each)![finding]) return true;
    }
    return false;
  };
  const { obstacles, boolean } = place;
  const fields = boolean === undefined ? writeFields(place, made, ignoring) : undefined;
  const losses: Loss[] = obstacles.map((reason) => ({ place, reason }));
  const gone: string[] = [];
  let unseen = losses.length > 0 || below(IN_PLACE, 'unseen');
  const loosened = losses.length > 0 || below(place.below.keys(), 'loosened');
  if (fields !== undefined && loosened) {
    const isLoosened = (keyword: string) => below([keyword], 'loosened');
    unseen = relax({ place, fields, isLoosened, unseen, gone, losses });
  }
  return { schema: boolean ?? Object.fromEntries(fields!), loosened, unseen, gone, losses };
}

/** The keywords of a place, in the order of its source. Entries keep an own `__proto__` (N8). */
function writeFields(place: Place, made: ReadonlyMap<Place, Made>, ignoring: boolean): Map<string, unknown> {
  const { source, notes, beside, referred } = place;
  const fields = new Map<string, unknown>();
  const silent = isSilent(source, ignoring);
  for (const [keyword, value] of Object.entries(source)) {
    if (isScaffold(keyword) || (silent && isConstraint(keyword)) || (referred && keyword === '$schema')) continue;
    const members = place.below.get(keyword);
    fields.set(keyword, members === undefined ? value : writeMembers(value, members, made));
  }
  for (const each of notes.toReversed())
    for (const [keyword, value] of Object.entries(each)) fields.set(keyword, value);
  if (beside === undefined || beside === true) return fields;
  const allOf = fields.get('allOf');
  const joined = beside === false ? false : made.get([...place.below.get('allOf')!.values()].at(-1)!)!.schema;
  return fields.set('allOf', [...(Array.isArray(allOf) ? allOf : []), joined]);
}

function writeMembers(
  value: unknown,
  members: ReadonlyMap<string | undefined, Place>,
  made: ReadonlyMap<Place, Made>,
): unknown {
  const write = (member: unknown, key?: string) => {
    const place = members.get(key);
    return place === undefined ? member : made.get(place)!.schema;
  };
  if (Array.isArray(value)) return value.map((member, index) => write(member, String(index)));
  if (members.has(undefined)) return write(value);
  return Object.fromEntries(Object.entries(value as object).map(([key, member]) => [key, write(member, key)]));
}

/** A place that is being written. */
interface Draft {
  readonly place: Place;
  readonly fields: Map<string, unknown>;
  /** Whether a schema under this keyword accepts more than it did. */
  isLoosened(keyword: string): boolean;
  readonly unseen: boolean;
  readonly gone: string[];
  readonly losses: Loss[];
}

/**
 * Under most keywords a schema that accepts more makes the whole accept more. Where it would make it accept less, the
 * keyword itself is loosened instead, which is the nearest place where that is sound. Returns `unseen`.
 */
function relax(draft: Draft): boolean {
  const { fields, isLoosened } = draft;
  let { unseen } = draft;
  if (isLoosened('not')) leaveOut(draft, ['not']);
  if (isLoosened('if')) {
    leaveOut(draft, ['if', 'then', 'else']);
    unseen = true;
  }
  if (isLoosened('contains')) leaveOut(draft, ['maxContains']);
  if (isLoosened('oneOf') && fields.has('anyOf')) {
    leaveOut(draft, ['oneOf']);
    unseen = true;
  } else if (isLoosened('oneOf')) becomeAnyOf(draft);
  const counted = UNEVALUATED.filter((keyword) => fields.get(keyword) !== true);
  if (unseen) leaveOut(draft, counted);
  return unseen;
}

function leaveOut({ place, fields, gone, losses }: Draft, keywords: readonly string[]): void {
  for (const keyword of keywords) {
    if (!fields.delete(keyword)) continue;
    gone.push(keyword);
    losses.push({ place, keyword, reason: 'left-out' });
  }
}

/** One that was the only match may no longer be. */
function becomeAnyOf({ place, fields, losses }: Draft): void {
  const entries = [...fields];
  fields.clear();
  for (const [keyword, value] of entries) fields.set(keyword === 'oneOf' ? 'anyOf' : keyword, value);
  for (const branch of place.below.get('oneOf')!.values()) branch.keyword = 'anyOf';
  losses.push({ place, keyword: 'anyOf', reason: 'any-of' });
}
