import type { ClosingSignal } from './deadline.js';

/** Waits, and no longer than until `signal` is aborted. Nothing to wait for takes no turn. */
export function sleep(ms: number, signal: ClosingSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
