/** How often work that is shared shows that whoever began it is still there. */
const BEAT_MS = 250;
/** Beats missed in a row before it counts as abandoned. */
const MISSED_BEATS = 4;

/** One piece of work that several wait for. */
export interface Shared<T> {
  /**
   * Settles as the work does, or resolves to `undefined` where the work was abandoned: on Workers a request may be cancelled
   * in the middle of it, and what that request waits for then never settles for anybody (W9).
   */
  wait(): Promise<T | undefined>;
}

/** Shares work that this Workers request began. */
export function share<T>(work: Promise<T>): Shared<T> {
  let beats = 0;
  let settled = false;
  // A timer of a request that has ended no longer runs.
  const beating = setInterval(() => {
    beats += 1;
  }, BEAT_MS);
  const settle = () => {
    settled = true;
    clearInterval(beating);
  };
  work.then(settle, settle);
  return {
    async wait() {
      if (settled) return work;
      const silence = watchFor(() => beats);
      try {
        return await Promise.race([work, silence.promise]);
      } finally {
        silence.end();
      }
    },
  };
}

/** Turns are counted, not time: a thread that was busy for long is no silence. */
function watchFor(beats: () => number): { readonly promise: Promise<undefined>; end(): void } {
  let heard = beats();
  let missed = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const promise = new Promise<undefined>((resolve) => {
    timer = setInterval(() => {
      missed = beats() === heard ? missed + 1 : 0;
      heard = beats();
      if (missed > MISSED_BEATS) resolve(undefined);
    }, BEAT_MS);
  });
  return { promise, end: () => clearInterval(timer) };
}
