import { quietly } from './quietly.js';

/** Whether a value is an object with members, as JSON has them. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text; undefined where it is none. The parser's own error quotes the text, so it is not passed on. */
export function readJson(text: string): unknown {
  return quietly<unknown>(() => JSON.parse(text));
}

/** A deep copy by way of JSON text, which keeps own `__proto__` keys. Throws for what has no such text, or is too deep to be written. */
export function cloneJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** JSON text of data of any depth; undefined for what has none. Throws a TypeError on a cycle or a bigint. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The native writer recurses. The order of keys is the only other difference of this one.
    if (error instanceof RangeError) return canonicalJson(value);
    throw error;
  }
}

/** Whether two values are the same JSON data, whatever the order of keys. Iterative; for data as `JSON.parse` gives it. */
export function sameJson(one: unknown, other: unknown): boolean {
  const open: [unknown, unknown][] = [[one, other]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [a, b] = pair;
    if (a === b) continue;
    if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      open.push([readMember(a, key), readMember(b, key)]);
    }
  }
  return true;
}

/** How far {@link measureJson} goes. Both are inclusive. */
export interface JsonBounds {
  /** Deepest level allowed. The value itself is at depth 0, its members at depth 1. */
  readonly depth: number;
  /** Values allowed: objects, arrays and scalars, the value itself included. Keys are not counted. */
  readonly nodes: number;
}

export type JsonMeasure =
  | {
      readonly ok: true;
      /** Depth of the deepest value; 0 for a scalar or an empty container. */
      readonly depth: number;
      readonly nodes: number;
      /** Length of the JSON text in UTF-16 code units; exact where no string needs an escape, else a little low. */
      readonly chars: number;
      /** Whether it holds NaN or an infinity, which `JSON.parse` makes of `1e999` and JSON text cannot carry. */
      readonly nonFinite: boolean;
    }
  | { readonly ok: false; readonly exceeded: 'depth' | 'nodes' };

/** A sum that grows while a value is walked. */
interface Tally {
  chars: number;
  nonFinite: boolean;
}

/**
 * Walks plain JSON data and measures it (G9). Iterative, so that no depth of input ends in a `RangeError`, and it stops as
 * soon as a bound is passed, so that a cycle ends too.
 */
export function measureJson(value: unknown, bounds: JsonBounds): JsonMeasure {
  const tally: Tally = { chars: 0, nonFinite: false };
  const containers: object[] = [];
  const depths: number[] = [];
  let nodes = 1;
  let deepest = 0;
  if (nodes > bounds.nodes) return { ok: false, exceeded: 'nodes' };
  if (isContainer(value)) {
    containers.push(value);
    depths.push(0);
  } else addScalar(tally, value);

  for (let container = containers.pop(); container !== undefined; container = containers.pop()) {
    const depth = depths.pop()! + 1;
    const keys = Array.isArray(container) ? undefined : Object.keys(container);
    const size = keys === undefined ? (container as unknown[]).length : keys.length;
    let members = 0;
    for (let index = 0; index < size; index++) {
      const child = keys === undefined ? (container as unknown[])[index] : readMember(container, keys[index]!);
      if (keys !== undefined && isOmitted(child)) continue;
      if (depth > bounds.depth) return { ok: false, exceeded: 'depth' };
      if (++nodes > bounds.nodes) return { ok: false, exceeded: 'nodes' };
      members += 1;
      if (keys !== undefined) tally.chars += keys[index]!.length + 3;
      if (isContainer(child)) {
        containers.push(child);
        depths.push(depth);
      } else addScalar(tally, child);
    }
    if (members > 0 && depth > deepest) deepest = depth;
    tally.chars += 2 + Math.max(0, members - 1);
  }
  return { ok: true, depth: deepest, nodes, chars: tally.chars, nonFinite: tally.nonFinite };
}

function addScalar(tally: Tally, value: unknown): void {
  if (typeof value === 'string') tally.chars += value.length + 2;
  else if (typeof value === 'number' && Number.isFinite(value)) tally.chars += String(value).length;
  else if (typeof value === 'boolean') tally.chars += value ? 4 : 5;
  else tally.chars += 4;
  if (typeof value === 'number' && !Number.isFinite(value)) tally.nonFinite = true;
}

/** One container that is being written. */
interface Frame {
  readonly source: object;
  /** Sorted; absent for an array. */
  readonly keys: readonly string[] | undefined;
  readonly size: number;
  next: number;
  written: number;
}

/** From this depth on, ancestors are remembered, so that a cycle is told from depth. Shallower data pays nothing for it. */
const CYCLE_WATCH_DEPTH = 512;

/**
 * JSON text with object keys in UTF-16 code-unit order and no white space: equal data gives equal text (S4).
 *
 * The text is built key by key, never by copying into an object, so an own `__proto__` key stays. Strings are written as
 * `JSON.stringify` writes them, which keeps two different lone surrogates different. Members without a JSON form are
 * skipped and a non-finite number is `null`, as in `JSON.stringify`; {@link measureJson} tells whether there is one.
 * `toJSON` is not called. Any depth is written.
 *
 * @throws TypeError on a cycle or a bigint.
 */
export function canonicalJson(value: unknown): string {
  if (!isContainer(value)) return scalarText(value);
  const open: Frame[] = [openFrame(value)];
  let ancestors: Set<object> | undefined;
  let text = Array.isArray(value) ? '[' : '{';
  for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
    if (frame.next === frame.size) {
      text += frame.keys === undefined ? ']' : '}';
      ancestors?.delete(frame.source);
      open.pop();
      continue;
    }
    const key = frame.keys?.[frame.next];
    const child = key === undefined ? (frame.source as unknown[])[frame.next] : readMember(frame.source, key);
    frame.next += 1;
    if (key !== undefined && isOmitted(child)) continue;
    if (frame.written++ > 0) text += ',';
    if (key !== undefined) text += `${JSON.stringify(key)}:`;
    if (!isContainer(child)) {
      text += scalarText(child);
      continue;
    }
    if (open.length >= CYCLE_WATCH_DEPTH) {
      ancestors ??= new Set(open.map((each) => each.source));
      if (ancestors.has(child)) throw new TypeError('A cyclic value has no JSON text.');
      ancestors.add(child);
    }
    text += Array.isArray(child) ? '[' : '{';
    open.push(openFrame(child));
  }
  return text;
}

function openFrame(source: object): Frame {
  // The default sort compares UTF-16 code units, on every runtime and in every locale.
  const keys = Array.isArray(source) ? undefined : Object.keys(source).sort();
  const size = keys === undefined ? (source as unknown[]).length : keys.length;
  return { source, keys, size, next: 0, written: 0 };
}

function scalarText(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Reads a key that `Object.keys` gave, which makes it the object's own, `__proto__` included. */
function readMember(source: object, key: string): unknown {
  return (source as Record<string, unknown>)[key];
}

/** What `JSON.stringify` leaves out of an object. */
function isOmitted(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}
