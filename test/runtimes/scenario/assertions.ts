import { isMcpError, type McpError } from 'mcp-toolset';

/** Shorter than a check may take, so that what was waited for has a name. */
const UNTIL_MS = 20_000;

/** The library's own error that `work` rejects with; everything else is a failure. */
export async function errorOf(work: Promise<unknown>): Promise<McpError> {
  const error = await work.then(
    (value) => new Error(`It resolved: ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!isMcpError(error)) throw error;
  return error;
}

/** Compares as JSON, which all that comes here is. */
export function same(actual: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`Expected ${shortened(wanted)}, got ${shortened(got)}`);
}

function shortened(text = 'undefined'): string {
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}

export async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + UNTIL_MS;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`Not true within ${UNTIL_MS} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not done after ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function describe(error: unknown): string {
  if (isMcpError(error)) return `${error.name} (${error.code}): ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
