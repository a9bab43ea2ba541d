import { describe, expect, it } from 'vitest';
import { createJudge, createRandom, type Judged } from '../../../src/testing/faults/choice.js';
import type { Fault, FaultKind, FaultMatch, FaultPlan } from '../../../src/testing/faults/plan.js';

const call = (tool: string): Judged => ({ http: 'POST', method: 'tools/call', tool, isRequest: true });
const LIST: Judged = { http: 'POST', method: 'tools/list', isRequest: true };
const NOTE: Judged = { http: 'POST', method: 'notifications/initialized', isRequest: false };
const GET: Judged = { http: 'GET', isRequest: false };

const FAULT: Fault = { kind: 'silent' };

/** Which of the requests are hit, as their positions from 1. */
function hitsOf(match: FaultMatch | undefined, requests: readonly Judged[]): number[] {
  const judge = createJudge([match === undefined ? { fault: FAULT } : { match, fault: FAULT }]);
  return requests.flatMap((request, index) => (judge.next(request) === undefined ? [] : [index + 1]));
}

const echoes = (count: number): Judged[] => Array.from({ length: count }, () => call('echo'));

describe('a rule hits', () => {
  it.each<[string, FaultMatch | undefined, Judged[], number[]]>([
    ['every request by default, and nothing else', undefined, [LIST, NOTE, GET, call('echo')], [1, 4]],
    ['every request with an empty match', {}, [LIST, NOTE, GET], [1]],
    ['by JSON-RPC method', { method: 'tools/list' }, [LIST, call('echo'), LIST], [1, 3]],
    ['notifications where they are named', { method: 'notifications/initialized' }, [LIST, NOTE], [2]],
    ['by HTTP method where there is no message', { method: 'GET' }, [LIST, GET], [2]],
    ['not by HTTP method where there is a message', { method: 'POST' }, [LIST, NOTE], []],
    ['everything', { method: '*' }, [LIST, NOTE, GET, call('echo')], [1, 2, 3, 4]],
    ['by tool', { tool: 'echo' }, [LIST, call('slow'), call('echo')], [3]],
    ['by tool and method together', { tool: 'echo', method: 'tools/list' }, [LIST, call('echo')], []],
    ['the nth that matches, once', { tool: 'echo', nth: 2 }, [call('echo'), LIST, call('echo'), call('echo')], [3]],
    ['every third', { every: 3 }, echoes(7), [3, 6]],
    ['every third from the first', { nth: 1, every: 3 }, echoes(7), [1, 4, 7]],
    ['from the second on', { nth: 2, every: 1 }, echoes(4), [2, 3, 4]],
    ['so many times', { times: 2 }, echoes(4), [1, 2]],
    ['so many times from the nth on', { nth: 2, times: 2 }, echoes(5), [2, 3]],
    ['so many times every so often', { every: 2, times: 2 }, echoes(8), [2, 4]],
  ])('%s', (_, match, requests, expected) => {
    expect(hitsOf(match, requests)).toEqual(expected);
  });
});

it('the first rule that hits decides, and the others count on without being spent', () => {
  const judge = createJudge([
    { match: { tool: 'echo', nth: 1 }, fault: { kind: 'silent' } },
    { match: { method: 'tools/call', times: 1 }, fault: { kind: 'delay' } },
    { match: { method: 'tools/call', nth: 3 }, fault: { kind: 'empty-200' } },
  ]);
  const kinds = echoes(4).map((request) => judge.next(request)?.kind);
  expect(kinds).toEqual(['silent', 'delay', 'empty-200', undefined]);
});

it('a plan survives JSON', () => {
  const plan: FaultPlan = { rules: [{ match: { tool: 'echo', nth: 2 }, fault: { kind: 'wrong-id', id: null } }] };
  const judge = createJudge(JSON.parse(JSON.stringify(plan)) as FaultPlan);
  expect(echoes(2).map((request) => judge.next(request))).toEqual([undefined, { kind: 'wrong-id', id: null }]);
});

describe('random faults', () => {
  const weights = { none: 2, silent: 1, 'http-error': 1, 'half-closed': 1 } as const;
  const draw = (plan: FaultPlan, count = 200): (Fault | undefined)[] => {
    const judge = createJudge(plan);
    return echoes(count).map((request) => judge.next(request));
  };

  it('are the same for one seed, and others for another', () => {
    const first = draw({ random: { seed: 7, weights } });
    expect(draw({ random: { seed: 7, weights } })).toEqual(first);
    expect(draw({ random: { seed: 8, weights } })).not.toEqual(first);
  });

  it('come about as often as they weigh', () => {
    const faults = draw({ random: { seed: 1, weights } }, 5_000);
    const share = (kind: FaultKind | undefined) => faults.filter((fault) => fault?.kind === kind).length / 5_000;
    expect(share(undefined)).toBeCloseTo(0.4, 1);
    expect(share('silent')).toBeCloseTo(0.2, 1);
    expect(share('delay')).toBe(0);
  });

  it('lose answers before, after and without the effect', () => {
    const effects = draw({ random: { seed: 1, weights: { silent: 1, 'http-error': 1 } } }).map((fault) =>
      fault !== undefined && 'effect' in fault ? fault.effect : `${fault?.kind}`,
    );
    expect([...new Set(effects)].sort()).toEqual(['after', 'before', 'http-error', 'none']);
  });

  it('take the place of defaults, and leave what a rule hits and what does not match alone', () => {
    const judge = createJudge({
      rules: [{ match: { tool: 'slow' }, fault: { kind: 'silent' } }],
      random: {
        seed: 1,
        match: { method: 'tools/call' },
        weights: { delay: 1 },
        faults: [
          { kind: 'delay', ms: 5 },
          { kind: 'delay', ms: 6 },
        ],
      },
    });
    expect(judge.next(call('slow'))).toEqual({ kind: 'silent' });
    expect(judge.next(LIST)).toBeUndefined();
    const drawn = echoes(50).map((request) => judge.next(request));
    expect(new Set(drawn.map((fault) => JSON.stringify(fault)))).toEqual(
      new Set(['{"kind":"delay","ms":5}', '{"kind":"delay","ms":6}']),
    );
  });

  it('are none where nothing has a weight', () => {
    expect(draw({ random: { seed: 1, weights: { silent: 0 } } }, 20)).toEqual(Array(20).fill(undefined));
  });

  it('numbers lie from 0 to 1 and do not repeat soon', () => {
    const random = createRandom(-1);
    const numbers = Array.from({ length: 10_000 }, random);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(new Set(numbers).size).toBeGreaterThan(9_990);
  });
});

it.each<[string, unknown]>([
  ['an unknown kind', [{ fault: { kind: 'explode' } }]],
  ['a kind that every object has', [{ fault: { kind: 'toString' } }]],
  ['a first request 0', [{ match: { nth: 0 }, fault: FAULT }]],
  ['half a time', [{ match: { times: 0.5 }, fault: FAULT }]],
  ['an unknown kind among the weights', { random: { seed: 1, weights: { explode: 1 } } }],
  ['a negative weight', { random: { seed: 1, weights: { silent: -1 } } }],
])('%s is refused', (_, plan) => {
  expect(() => createJudge(plan as FaultPlan)).toThrow(expect.objectContaining({ code: 'config' }));
});
