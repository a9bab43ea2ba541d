import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternCost } from '../../../../src/schema/validation/patterns.js';

describe('patterns that are admitted, with the ways to read a text of a hundred characters', () => {
  it.each([
    ['^abc$', 1],
    ['abc', 101],
    ['^\\d{4}-\\d{2}-\\d{2}$', 2],
    ['^[a-z]+$', 100],
    ['^[a-zA-Z0-9_-]{1,64}$', 64],
    ['^a?b?c?$', 8],
    ['^(?:a|b)$', 202],
    ['^(ab){3}$', 1],
    ['^(a|b){2}$', 909],
    ['^(ab)+$', 100],
    ['^[a-z]+@[a-z]+$', 10_000],
    ['^[^@\\]]*\\]$', 101],
    ['^\\p{Lu}\\u0041\\x41\\cA\\u{1F600}$', 1],
    ['^(?=.*x).*$', 101 * 101],
    ['^(?<name>a)$', 1],
    ['^a{2,}?$', 99],
    ['', 101],
    ['a{12}b', 303],
    ['^(?:a{10}){10}$', 25],
    ['^(?:a{1000}|b)$', 5050],
  ])('G9 %s', (source, ways) => {
    expect(patternCost(source)?.(100)).toBe(ways);
  });
});

it.each([
  ['(a+)+$'],
  ['^(a*)*$'],
  ['^(a|a)*$'],
  ['^(a|ab)+$'],
  ['^(aa?)+$'],
  ['^((ab)+c)+$'],
  ['^([a-z]+\\.)*$'],
  ['^(.*){2,}$'],
  ['(a)\\1'],
  ['(?<n>a)\\k<n>'],
  ['a{1001}'],
  ['a{0,5000}'],
  ['(?:a{1000}){1000}'],
  ['^(?:a{200}){50}a{200}'],
  ['('],
  ['[z-a]'],
  ['\\-'],
  ['a'.repeat(1_001)],
])('G9 %s is not admitted', (source) => {
  expect(patternCost(source)).toBeUndefined();
});

/** Pattern sources from a grammar, broken ones among them. */
const { pattern } = fc.letrec<{ pattern: string; part: string; atom: string }>((tie) => ({
  pattern: fc.array(tie('part'), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')),
  part: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,3}', '{1,}', '*?'))
    .map((pair) => pair.join('')),
  atom: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', '^', '$', '\\b'),
    tie('pattern').map((inner) => `(${inner})`),
    fc.tuple(tie('pattern'), tie('pattern')).map(([one, other]) => `(?:${one}|${other})`),
    tie('pattern').map((inner) => `(?=${inner})`),
  ),
}));

it('G9 what is admitted as cheap is matched quickly', { timeout: 120_000 }, () => {
  const texts = ['a'.repeat(40), `${'a'.repeat(40)}!`, `${'ab'.repeat(20)}!`, 'aab'.repeat(13)];
  const tally = { admitted: 0, refused: 0, slowest: 0 };
  const property = fc.property(pattern, (source) => {
    const cost = patternCost(source);
    if (cost === undefined) {
      tally.refused += 1;
      return;
    }
    if (cost(41) > 1_000_000) return;
    tally.admitted += 1;
    const expression = new RegExp(source, 'u');
    for (const text of texts) {
      const startedAt = performance.now();
      expression.test(text);
      tally.slowest = Math.max(tally.slowest, performance.now() - startedAt);
    }
  });
  fc.assert(property, { numRuns: 8_000, seed: 1 });
  expect(tally.admitted).toBeGreaterThan(400);
  expect(tally.refused).toBeGreaterThan(1_000);
  expect(tally.slowest).toBeLessThan(50);
});
