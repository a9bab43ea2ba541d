import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClosing, createDeadline, createListen, settleWithin } from '../../../src/core/deadline.js';

const DETAILS = { server: 's', tool: 't' };
const never = () => new Promise<never>(() => {});
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A signal that knows how many listeners are on it. */
function counted() {
  const controller = new AbortController();
  return { controller, ...countListeners(controller.signal) };
}

function countListeners(signal: AbortSignal) {
  const listeners = new Set<unknown>();
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners.add(args[1]);
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners.delete(args[1]);
    remove(...args);
  };
  return { signal, listeners };
}

function deadlineOver() {
  const caller = counted();
  const closing = createClosing();
  const deadline = createDeadline({ ms: 1_000, signal: caller.signal, closing: closing.signal });
  return { caller, closing, deadline };
}

const ENDS = {
  timeout: () => void vi.advanceTimersByTime(1_000),
  aborted: ({ caller }: ReturnType<typeof deadlineOver>) => caller.controller.abort('why'),
  closed: ({ closing }: ReturnType<typeof deadlineOver>) => closing.abort(),
};
const reasons = Object.keys(ENDS) as (keyof typeof ENDS)[];

describe('a deadline', () => {
  it.each(reasons)('that ends by %s says so, whatever else happens afterwards', async (reason) => {
    const parts = deadlineOver();
    const { deadline, caller } = parts;
    expect(deadline.reason).toBeUndefined();
    const raced = deadline.race(never(), DETAILS).catch((error: unknown) => error);
    ENDS[reason](parts);
    for (const end of Object.values(ENDS)) end(parts);
    expect(deadline.reason).toBe(reason);
    expect(deadline.signal.aborted).toBe(true);
    const error = await raced;
    expect(error).toMatchObject({ code: reason, ...DETAILS });
    expect((error as { reason?: unknown }).reason).toBe(reason === 'aborted' ? 'why' : undefined);
    expect(caller.listeners.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('names the option that sets it', () => {
    const deadline = createDeadline({ ms: 5, option: 'connectTimeoutMs' });
    vi.advanceTimersByTime(5);
    expect(deadline.error({ server: 's' }).message).toMatch(/5 ms.*`connectTimeoutMs`/);
  });

  it('C3 names the limit that it ran into, also where its timer came late', () => {
    const deadline = createDeadline({ ms: 10, totalMs: 100 });
    vi.setSystemTime(Date.now() + 5_000);
    vi.advanceTimersByTime(10);
    expect(deadline.error(DETAILS).message).toContain('within 10 ms; raise `timeoutMs`');
    const extended = createDeadline({ ms: 60, totalMs: 100 });
    vi.advanceTimersByTime(50);
    extended.extend();
    vi.advanceTimersByTime(50);
    expect(extended.error(DETAILS).message).toContain('within 100 ms; raise `maxTotalMs`');
  });

  it('over a signal that was aborted before ends at once', async () => {
    const caller = counted();
    caller.controller.abort('early');
    const deadline = createDeadline({ ms: 1_000, signal: caller.signal });
    expect(deadline.reason).toBe('aborted');
    expect(caller.listeners.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    await expect(deadline.race(Promise.resolve(1), DETAILS)).rejects.toMatchObject({
      code: 'aborted',
      reason: 'early',
    });
  });

  it('over a closed toolset is closed, also where the caller aborted as well', () => {
    const closing = createClosing();
    closing.abort();
    const deadline = createDeadline({ ms: 1_000, signal: AbortSignal.abort(), closing: closing.signal });
    expect(deadline.reason).toBe('closed');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that is disposed of never ends and leaves nothing', () => {
    const parts = deadlineOver();
    parts.deadline.dispose();
    for (const end of Object.values(ENDS)) end(parts);
    expect(parts.deadline.reason).toBeUndefined();
    expect(parts.caller.listeners.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('settles as its work does', async () => {
    const { deadline } = deadlineOver();
    expect(await deadline.race(Promise.resolve('value'), DETAILS)).toBe('value');
    await expect(deadline.race(Promise.reject(new Error('own')), DETAILS)).rejects.toThrow('own');
  });
});

describe('closing', () => {
  it('tells everyone who still listens, once, and only them', () => {
    const { signal, abort } = createClosing();
    const heard: number[] = [];
    const listeners = Array.from({ length: 100 }, (_, index) => () => void heard.push(index));
    for (const listener of listeners) signal.addEventListener('abort', listener);
    for (const listener of listeners.slice(1)) signal.removeEventListener('abort', listener);
    expect(signal.aborted).toBe(false);
    abort();
    abort();
    expect(signal.aborted).toBe(true);
    expect(heard).toEqual([0]);
  });
});

describe('a race', () => {
  it('that was lost takes the late rejection of its work', async () => {
    const { deadline, caller } = deadlineOver();
    let fail: (error: Error) => void = () => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const raced = deadline.race(work, DETAILS);
    caller.controller.abort('why');
    await expect(raced).rejects.toMatchObject({ code: 'aborted' });
    // Nobody waits for it any more; an unhandled rejection would fail the run.
    fail(new Error('late'));
    await vi.advanceTimersByTimeAsync(1);
    expect(caller.listeners.size).toBe(0);
  });

  it('that was won leaves no listener on the deadline, which may have many', async () => {
    const { deadline } = deadlineOver();
    const { listeners } = countListeners(deadline.signal);
    const races = Array.from({ length: 20 }, (_, index) => deadline.race(Promise.resolve(index), DETAILS));
    const failed = deadline.race(Promise.reject(new Error('own')), DETAILS);
    expect(listeners.size).toBe(21);
    await Promise.all(races);
    await expect(failed).rejects.toThrow('own');
    expect(listeners.size).toBe(0);
  });
});

describe('one listener for many', () => {
  it('C2 is on the signal while anybody listens, and tells all of them', () => {
    const listen = createListen();
    const { controller, signal, listeners } = counted();
    const heard: string[] = [];
    const ends = ['a', 'b', 'c'].map((name) => listen(signal, () => void heard.push(name)));
    expect(listeners.size).toBe(1);
    ends[0]!();
    ends[0]!();
    expect(listeners.size).toBe(1);
    ends[1]!();
    ends[2]!();
    expect(listeners.size).toBe(0);
    const last = listen(signal, () => void heard.push('d'));
    ends[2]!();
    expect(listeners.size).toBe(1);
    listen(signal, () => void heard.push('e'));
    controller.abort();
    expect(heard).toEqual(['d', 'e']);
    last();
  });
});

describe('settleWithin', () => {
  it('waits for the work or the time, never rejects, and leaves no timer', async () => {
    await settleWithin(Promise.resolve(), 1_000);
    await settleWithin(Promise.reject(new Error('no')), 1_000);
    expect(vi.getTimerCount()).toBe(0);
    const bounded = settleWithin(never(), 1_000);
    await vi.advanceTimersByTimeAsync(1_000);
    await bounded;
    expect(vi.getTimerCount()).toBe(0);
  });
});
