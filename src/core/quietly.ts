/**
 * Runs what must not break the work around it, such as a listener of the host's. What it throws, or a promise of it rejects
 * with, is heard by nobody; the answer is then undefined.
 */
export function quietly<T>(work: () => T): T | undefined {
  try {
    const value = work();
    if (value instanceof Promise) value.catch(() => {});
    return value;
  } catch {
    return undefined;
  }
}
