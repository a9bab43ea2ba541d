import { describe, expect, it } from 'vitest';
import { CLOSED, countFailure, judgeBreaker } from '../../../src/connection/breaker.js';

const afterFailures = (failures: number) => {
  let state = CLOSED;
  for (let failure = 0; failure < failures; failure++) state = countFailure(state, 1_000);
  return state;
};

describe('the breaker', () => {
  it('C6 lets the first connect through', () => {
    expect(judgeBreaker(CLOSED, 5)).toEqual({ kind: 'connect' });
  });

  it.each([
    [1, 250],
    [2, 500],
    [3, 1_000],
    [4, 2_000],
  ])('C6 waits after %i failures for %i ms', (failures, ms) => {
    expect(judgeBreaker(afterFailures(failures), 1_000)).toEqual({ kind: 'wait', ms });
    expect(judgeBreaker(afterFailures(failures), 1_000 + ms - 1)).toEqual({ kind: 'wait', ms: 1 });
    expect(judgeBreaker(afterFailures(failures), 1_000 + ms)).toEqual({ kind: 'connect' });
  });

  it('C6 opens after five failures in a row and lets one try every 30 s', () => {
    expect(judgeBreaker(afterFailures(5), 1_000)).toEqual({ kind: 'open', ms: 30_000 });
    expect(judgeBreaker(afterFailures(5), 30_999)).toEqual({ kind: 'open', ms: 1 });
    expect(judgeBreaker(afterFailures(5), 31_000)).toEqual({ kind: 'connect' });
    expect(judgeBreaker(countFailure(afterFailures(5), 31_000), 31_001)).toEqual({ kind: 'open', ms: 29_999 });
  });

  it('C6 a clock that was set back does not lengthen the wait', () => {
    expect(judgeBreaker(afterFailures(1), 0)).toEqual({ kind: 'wait', ms: 250 });
  });
});

it('C6 a forced try that fails leaves an open breaker open', () => {
  // What `resetBreaker` leaves: the count stays, only the wait is over.
  const forced = { ...afterFailures(5), lastFailureAt: 0 };
  expect(judgeBreaker(forced, 60_000)).toEqual({ kind: 'connect' });
  expect(judgeBreaker(countFailure(forced, 60_000), 60_001)).toEqual({ kind: 'open', ms: 29_999 });
});
