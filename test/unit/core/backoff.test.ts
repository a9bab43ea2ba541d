import { expect, it } from 'vitest';
import { backoffMs } from '../../../src/core/backoff.js';

it('C6 L7 waits double from 250 ms to 30 s, and there is none after no failure', () => {
  expect([0, 1, 2, 3, 7, 8, 9, 10_000].map(backoffMs)).toEqual([0, 250, 500, 1_000, 16_000, 30_000, 30_000, 30_000]);
});
