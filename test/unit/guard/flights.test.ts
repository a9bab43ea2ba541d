import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/guard/exchange.js';
import { createFlights } from '../../../src/guard/flights.js';

function exchange(state: 'under way' | 'answered' | 'over'): Exchange {
  const facts = { sent: true, carriedSession: false };
  const { signal } = new AbortController();
  return { requestId: 1, handshake: false, signal, facts, answered: state === 'answered', over: state === 'over' };
}

// On Workers a request ends with its answer and never sees its event stream end, or with its client and sees no end at all.
it.each(['answered', 'over'] as const)('W9 flights that are %s and never landed do not pile up', (state) => {
  const flights = createFlights('raw');
  const ended: string[] = [];
  const open = (name: Parameters<typeof exchange>[0]) => {
    flights.open(exchange(name)).onAbort = () => ended.push(name);
  };
  for (let count = 0; count < 100; count++) open('under way');
  for (let count = 0; count < 10_000; count++) open(state);
  flights.close();
  expect(ended.filter((name) => name === 'under way')).toHaveLength(100);
  expect(ended.length).toBeLessThan(500);
});
