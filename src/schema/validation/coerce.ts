import { cloneJson, readJson } from '../../core/json.js';
import { type Failure, typesOf } from './failures.js';

/** A string that stands where the schema wants something else, and is that, as JSON. */
export interface Coercion {
  readonly tokens: readonly string[];
  readonly value: unknown;
}

/** The strings that can be read as what the schema wants there, of all alternatives (D8). */
export function findCoercions(failures: readonly Failure[]): readonly Coercion[] {
  return failures.flatMap((failure): readonly Coercion[] => {
    if (failure.branches !== undefined) return failure.branches.flatMap(findCoercions);
    const { keyword, tokens, value, node } = failure;
    if (keyword !== 'type' || typeof value !== 'string') return [];
    const read = readExactly(value);
    return read !== undefined && typesOf(node).some((type) => isOf(read, type)) ? [{ tokens, value: read }] : [];
  });
}

/** What a text is, where it is an object, array, number or boolean and nothing else, and nothing is lost in reading it. */
function readExactly(text: string): unknown {
  const value = readJson(text);
  if (typeof value === 'object' && value !== null) return value;
  if (text !== text.trim()) return undefined;
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type && !Array.isArray(value);
}

/** A copy of the data with the values in place of the strings. */
export function applyCoercions(data: unknown, coercions: readonly Coercion[]): unknown {
  const holder = { root: cloneJson(data) };
  for (const { tokens, value } of coercions) {
    let parent = holder as unknown as Record<string, unknown>;
    let last = 'root';
    for (const token of tokens) {
      parent = parent[last] as Record<string, unknown>;
      last = token;
    }
    Object.defineProperty(parent, last, { value, writable: true, enumerable: true, configurable: true });
  }
  return holder.root;
}
