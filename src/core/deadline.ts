import { McpAbortError, McpClosedError, type McpError, type McpErrorDetails, McpTimeoutError } from './errors.js';

/** Why a piece of work was ended before its answer. Our own record; never read off somebody else's error (C2). */
export type EndReason = 'timeout' | 'aborted' | 'closed';

/**
 * What ends every piece of work of a toolset. It is used as an `AbortSignal` is, but any number may listen: Node warns of
 * a leak at an `AbortSignal`'s eleventh listener.
 */
export interface ClosingSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** One time limit over a piece of work, together with the signals that may end it earlier. */
export interface Deadline {
  /** Aborted when the work must end, for whichever reason. */
  readonly signal: AbortSignal;
  /** Why it ended; undefined while it has not. */
  readonly reason: EndReason | undefined;
  /** Milliseconds allowed. */
  readonly ms: number;
  /** Starts the time anew, within `totalMs`: the work has shown a sign of life (C3). */
  extend(): void;
  /** Settles as `work` does, or rejects with {@link Deadline.error} as soon as the deadline ends. */
  race<T>(work: Promise<T>, details: McpErrorDetails): Promise<T>;
  /** The error of an ended deadline. */
  error(details: McpErrorDetails): McpError;
  /** Takes the timer and every listener back. To be called in all cases. */
  dispose(): void;
}

export interface DeadlineOptions {
  readonly ms: number;
  /** Milliseconds in all, however often the time is extended. Default: `ms`. */
  readonly totalMs?: number;
  /** The caller's own signal. */
  readonly signal?: AbortSignal | undefined;
  /** Shares one listener on `signal` among many. */
  readonly listen?: Listen | undefined;
  /** Aborted when the toolset closes. */
  readonly closing?: ClosingSignal | undefined;
  /** The option that sets `ms`, for the message. */
  readonly option?: string;
}

/** Listens for the abort of a signal; the answer ends that. */
export type Listen = (signal: AbortSignal, listener: () => void) => () => void;

const listenAlone: Listen = (signal, listener) => {
  signal.addEventListener('abort', listener);
  return () => signal.removeEventListener('abort', listener);
};

interface Shared {
  readonly listeners: Set<() => void>;
  onAbort(): void;
}

/** One listener on each signal, for however many calls share it: Node warns of a leak at the eleventh. */
export function createListen(): Listen {
  const shared = new WeakMap<AbortSignal, Shared>();
  return (signal, listener) => {
    const entry = shared.get(signal) ?? createShared();
    entry.listeners.add(listener);
    if (entry.listeners.size === 1) {
      shared.set(signal, entry);
      signal.addEventListener('abort', entry.onAbort);
    }
    return () => {
      if (!entry.listeners.delete(listener) || entry.listeners.size > 0) return;
      shared.delete(signal);
      signal.removeEventListener('abort', entry.onAbort);
    };
  };
}

function createShared(): Shared {
  const listeners = new Set<() => void>();
  const onAbort = () => {
    for (const listener of [...listeners]) listener();
  };
  return { listeners, onAbort };
}

export interface Closing {
  readonly signal: ClosingSignal;
  abort(): void;
}

export function createClosing(): Closing {
  const listeners = new Set<() => void>();
  let aborted = false;
  return {
    signal: {
      get aborted() {
        return aborted;
      },
      addEventListener: (_, listener) => void listeners.add(listener),
      removeEventListener: (_, listener) => void listeners.delete(listener),
    },
    abort() {
      if (aborted) return;
      aborted = true;
      for (const listener of [...listeners]) listener();
      listeners.clear();
    },
  };
}

export function createDeadline(options: DeadlineOptions): Deadline {
  const { ms, signal, closing, totalMs = ms, listen = listenAlone } = options;
  const controller = new AbortController();
  const startedAt = Date.now();
  let reason: EndReason | undefined;
  let abortReason: unknown;
  let extended = false;
  let unlisten = () => {};
  const end = (why: EndReason, cause?: unknown) => {
    if (reason !== undefined) return;
    reason = why;
    abortReason = cause;
    dispose();
    controller.abort();
  };
  const onAbort = () => end('aborted', signal?.reason);
  const onClose = () => end('closed');
  let timer = setTimeout(() => end('timeout'), Math.min(ms, totalMs));
  function dispose(): void {
    clearTimeout(timer);
    unlisten();
    closing?.removeEventListener('abort', onClose);
  }
  if (closing?.aborted) onClose();
  else if (signal?.aborted) onAbort();
  else {
    if (signal !== undefined) unlisten = listen(signal, onAbort);
    closing?.addEventListener('abort', onClose);
  }
  const error = (details: McpErrorDetails) => {
    const passed = extended ? Date.now() - startedAt : 0;
    return endError(reason ?? 'timeout', { ...timeoutOf(options, passed), abortReason, details });
  };
  return {
    signal: controller.signal,
    ms,
    extend() {
      if (reason !== undefined || totalMs <= ms) return;
      extended = true;
      clearTimeout(timer);
      timer = setTimeout(() => end('timeout'), Math.max(0, Math.min(ms, startedAt + totalMs - Date.now())));
    },
    dispose,
    error,
    get reason() {
      return reason;
    },
    race: (work, details) => raceSignal(work, controller.signal, () => error(details)),
  };
}

/** Which of the two limits a timeout ran into; it is the longer one only after progress. */
function timeoutOf({ ms, totalMs = ms, option = 'timeoutMs' }: DeadlineOptions, passed: number) {
  const ranOut = totalMs < ms || (totalMs > ms && passed >= totalMs - 1);
  return ranOut ? { ms: totalMs, option: 'maxTotalMs' } : { ms, option };
}

/** Settles as `work` does, or rejects with `error()` once `signal` is aborted. A late rejection of `work` is taken. */
export function raceSignal<T>(work: Promise<T>, signal: AbortSignal, error: () => unknown): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(error());
    const done = () => signal.removeEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    work.then(
      (value) => {
        done();
        resolve(value);
      },
      (failure: unknown) => {
        done();
        reject(failure);
      },
    );
  });
}

/** Waits for `work` at most `ms` milliseconds and never rejects: for clean-up that must not hold anyone. */
export async function settleWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.then(nothing, nothing), limit]);
  clearTimeout(timer);
}

function nothing(): void {}

interface EndDetails {
  readonly ms: number;
  readonly option: string;
  readonly abortReason: unknown;
  readonly details: McpErrorDetails;
}

function endError(reason: EndReason, { ms, option, abortReason, details }: EndDetails): McpError {
  const where = details.tool === undefined ? `\`${details.server}\`` : `\`${details.tool}\` of \`${details.server}\``;
  switch (reason) {
    case 'timeout':
      return new McpTimeoutError(
        `No answer from ${where} within ${ms} ms; raise \`${option}\` if it needs longer.`,
        details,
      );
    case 'aborted':
      return new McpAbortError(`The call to ${where} was aborted by its caller.`, { ...details, reason: abortReason });
    case 'closed':
      return new McpClosedError(`The toolset was closed; make a new one to reach ${where}.`, details);
  }
}
