/** Least and longest wait before something that failed is tried again (C6, L7). */
export const LEAST_WAIT_MS = 250;
export const LONGEST_WAIT_MS = 30_000;
/** How much longer each wait is than the one before it. */
export const WAIT_GROWTH = 2;

/** Milliseconds to wait after so many failures in a row: none after none. */
export function backoffMs(failures: number): number {
  if (failures === 0) return 0;
  return Math.min(LEAST_WAIT_MS * WAIT_GROWTH ** (failures - 1), LONGEST_WAIT_MS);
}
