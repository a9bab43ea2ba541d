import { isRecord, readJson } from '../core/json.js';

/** Arguments as they were when the call was made, or why there are none that could be sent. */
export type Detached =
  | { readonly ok: true; readonly args: Readonly<Record<string, unknown>>; readonly wasText: boolean }
  | { readonly ok: false; readonly problem: string; readonly cause?: unknown };

/**
 * A copy as plain JSON, which what the caller does later does not change. Nothing given means no arguments; the whole may be
 * given as JSON text (D8).
 */
export function detachArguments(given: unknown): Detached {
  if (given === undefined || given === null) return { ok: true, args: {}, wasText: false };
  if (typeof given === 'string') return judge(readJson(given), 'a string', true);
  if (typeof given !== 'object') return judge(undefined, `a ${typeof given}`, false);
  try {
    const copy: unknown = JSON.parse(JSON.stringify(given));
    return judge(copy, Array.isArray(copy) ? 'an array' : 'something else', false);
  } catch (cause) {
    return { ok: false, problem: 'cannot be written as JSON (a cycle, a BigInt, or nested too deeply)', cause };
  }
}

function judge(copy: unknown, found: string, wasText: boolean): Detached {
  return isRecord(copy)
    ? { ok: true, args: copy, wasText }
    : { ok: false, problem: `must be a JSON object, not ${found}` };
}
