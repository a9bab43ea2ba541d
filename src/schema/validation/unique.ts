import { isRecord } from '../../core/json.js';
import type { JsonSchema } from '../../core/tools.js';
import { own } from '../keywords.js';
import { hasRepeats } from './data.js';
import type { Meter, MeterRules } from './meter.js';

/** An array that repeats an item where its schema forbids that, by its JSON Pointer. */
export interface Repeated {
  readonly path: string;
}

/** Characters of text that a unit of fuel pays for. */
const CHARS_A_UNIT = 100;

/**
 * Arrays that must not repeat an item and do, wherever the schema is one that always holds. The validator compares each item
 * with each, which is too slow for long ones (G9); it has the last word on short ones in branches.
 */
export function findRepeated(
  root: JsonSchema,
  value: unknown,
  { meter, draft }: Pick<MeterRules, 'meter' | 'draft'>,
): readonly Repeated[] {
  const found: Repeated[] = [];
  const open: [schema: unknown, value: unknown, path: string][] = [[root, value, '']];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [schema, each, path] = next;
    if (!isRecord(schema) || typeof each !== 'object' || each === null) continue;
    meter.burn(1);
    // Older dialects ignore what stands beside a reference.
    if ((draft === '4' || draft === '7') && Object.hasOwn(schema, '$ref')) continue;
    const parts = own(schema, 'allOf');
    if (Array.isArray(parts)) for (const part of parts) open.push([part, each, path]);
    if (Array.isArray(each)) {
      if (own(schema, 'uniqueItems') === true && repeats(each, meter)) found.push({ path });
      const items = Object.hasOwn(schema, 'prefixItems') ? undefined : own(schema, 'items');
      if (isRecord(items)) for (const [index, item] of each.entries()) open.push([items, item, `${path}/${index}`]);
      continue;
    }
    const properties = own(schema, 'properties');
    if (!isRecord(properties)) continue;
    // There may be many more properties than members.
    const members = Object.entries(each);
    meter.burn(Math.floor(members.length / 20));
    for (const [name, member] of members) {
      const property = own(properties, name);
      if (property !== undefined) open.push([property, member, `${path}/${escapePointer(name)}`]);
    }
  }
  return found;
}

/** Whether no array in the data repeats an item, wherever it stands. */
export function isDistinct(data: unknown, meter: Meter): boolean {
  const open: unknown[] = [data];
  for (let index = 0; index < open.length; index++) {
    const value = open[index];
    if (typeof value !== 'object' || value === null) continue;
    if (Array.isArray(value) && repeats(value, meter)) return false;
    for (const member of Object.values(value)) open.push(member);
  }
  return true;
}

function repeats(array: readonly unknown[], meter: Meter): boolean {
  meter.burn((JSON.stringify(array)?.length ?? 0) / CHARS_A_UNIT);
  return hasRepeats(array);
}

export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
