import { isMcpError, type McpErrorCode } from '../core/errors.js';
import { canonicalJson } from '../core/json.js';

/** One test of a contract, for any runner: `for (const { name, run } of cases) it(name, run)`. */
export interface ContractCase {
  /** Begins with the ids of the rules that it shows. */
  readonly name: string;
  /** Rejects with what is wrong. */
  run(): Promise<void>;
}

/** Compares JSON data. Members that are undefined count as absent, and the order of keys plays no part. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [got, wanted] = [canonicalJson(actual), canonicalJson(expected)];
  if (got !== wanted) throw new Error(`${what}: expected ${shortened(wanted)}, got ${shortened(got)}`);
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** Whether `work` throws, or rejects, with an error of this library of that code. */
export async function refuses(work: () => unknown, code: McpErrorCode, what: string): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (isMcpError(error) && error.code === code) return;
    throw new Error(`${what}: expected an error of code ${code}, got ${String(error)}`, { cause: error });
  }
  throw new Error(`${what}: it was not refused`);
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
