import { cloneJson, measureJson, readJson } from '../../core/json.js';
import { type Failure, typesOf } from './failures.js';
import { rankOf } from './issues.js';

/** A string that stands where the schema wants something else, and is that, as JSON. */
export interface Coercion {
  readonly tokens: readonly string[];
  readonly value: unknown;
}

/** The strings that can be read as what the schema wants there; of alternatives, of the one that was meant (D8). */
export function findCoercions(failures: readonly Failure[]): readonly Coercion[] {
  return mend(failures).coercions;
}

interface Mending {
  readonly coercions: readonly Coercion[];
  /** Whether nothing else is wrong. */
  readonly isAll: boolean;
}

function mend(failures: readonly Failure[]): Mending {
  const parts = failures.map((failure) => mendBranches(failure) ?? mendValue(failure));
  return { coercions: parts.flatMap(({ coercions }) => coercions), isAll: parts.every(({ isAll }) => isAll) };
}

/** What one alternative wants would make another one, which was meant, refuse the value. */
function mendBranches(failure: Failure): Mending | undefined {
  if (failure.branches === undefined) return undefined;
  const ranked = failure.branches.map((branch) => {
    const mending = mend(branch);
    return { mending, rank: mending.isAll ? 0 : rankOf(branch, failure) };
  });
  return ranked.reduce((one, other) => (other.rank < one.rank ? other : one)).mending;
}

function mendValue({ keyword, tokens, value, node }: Failure): Mending {
  const read = keyword === 'type' && typeof value === 'string' ? readExactly(value) : undefined;
  const isMended = read !== undefined && typesOf(node).some((type) => isOf(read, type));
  return { coercions: isMended ? [{ tokens, value: read }] : [], isAll: isMended };
}

/** Deepest value that is read of a string: a deeper one may be more than can be written as JSON. */
const DEPTH_MAX = 256;

/** What a text is, where it is an object, array, number or boolean and nothing else, and nothing is lost in reading it. */
function readExactly(text: string): unknown {
  // Most texts are none, and failing to read one takes long.
  if (!/^\s*[[{\-\dtf]/.test(text)) return undefined;
  const value = readJson(text);
  if (typeof value === 'object' && value !== null)
    return measureJson(value, { depth: DEPTH_MAX, nodes: Number.POSITIVE_INFINITY }).ok ? value : undefined;
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
