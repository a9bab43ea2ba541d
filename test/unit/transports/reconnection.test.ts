import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createReconnection } from '../../../src/transports/reconnection.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it.each([
  [0, 250],
  [1_000, 1_000],
  [3_600_000, 30_000],
])('L7 a wait of %i ms that a server asks for is one of %i ms', (asked, waited) => {
  const reconnect = vi.fn();
  createReconnection().schedule(reconnect, asked);
  vi.advanceTimersByTime(waited - 1);
  expect(reconnect).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(1);
  expect(reconnect).toHaveBeenCalledTimes(1);
});

it('C5 no stream is left out, however many are lost together', () => {
  const reconnect = vi.fn();
  const reconnection = createReconnection();
  for (let stream = 0; stream < 1_000; stream++) reconnection.schedule(reconnect, 250);
  expect(vi.getTimerCount()).toBe(256);
  vi.advanceTimersByTime(250);
  expect(reconnect).toHaveBeenCalledTimes(1_000);
});

it('W4 a close cancels everything that waits', () => {
  const reconnect = vi.fn();
  const reconnection = createReconnection();
  for (let stream = 0; stream < 10; stream++) reconnection.schedule(reconnect, 250);
  reconnection.close();
  expect(vi.getTimerCount()).toBe(0);
});
