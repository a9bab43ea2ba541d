import { LEAST_WAIT_MS, LONGEST_WAIT_MS } from '../core/backoff.js';

/**
 * At most so many streams of one connection wait to be taken up at a time: a Workers request takes its timers with it when it
 * ends. Any more are taken up at once, since a call whose stream is not would wait for its answer in vain.
 */
const MOST_WAITING = 256;

/** Takes up the event streams of one connection again, in the SDK's place: its own timers outlive the connection. */
export interface Reconnection {
  /** What the SDK calls: runs `reconnect` later. What a server asks for stays between the least and the longest wait. */
  schedule(reconnect: () => void, delayMs: number): () => void;
  /** Cancels everything that waits. */
  close(): void;
}

export function createReconnection(): Reconnection {
  const waiting = new Set<ReturnType<typeof setTimeout>>();
  return {
    schedule(reconnect, delayMs) {
      if (waiting.size >= MOST_WAITING) {
        reconnect();
        return () => {};
      }
      const run = () => {
        waiting.delete(timer);
        reconnect();
      };
      const timer = setTimeout(run, Math.min(Math.max(delayMs, LEAST_WAIT_MS), LONGEST_WAIT_MS));
      waiting.add(timer);
      // Not for the SDK to cancel: it remembers one of several, and of that one it does not know whose it was.
      return () => {};
    },
    close() {
      for (const timer of waiting) clearTimeout(timer);
      waiting.clear();
    },
  };
}
