import { isRecord, measureJson, readJson } from '../core/json.js';

/** Arguments as they were when the call was made, or why there are none that could be sent. */
export type Detached =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>>; readonly wasText: boolean }
  | { readonly ok: false; readonly problem: string; readonly cause?: unknown };

/** Levels that can be written as JSON wherever that is done: the writer recurses. */
const DEPTH_MAX = 1_000;
const UNWRITABLE = {
  ok: false,
  problem: 'cannot be written as JSON (a cycle, a BigInt, or nested too deeply)',
} as const;

/**
 * A copy as plain JSON, which what the caller does later does not change. Nothing given means no arguments; the whole may be
 * given as JSON text (D8).
 */
export function detachArguments(given: unknown): Detached {
  if (given === undefined || given === null) return { ok: true, args: {}, wasText: false };
  const wasText = typeof given === 'string';
  if (!wasText && typeof given !== 'object') return judge(undefined, `a ${typeof given}`, false);
  try {
    const copy: unknown = wasText ? readJson(given) : JSON.parse(JSON.stringify(given));
    if (!measureJson(copy, { depth: DEPTH_MAX, nodes: Number.POSITIVE_INFINITY }).ok) return UNWRITABLE;
    return judge(copy, wasText ? 'a string' : Array.isArray(copy) ? 'an array' : 'something else', wasText);
  } catch (cause) {
    return { ...UNWRITABLE, cause };
  }
}

function judge(copy: unknown, found: string, wasText: boolean): Detached {
  return isRecord(copy)
    ? { ok: true, args: copy, wasText }
    : { ok: false, problem: `must be a JSON object, not ${found}` };
}
