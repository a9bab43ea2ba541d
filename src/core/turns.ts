/** Pieces of work done without a pause: a few milliseconds for real tools. */
export const PIECES_A_TURN = 256;

/** Lets everything else that waits run. Turns are counted, not time: on Workers a clock stands still within one. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
