import { cleanText, type HiddenFound } from '../core/hidden-text.js';
import { isRecord } from '../core/json.js';
import type { JsonSchema } from '../core/tools.js';
import { type Role, roleOfMember } from './keywords.js';

/** What a schema is checked by or filled in with: changing it would change what it means. */
const FUNCTIONAL: ReadonlySet<string> = new Set([
  '$anchor',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$recursiveRef',
  '$ref',
  '$schema',
  'const',
  'contentEncoding',
  'contentMediaType',
  'default',
  'dependencies',
  'dependentRequired',
  'enum',
  'examples',
  'format',
  'id',
  'pattern',
  'required',
  'type',
]);

/** Told of each text that holds something hidden, by its JSON Pointer, and whether that was removed. */
export type OnHidden = (path: string, removed: boolean) => void;

interface Cleaning {
  readonly found: HiddenFound;
  readonly onHidden: OnHidden;
}

/**
 * A schema without hidden text in its annotations; in what it is checked by, hidden text stays and is only told (G10). What is
 * clean is shared with the original, which is not changed.
 */
export function cleanSchema(schema: JsonSchema, cleaning: Cleaning, path = ''): JsonSchema {
  return cleanMembers(schema, 'schema', path, cleaning) as JsonSchema;
}

function cleanMembers(value: object, role: Role, path: string, cleaning: Cleaning): object {
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const [key, member] of Object.entries(value)) {
    const at = `${path}/${key}`;
    if (!Array.isArray(value)) tell(key, at, cleaning);
    const cleaned = cleanMember(role, key, member, at, cleaning);
    if (cleaned === member) continue;
    copy ??= Array.isArray(value) ? [...value] : { ...value };
    Object.defineProperty(copy, key, { value: cleaned, enumerable: true, writable: true, configurable: true });
  }
  return copy ?? value;
}

function cleanMember(role: Role, key: string, member: unknown, path: string, cleaning: Cleaning): unknown {
  // `dependencies` may hold schemas, in which there are annotations.
  const isFunctional = role === 'schema' && FUNCTIONAL.has(key) && !(key === 'dependencies' && isRecord(member));
  if (isFunctional) {
    tellAll(member, path, cleaning);
    return member;
  }
  if (typeof member === 'string') {
    const { count } = cleaning.found;
    const text = cleanText(member, cleaning.found);
    if (cleaning.found.count > count) cleaning.onHidden(path, true);
    return text;
  }
  if (typeof member !== 'object' || member === null) return member;
  return cleanMembers(member, roleOfMember(role, key, member), path, cleaning);
}

/** Hidden text that stays. */
function tellAll(value: unknown, path: string, cleaning: Cleaning): void {
  if (typeof value === 'string') tell(value, path, cleaning);
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value)) tell(key, path, cleaning);
    tellAll(member, `${path}/${key}`, cleaning);
  }
}

function tell(text: string, path: string, { found, onHidden }: Cleaning): void {
  const { count } = found;
  cleanText(text, found);
  if (found.count > count) onHidden(path, false);
}
