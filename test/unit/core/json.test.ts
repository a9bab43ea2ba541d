import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, measureJson } from '../../../src/core/json.js';

const UNBOUNDED = { depth: Number.POSITIVE_INFINITY, nodes: Number.POSITIVE_INFINITY };

function nest(levels: number): unknown {
  return JSON.parse(`${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`);
}

/** JSON data whose keys include the names that objects inherit. */
const jsonData = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

function shuffleKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffleKeys);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.keys(value).reverse();
  const text = members.map((key) => {
    const child = (value as Record<string, unknown>)[key];
    return `${JSON.stringify(key)}:${JSON.stringify(shuffleKeys(child))}`;
  });
  return JSON.parse(`{${text.join(',')}}`);
}

describe('canonicalJson', () => {
  it.each([
    ['null', null, 'null'],
    ['undefined', undefined, 'null'],
    ['negative zero', -0, '0'],
    ['a fraction', 1e-7, '1e-7'],
    ['an empty object', {}, '{}'],
    ['an empty array', [], '[]'],
    ['sorted keys', { b: 1, a: [true, { d: null, c: 'x' }] }, '{"a":[true,{"c":"x","d":null}],"b":1}'],
    [
      'keys by code unit, not by locale or number',
      { a: 1, B: 2, 10: 3, 9: 4, ä: 5 },
      '{"10":3,"9":4,"B":2,"a":1,"ä":5}',
    ],
    ['a surrogate pair before a higher unit', { '\ufb01': 1, '😀': 2 }, '{"😀":2,"ﬁ":1}'],
    ['members without a JSON form', { a: undefined, b: () => 1, c: Symbol('c'), d: 1 }, '{"d":1}'],
    ['holes', [undefined, 1], '[null,1]'],
    ['non-finite numbers', [Number.NaN, Number.POSITIVE_INFINITY], '[null,null]'],
  ])('S4 writes %s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('S4 keeps an own __proto__ key', () => {
    const value = JSON.parse('{"constructor":1,"__proto__":{"type":"string"}}');
    expect(canonicalJson(value)).toBe('{"__proto__":{"type":"string"},"constructor":1}');
  });

  it('S4 keeps different lone surrogates different', () => {
    expect(canonicalJson(['\ud800'])).toBe('["\\ud800"]');
    expect(canonicalJson({ '\ud800': 1 })).not.toBe(canonicalJson({ '\ud801': 1 }));
  });

  it('S4 gives text that parses to equal data, whatever the order of keys', () => {
    fc.assert(
      fc.property(jsonData, (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(canonicalJson(shuffleKeys(value))).toBe(text);
      }),
    );
  });

  it('G9 writes 100,000 levels', () => {
    const text = canonicalJson(nest(100_000));
    expect(text.length).toBe((100_000 / 2) * '{"a":[]}'.length);
  });

  it.each([1, 600, 5_000])('G9 refuses a cycle below %i levels instead of running on', (levels) => {
    const end: Record<string, unknown> = {};
    end.back = [end];
    let value: unknown = end;
    for (let level = 0; level < levels; level++) value = { a: value };
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });

  it('S4 writes one object that stands in two places twice, at any depth', () => {
    const shared = { x: 1 };
    let value: unknown = [shared, shared];
    for (let level = 0; level < 600; level++) value = [value];
    expect(canonicalJson(value)).toBe(`${'['.repeat(600)}[{"x":1},{"x":1}]${']'.repeat(600)}`);
  });
});

describe('measureJson', () => {
  it.each([
    ['a scalar', 'abc', { depth: 0, nodes: 1, chars: 5 }],
    ['an empty container', {}, { depth: 0, nodes: 1, chars: 2 }],
    ['members', { a: 1, b: [true, null] }, { depth: 2, nodes: 5, chars: 23 }],
    ['skipped members', { a: undefined }, { depth: 0, nodes: 1, chars: 2 }],
  ])('G9 measures %s', (_, value, measure) => {
    expect(measureJson(value, UNBOUNDED)).toEqual({ ok: true, nonFinite: false, ...measure });
  });

  it('G9 counts the characters of the JSON text', () => {
    const plainKey = fc.stringMatching(/^[a-z]{0,8}$/);
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.oneof(fc.stringMatching(/^[a-zé]{0,9}$/), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean()),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(plainKey, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        expect(measureJson(value, UNBOUNDED)).toMatchObject({ ok: true, chars: JSON.stringify(value).length });
      }),
    );
  });

  it('G9 admits exactly up to the bounds', () => {
    const value = { a: [1, 2] };
    expect(measureJson(value, { depth: 2, nodes: 4 }).ok).toBe(true);
    expect(measureJson(value, { depth: 1, nodes: 4 })).toEqual({ ok: false, exceeded: 'depth' });
    expect(measureJson(value, { depth: 2, nodes: 3 })).toEqual({ ok: false, exceeded: 'nodes' });
    expect(measureJson(1, { depth: 0, nodes: 0 })).toEqual({ ok: false, exceeded: 'nodes' });
    expect(measureJson([[]], { depth: 1, nodes: 2 }).ok).toBe(true);
  });

  it('G9 walks 6,000 and 1,000,000 levels without a RangeError', () => {
    expect(measureJson(nest(6_000), { depth: 64, nodes: 10_000 })).toEqual({ ok: false, exceeded: 'depth' });
    expect(measureJson(nest(1_000_000), UNBOUNDED)).toMatchObject({ ok: true, depth: 999_999, nodes: 1_000_000 });
  });

  it('G9 stops as soon as a bound is passed, so a cycle ends', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle, cycle);
    expect(measureJson(cycle, { depth: 64, nodes: 10_000 }).ok).toBe(false);
    let reads = 0;
    const many = Array.from({ length: 1_000 }, (_, index) => ({ index }));
    const counted = new Proxy(many, {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key, receiver);
      },
    });
    expect(measureJson(counted, { depth: 64, nodes: 10 })).toEqual({ ok: false, exceeded: 'nodes' });
    expect(reads).toBe(10);
  });

  it('S4 tells a number that JSON cannot carry', () => {
    expect(measureJson(JSON.parse('{"a":[{"b":1e999}]}'), UNBOUNDED)).toMatchObject({ nonFinite: true });
    expect(measureJson([Number.NaN], UNBOUNDED)).toMatchObject({ nonFinite: true });
    expect(measureJson([null, 1.7e308], UNBOUNDED)).toMatchObject({ nonFinite: false });
  });

  it('N8 measures what an own __proto__ key holds', () => {
    expect(measureJson(JSON.parse('{"__proto__":{"a":1}}'), UNBOUNDED)).toMatchObject({ depth: 2, nodes: 3 });
  });
});
