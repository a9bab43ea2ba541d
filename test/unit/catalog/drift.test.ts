import { describe, expect, it } from 'vitest';
import { diffFingerprints, findAdvisoryChanges, judgeDrift } from '../../../src/catalog/drift.js';

const named = (text: string): Record<string, string> => JSON.parse(text);

describe('diffFingerprints', () => {
  it('S5 tells what was added, removed and changed, each in code-unit order', () => {
    const current = { z: '1', new2: '1', b: '2', new1: '1', same: '1', a: '2' };
    const baseline = { b: '1', a: '1', same: '1', gone2: '1', z: '1', gone1: '1' };
    expect(diffFingerprints(current, baseline)).toEqual({
      added: ['new1', 'new2'],
      removed: ['gone1', 'gone2'],
      changed: ['a', 'b'],
    });
  });

  it('S5 takes names that every object inherits for names like all others', () => {
    const odd = named('{"__proto__":"1","constructor":"1"}');
    expect(diffFingerprints(odd, {})).toEqual({ added: ['__proto__', 'constructor'], removed: [], changed: [] });
    expect(diffFingerprints({}, odd)).toEqual({ added: [], removed: ['__proto__', 'constructor'], changed: [] });
    expect(diffFingerprints(odd, named('{"__proto__":"2","constructor":"1"}')).changed).toEqual(['__proto__']);
  });
});

describe('judgeDrift', () => {
  const baseline = { a: '1', b: '1', gone: '1' };

  it('S5 quarantines what changed, withholds what was added, and only tells of what was removed', () => {
    expect(judgeDrift({ a: '2', b: '1', c: '1' }, baseline)).toEqual({
      quarantined: ['a'],
      withheld: ['c'],
      removed: ['gone'],
      released: [],
    });
  });

  it('S5 judges what returns by the baseline that it left', () => {
    const away = judgeDrift({ a: '1', b: '1' }, baseline);
    expect(away.removed).toEqual(['gone']);
    expect(judgeDrift({ a: '1', b: '1', gone: '1' }, baseline, away)).toMatchObject({
      quarantined: [],
      withheld: [],
      released: [],
    });
    expect(judgeDrift({ a: '1', b: '1', gone: '2' }, baseline, away)).toMatchObject({ quarantined: ['gone'] });
  });

  it('S5 releases what is again as it was, or is trusted by now', () => {
    const before = judgeDrift({ a: '2', b: '2', c: '1', d: '1' }, baseline);
    expect(judgeDrift({ a: '1', b: '2', c: '1', d: '1' }, baseline, before).released).toEqual(['a']);
    const trusted = { ...baseline, b: '2', c: '1' };
    expect(judgeDrift({ a: '2', b: '2', c: '1' }, trusted, before)).toEqual({
      quarantined: ['a'],
      withheld: [],
      removed: ['gone'],
      released: ['b', 'c'],
    });
  });

  it('S5 releases nothing that is not published', () => {
    const before = judgeDrift({ a: '2', c: '1' }, baseline);
    expect(judgeDrift({}, baseline, before).released).toEqual([]);
  });

  it('S5 holds nothing back without a baseline, and everything against an empty one', () => {
    expect(judgeDrift({ a: '1' }, undefined)).toEqual({ quarantined: [], withheld: [], removed: [], released: [] });
    expect(judgeDrift({ a: '1' }, {})).toMatchObject({ withheld: ['a'] });
    expect(judgeDrift({ a: '1' }, undefined, { quarantined: [], withheld: ['a'] }).released).toEqual(['a']);
  });
});

describe('findAdvisoryChanges', () => {
  const tool = { name: 'a', annotations: { readOnlyHint: true, title: 'A' }, outputSchema: { type: 'object', x: 1 } };

  it('S4 tells which of annotations and output schema are not the same data', () => {
    const cases = [
      [{ ...tool, annotations: { readOnlyHint: false, title: 'A' } }, ['annotations']],
      [{ name: 'a', outputSchema: tool.outputSchema }, ['annotations']],
      [{ ...tool, outputSchema: { type: 'array' } }, ['outputSchema']],
      [{ name: 'a' }, ['annotations', 'outputSchema']],
    ] as const;
    for (const [current, parts] of cases)
      expect(findAdvisoryChanges([current], [tool])).toEqual([{ name: 'a', parts }]);
  });

  it('S4 key order, a tool that was not there and one that is no more are none', () => {
    const same = { outputSchema: { x: 1, type: 'object' }, annotations: { title: 'A', readOnlyHint: true }, name: 'a' };
    expect(findAdvisoryChanges([same, { name: 'new', annotations: {} }], [tool, { name: 'gone' }])).toEqual([]);
  });
});
