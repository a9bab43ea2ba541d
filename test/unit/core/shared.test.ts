import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { share } from '../../../src/core/shared.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const BEAT_MS = 250;
const never = () => new Promise<never>(() => {});

/** Work whose beat is struck by hand: as on Workers, where a request that has ended runs no timer. */
function shareByHand<T>(work: Promise<T>) {
  const setting = vi.spyOn(globalThis, 'setInterval');
  const shared = share(work);
  const [strike] = setting.mock.calls[0] as unknown as [() => void];
  clearInterval(setting.mock.results[0]!.value as number);
  setting.mockRestore();
  return { shared, strike };
}

/** What a promise has come to, as far as it has. */
function watch<T>(promise: Promise<T>) {
  const seen: { value?: T; error?: unknown; settled: boolean } = { settled: false };
  promise.then(
    (value) => Object.assign(seen, { value, settled: true }),
    (error: unknown) => Object.assign(seen, { error, settled: true }),
  );
  return seen;
}

it('W9 all who wait get what the work gives, however long it takes, and no timer stays', async () => {
  let finish: (value: string) => void = () => {};
  const shared = share(
    new Promise<string>((resolve) => {
      finish = resolve;
    }),
  );
  const waiting = [watch(shared.wait()), watch(shared.wait())];
  await vi.advanceTimersByTimeAsync(600_000);
  const late = watch(shared.wait());
  await vi.advanceTimersByTimeAsync(600_000);
  expect([...waiting, late].some(({ settled }) => settled)).toBe(false);
  finish('done');
  await vi.advanceTimersByTimeAsync(0);
  for (const seen of [...waiting, late]) expect(seen).toEqual({ settled: true, value: 'done' });
  expect(vi.getTimerCount()).toBe(0);
});

it('W9 all who wait get its error, and no timer stays', async () => {
  const error = new Error('mine');
  const shared = share(Promise.reject(error));
  const waiting = [watch(shared.wait()), watch(shared.wait())];
  await vi.advanceTimersByTimeAsync(0);
  for (const seen of waiting) expect(seen).toEqual({ settled: true, error });
  expect(vi.getTimerCount()).toBe(0);
});

it('W9 what has settled is handed out without a timer', async () => {
  const shared = share(Promise.resolve('done'));
  await vi.advanceTimersByTimeAsync(0);
  const waited = shared.wait();
  expect(vi.getTimerCount()).toBe(0);
  expect(await waited).toBe('done');
});

it('W9 work whose request has ended is given up by all who wait, and by those who come later', async () => {
  const { shared, strike } = shareByHand(never());
  strike();
  const waiting = [watch(shared.wait()), watch(shared.wait())];
  await vi.advanceTimersByTimeAsync(4 * BEAT_MS);
  expect(waiting.map(({ settled }) => settled)).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(BEAT_MS);
  for (const seen of waiting) expect(seen).toEqual({ settled: true, value: undefined });
  const late = watch(shared.wait());
  await vi.advanceTimersByTimeAsync(5 * BEAT_MS);
  expect(late).toEqual({ settled: true, value: undefined });
  expect(vi.getTimerCount()).toBe(0);
});

it('W9 a beat that is heard again after a silence counts anew', async () => {
  const { shared, strike } = shareByHand(never());
  const seen = watch(shared.wait());
  for (let silence = 0; silence < 10; silence++) {
    await vi.advanceTimersByTimeAsync(4 * BEAT_MS);
    strike();
    await vi.advanceTimersByTimeAsync(BEAT_MS);
  }
  expect(seen.settled).toBe(false);
  await vi.advanceTimersByTimeAsync(5 * BEAT_MS);
  expect(seen).toEqual({ settled: true, value: undefined });
});

it('W9 who comes late counts the silence from then on', async () => {
  const { shared, strike } = shareByHand(never());
  const first = watch(shared.wait());
  await vi.advanceTimersByTimeAsync(3 * BEAT_MS);
  const second = watch(shared.wait());
  await vi.advanceTimersByTimeAsync(2 * BEAT_MS);
  expect([first.settled, second.settled]).toEqual([true, false]);
  strike();
  await vi.advanceTimersByTimeAsync(BEAT_MS);
  expect(second.settled).toBe(false);
  expect(vi.getTimerCount()).toBe(1);
});
