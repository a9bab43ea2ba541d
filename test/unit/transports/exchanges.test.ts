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
