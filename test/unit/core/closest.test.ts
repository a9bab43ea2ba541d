import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closestNames, didYouMean } from '../../../src/core/closest.js';

const NAMES = ['github__create_issue', 'github__list_issues', 'gitlab__create_issue', 'files__read', 'Files__Write'];

/** The textbook distance, without band or bound. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1), row[j]! + 1, next[j - 1]! + 1);
    }
    row = next;
  }
  return row[b.length]!;
}

describe('closestNames', () => {
  it.each([
    ['a slip', 'github__create_isue', ['github__create_issue', 'gitlab__create_issue']],
    ['swapped letters', 'files__raed', ['files__read']],
    ['another case', 'FILES__WRITE', ['Files__Write', 'files__read']],
    ['a dropped prefix', 'create_issue', ['github__create_issue', 'gitlab__create_issue']],
    ['a dropped prefix and a slip', 'list_isues', ['github__list_issues']],
    ['the wrong server', 'svn__create_issue', ['github__create_issue', 'gitlab__create_issue']],
    ['nothing near', 'weather_forecast', []],
    ['an empty name', '', []],
    ['one letter', 'x', []],
  ])('N6 suggests for %s', (_, name, expected) => {
    expect(closestNames(name, NAMES)).toEqual(expected);
  });

  it('N6 finds the raw name behind a prefix that holds __ itself', () => {
    expect(closestNames('c', ['a__b__c'])).toEqual(['a__b__c']);
  });

  it('N6 gives at most max names, the nearest first, ties in code-unit order', () => {
    const names = ['tool_d', 'tool_b', 'tool_cc', 'tool_a', 'tool_B'];
    expect(closestNames('tool_a', names)).toEqual(['tool_a', 'tool_B', 'tool_b']);
    expect(closestNames('tool_a', names, 1)).toEqual(['tool_a']);
    expect(closestNames('tool_a', names, 0)).toEqual([]);
    expect(closestNames('tool_x', ['tool_y', 'tool_y'])).toEqual(['tool_y']);
  });

  it('N6 depends on no order', () => {
    const name = fc.stringMatching(/^[ab_]{1,8}$/);
    fc.assert(
      fc.property(name, fc.array(name, { maxLength: 12 }), (wanted, names) => {
        expect(closestNames(wanted, [...names].reverse())).toEqual(closestNames(wanted, names));
        expect(closestNames(wanted, [...names].sort())).toEqual(closestNames(wanted, names));
      }),
    );
  });

  it('N6 counts edits as the textbook does', () => {
    const word = fc.stringMatching(/^[abc]{4,30}$/);
    fc.assert(
      fc.property(word, word, (a, b) => {
        const limit = Math.min(8, Math.max(2, Math.floor(a.length / 3)));
        expect(closestNames(a, [b])).toEqual(editDistance(a, b) <= limit ? [b] : []);
      }),
      { numRuns: 1_000 },
    );
  });

  it('N6 ranks by edits', () => {
    const word = fc.stringMatching(/^[ab]{9,20}$/);
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { minLength: 2, maxLength: 9 }), (wanted, names) => {
        const found = closestNames(wanted, names, 9);
        const distances = found.map((name) => editDistance(wanted, name));
        expect(distances).toEqual([...distances].sort((a, b) => a - b));
      }),
    );
  });

  it('N6 ends soon on 10,000 names that are long and alike', () => {
    const long = Array.from({ length: 10_000 }, (_, index) => `${'ab'.repeat(60)}${index}`);
    expect(closestNames(`${'ba'.repeat(60)}x`, long)).toHaveLength(3);
    const huge = Array.from({ length: 10_000 }, (_, index) => `${'ab'.repeat(500)}${index}`);
    expect(closestNames(`${'ab'.repeat(500)}x`, huge)).toEqual([]);
    expect(closestNames(`${'AB'.repeat(500)}7`, huge)).toEqual([`${'ab'.repeat(500)}7`]);
  });
});

describe('didYouMean', () => {
  it('N6 says one, two or three names, or nothing', () => {
    expect(didYouMean('weather', NAMES)).toBe('');
    expect(didYouMean('files__raed', NAMES)).toBe(' Did you mean `files__read`?');
    expect(didYouMean('create_issue', NAMES)).toBe(' Did you mean `github__create_issue` or `gitlab__create_issue`?');
    expect(didYouMean('tool', ['tool1', 'tool2', 'tool3'])).toBe(' Did you mean `tool1`, `tool2` or `tool3`?');
  });

  it('shows controls in a name as escapes and cuts a long one', () => {
    expect(didYouMean('tool_a', ['tool_\u001b'])).toBe(' Did you mean `tool_\\u001b`?');
    expect(didYouMean('a'.repeat(1_000), ['A'.repeat(1_000)])).toBe(` Did you mean \`${'A'.repeat(128)}\`?`);
  });
});
