import { didYouMean } from '../core/closest.js';
import { McpConfigError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import type { ToolFilter } from '../core/servers.js';
import { MAX_TIMEOUT_MS } from './defaults.js';

/** Refuses every key that is not known, so that a typing mistake in a guard is never silently no guard at all. */
export function checkKeys(value: object, known: readonly string[], toCome: readonly string[], where: string): void {
  for (const key of Object.keys(value)) {
    if ((value as Record<string, unknown>)[key] === undefined || known.includes(key)) continue;
    if (toCome.includes(key)) {
      throw new McpConfigError(`\`${key}\` in ${where} is not built in this version; remove it.`);
    }
    throw new McpConfigError(`\`${key}\` in ${where} is not known.${didYouMean(key, [...known, ...toCome])}`);
  }
}

export function checkTimeout(value: unknown, option: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value > 0 && value <= MAX_TIMEOUT_MS) return value;
  throw new McpConfigError(`\`${option}\` must be a number of milliseconds above 0 and at most ${MAX_TIMEOUT_MS}.`);
}

export function checkLimit(value: unknown, option: string, max = Number.POSITIVE_INFINITY): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && value > max) throw new McpConfigError(`\`${option}\` must be at most ${max}.`);
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  if (value === Number.POSITIVE_INFINITY) return value;
  throw new McpConfigError(`\`${option}\` must be a positive integer, or Infinity.`);
}

export function checkOneOf<const T>(value: unknown, allowed: readonly T[], option: string): T | undefined {
  if (value === undefined) return undefined;
  if ((allowed as readonly unknown[]).includes(value)) return value as T;
  throw new McpConfigError(`\`${option}\` must be one of ${allowed.map((entry) => JSON.stringify(entry)).join(', ')}.`);
}

export function checkBoolean(value: unknown, option: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value;
  throw new McpConfigError(`\`${option}\` must be true or false.`);
}

export function checkFunction(value: unknown, option: string): void {
  if (value !== undefined && typeof value !== 'function') throw new McpConfigError(`\`${option}\` must be a function.`);
}

/** `{ allow }` or `{ block }`, never both (W3, L4). */
export function checkFilter(filter: unknown, where: string): ToolFilter | undefined {
  if (filter === undefined) return undefined;
  if (!isRecord(filter)) throw new McpConfigError(`${where} must be { allow: [...] } or { block: [...] }.`);
  checkKeys(filter, ['allow', 'block'], [], where);
  const { allow, block } = filter;
  if (allow !== undefined && block !== undefined) {
    throw new McpConfigError(`${where} has both \`allow\` and \`block\`; give one of them.`);
  }
  const entries = allow ?? block;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === 'string' && entry !== '')) {
    throw new McpConfigError(`${where} must hold a list of tool names under \`allow\` or \`block\`.`);
  }
  return filter as ToolFilter;
}

export function isAbortSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener, removeEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return [typeof aborted, typeof addEventListener, typeof removeEventListener].join() === 'boolean,function,function';
}
