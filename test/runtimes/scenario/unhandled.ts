/** What the platforms tell of a rejection that nobody took; each has its own event for it, some have two. */
interface Rejection {
  readonly promise?: unknown;
  readonly reason?: unknown;
  preventDefault?(): void;
}

export interface Unhandled {
  /** Rejections that nobody took so far, and errors that nobody caught, but for the control's own. */
  left(): readonly string[];
  /** Leaves a rejection unhandled on purpose, and says whether it was seen: else nothing seen would mean nothing. */
  control(): Promise<boolean>;
}

const CONTROL = 'left unhandled on purpose';

export function watchUnhandled(): Unhandled {
  const seen = new Map<unknown, string>();
  const take = (promise: unknown, reason: unknown) => seen.set(promise, String(reason));
  // Some report early, and take it back when the rejection is handled after all.
  const takeBack = (promise: unknown) => seen.delete(promise);
  if (typeof addEventListener === 'function') {
    addEventListener('unhandledrejection', (event) => {
      const { promise, reason } = event as Event & Rejection;
      event.preventDefault();
      take(promise, reason);
    });
    addEventListener('rejectionhandled', (event) => takeBack((event as Event & Rejection).promise));
    addEventListener('error', (event) => take(event, (event as Event & { readonly message?: unknown }).message));
  }
  const emitter = (globalThis as { readonly process?: Partial<NodeJS.Process> }).process;
  emitter?.on?.('unhandledRejection', (reason, promise) => take(promise, reason));
  emitter?.on?.('rejectionHandled', takeBack);
  return {
    left: () => [...seen.values()].filter((reason) => !reason.includes(CONTROL)),
    control: async () => {
      void Promise.reject(new Error(CONTROL));
      await new Promise((resolve) => setTimeout(resolve, 20));
      return [...seen.values()].some((reason) => reason.includes(CONTROL));
    },
  };
}
