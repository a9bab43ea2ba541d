import { vi } from 'vitest';

/** Timers that keep this process alive. */
export const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/**
 * A turn of the loop that has just begun. Timers start by the loop's own clock, which is as old as the turn: in a long one they
 * seem to end early.
 */
export const freshTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** From now on the clock is ahead by what passes; timers run as they do. `vi.restoreAllMocks` ends it. */
export function clock() {
  const { now } = Date;
  let ahead = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
  return {
    pass(ms: number) {
      ahead += ms;
    },
  };
}
