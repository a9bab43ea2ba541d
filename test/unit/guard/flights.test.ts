import { expect, it } from 'vitest';
import type { Exchange } from '../../../src/guard/exchange.js';
import { createFlights } from '../../../src/guard/flights.js';

function exchange(answered: boolean): Exchange {
  const facts = { sent: true, carriedSession: false };
  return { requestId: 1, handshake: false, signal: new AbortController().signal, facts, answered };
}

// On Workers a request ends with its answer and never sees its event stream end.
it('W9 flights that were answered and never landed do not pile up, and those under way stay', () => {
  const flights = createFlights('raw');
  const ended: string[] = [];
  const open = (name: string, answered: boolean) => {
    flights.open(exchange(answered)).onAbort = () => ended.push(name);
  };
  for (let count = 0; count < 100; count++) open('under way', false);
  for (let count = 0; count < 10_000; count++) open('answered', true);
  flights.close();
  expect(ended.filter((name) => name === 'under way')).toHaveLength(100);
  expect(ended.length).toBeLessThan(500);
});
