import { inspect } from 'node:util';
import { expect } from 'vitest';

/** What stands for a secret in the tests' configurations. Each is found nowhere else, so that it tells where it came from. */
export const SECRETS = {
  header: 'canary-header-5d1c',
  token: 'canary-token-90ab',
  query: 'canary-query-77e2',
  user: 'canary-user-3f08',
  env: 'canary-env-c4e1',
} as const;

/** A secret in what every request of a server carries: its headers and its query. Neither looks like one by its name. */
export const CANARY_QUERY = `?tenant=${SECRETS.query}`;
export const CANARY_HEADERS = { 'x-tenant': SECRETS.header } as const;

/** Tokens are numbered and sessions named, so any ending counts. */
const SECRET = /canary-(?:header|token|query|user|env|issued|stored)(?:-|$)/;

/** Every string that can be reached from a value, hidden properties and getters included, and every class on the way. */
export function reach(root: unknown): { readonly strings: string[]; readonly classes: Set<string> } {
  const strings: string[] = [];
  const classes = new Set<string>();
  const seen = new Set<unknown>();
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value === 'string') strings.push(value);
    if (typeof value === 'function') classes.add('function');
    if (value instanceof URL) strings.push(value.href);
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    seen.add(value);
    if (typeof value === 'object') classes.add(Object.getPrototypeOf(value)?.constructor?.name ?? 'null');
    if (value instanceof Map || value instanceof Set || value instanceof Headers) waiting.push([...value]);
    for (const key of [...Object.getOwnPropertyNames(value), ...Object.getOwnPropertySymbols(value)]) {
      strings.push(String(key));
      waiting.push((value as Record<PropertyKey, unknown>)[key]);
    }
  }
  return { strings, classes };
}

/** Every way in which a value may end in a log. One that is too deep to be printed is not printed. */
function shown(value: unknown): string[] {
  const ways = [
    () => JSON.stringify(value) ?? '',
    () => (value instanceof Error ? String(value) : ''),
    () => inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
  ];
  return [...reach(value).strings, ...ways.map((way) => printed(way))];
}

function printed(way: () => string): string {
  try {
    return way();
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

/** Fails where a secret can be reached from a value, or would be printed with it (S1, R7). */
export function expectNoSecrets(...values: readonly unknown[]): void {
  for (const value of values) {
    expect(
      shown(value)
        .filter((text) => SECRET.test(text))
        .map((text) => text.slice(0, 300)),
    ).toEqual([]);
  }
}
