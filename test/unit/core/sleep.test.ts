import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sleep } from '../../../src/core/sleep.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('W4 a wait takes its listener back when it is over', async () => {
  const { signal } = new AbortController();
  const removed = vi.spyOn(signal, 'removeEventListener');
  const added = vi.spyOn(signal, 'addEventListener');
  const waiting = sleep(10, signal);
  await vi.advanceTimersByTimeAsync(10);
  await waiting;
  expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(added.mock.calls.map(([, listener]) => listener));
  expect(added).toHaveBeenCalledTimes(1);
});

it('W4 an abort ends a wait at once and leaves no timer; after it nothing is waited for', async () => {
  const controller = new AbortController();
  const waiting = sleep(60_000, controller.signal);
  controller.abort();
  await waiting;
  await sleep(60_000, controller.signal);
  expect(vi.getTimerCount()).toBe(0);
});
