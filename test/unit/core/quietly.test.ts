import { expect, it, vi } from 'vitest';
import { quietly } from '../../../src/core/quietly.js';

it('R7 the answer of what is run quietly comes back, and what it throws does not', () => {
  expect(quietly(() => 1)).toBe(1);
  expect(
    quietly(() => {
      throw new Error('secret');
    }),
  ).toBeUndefined();
});

it('R7 a rejection of what is run quietly is left to nobody', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  try {
    quietly(() => Promise.reject(new Error('secret')));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', unhandled);
  }
});
