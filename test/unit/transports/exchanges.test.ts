import { afterEach, expect, it, vi } from 'vitest';
import { createExchanges } from '../../../src/transports/exchanges.js';

afterEach(() => void vi.useRealTimers());

it('C2 G6 streams that are kept open after their answers end within a second, however many there are', () => {
  vi.useFakeTimers();
  const exchanges = createExchanges();
  const answered = Array.from({ length: 2_000 }, () => exchanges.open());
  for (const pending of answered) exchanges.endLater(pending);
  vi.advanceTimersByTime(1_000);
  expect(answered.filter(({ signal }) => !signal.aborted)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});

it('C2 a stream that ended by itself leaves no timer', () => {
  vi.useFakeTimers();
  const exchanges = createExchanges();
  const pending = exchanges.open();
  exchanges.endLater(pending);
  exchanges.streamEnded(pending);
  expect(vi.getTimerCount()).toBe(0);
  expect(pending.signal.aborted).toBe(false);
});

it('C2 a stream is found by the last event id on it, also when nobody waits for it any more', () => {
  const exchanges = createExchanges();
  const pending = exchanges.open();
  exchanges.noteToken(pending, 'one');
  exchanges.noteToken(pending, 'two');
  expect(exchanges.byToken('one')).toBeUndefined();
  expect(exchanges.byToken('two')).toBe(pending);
  expect(pending.over).toBe(false);
  exchanges.release(pending);
  expect(exchanges.byToken('two')).toBe(pending);
  expect(pending.over).toBe(true);
});

it('C2 a request that was answered is not held for its stream: its result would be held with it', () => {
  const exchanges = createExchanges();
  const pending = exchanges.open();
  exchanges.noteToken(pending, 'one');
  pending.answered = true;
  exchanges.release(pending);
  expect(exchanges.byToken('one')).toBeUndefined();
  exchanges.noteToken(pending, 'two');
  expect(exchanges.byToken('two')).toBeUndefined();
});

it('C2 of streams that nobody waits for the last 512 are known, and of the others all', () => {
  const exchanges = createExchanges();
  const waiting = exchanges.open();
  exchanges.noteToken(waiting, 'waiting');
  for (let index = 0; index < 1_000; index++) {
    const pending = exchanges.open();
    exchanges.noteToken(pending, String(index));
    exchanges.release(pending);
  }
  const known = Array.from({ length: 1_000 }, (_, index) => index).filter(
    (index) => exchanges.byToken(String(index)) !== undefined,
  );
  expect(known[0]).toBeGreaterThanOrEqual(1_000 - 512);
  expect(known.length).toBeGreaterThan(500);
  expect(known.at(-1)).toBe(999);
  expect(exchanges.byToken('waiting')).toBe(waiting);
});
