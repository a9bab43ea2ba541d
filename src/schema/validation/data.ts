import { canonicalJson } from '../../core/json.js';

/** What checking a value may cost, by its widest parts. */
export interface DataSize {
  /** Most members of one object. */
  readonly keys: number;
  /** Length of the names of one object together, at most, in UTF-16 code units. */
  readonly names: number;
  /** Most items of one array. */
  readonly items: number;
  /** Longest string, property names included, in UTF-16 code units. */
  readonly text: number;
}

/** Values beyond which nothing is checked: reading them all would take too long by itself. */
const NODES_MAX = 100_000;
/** Undefined for a value with too many parts. Iterative. */
export function measureData(value: unknown): DataSize | undefined {
  const open: unknown[] = [value];
  let [keys, names, items, text] = [0, 0, 0, 0];
  for (let index = 0; index < open.length; index++) {
    const each = open[index];
    if (typeof each === 'string') text = Math.max(text, each.length);
    if (typeof each !== 'object' || each === null) continue;
    if (Array.isArray(each)) items = Math.max(items, each.length);
    else {
      const own = Object.keys(each);
      keys = Math.max(keys, own.length);
      names = Math.max(
        names,
        own.reduce((sum, name) => sum + name.length, 0),
      );
      for (const name of own) text = Math.max(text, name.length);
    }
    const members: readonly unknown[] = Array.isArray(each) ? each : Object.values(each);
    if (open.length + members.length > NODES_MAX) return undefined;
    for (const member of members) open.push(member);
  }
  return { keys, names, items, text };
}

/** Whether two items are the same value, told by their canonical text (G9). */
export function hasRepeats(array: readonly unknown[]): boolean {
  const texts = new Set<string>();
  for (const item of array) {
    const text = canonicalJson(item);
    if (texts.has(text)) return true;
    texts.add(text);
  }
  return false;
}
