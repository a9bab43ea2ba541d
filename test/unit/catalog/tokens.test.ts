import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { catalogTokens, estimateTokens } from '../../../src/catalog/tokens.js';

describe('estimateTokens', () => {
  it.each([
    ['an empty string', '', 0],
    ['one character', 'a', 1],
    ['four characters', 'abcd', 1],
    ['five characters', 'abcde', 2],
    ['the last ASCII character', '\u007f'.repeat(4), 1],
    ['the first beyond ASCII', '\u0080'.repeat(4), 3],
    ['one Chinese character', '工', 1],
    ['four Chinese characters', '工具工具', 3],
    ['a mix, summed before rounding', 'a工', 1],
    ['a mix that just passes', 'aa工', 2],
    ['an emoji as two code units', '😀', 2],
    ['a lone surrogate in a string', '\ud800', 1],
    ['undefined', undefined, 0],
    ['a function', () => 1, 0],
    ['null', null, 1],
    ['a number', 12345, 2],
    ['a JSON text', { a: 1 }, 2],
    ['an array', ['工'], 2],
    ['a lone surrogate in JSON text', ['\ud800'], 3],
  ])('D1 counts %s', (_, value, tokens) => {
    expect(estimateTokens(value)).toBe(tokens);
  });

  it('D1 weighs UTF-16 code units of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
        const weight = units.reduce((sum, unit) => sum + (unit < 128 ? 0.25 : 0.75), 0);
        expect(estimateTokens(text)).toBe(Math.ceil(weight));
        expect(estimateTokens({ text })).toBe(estimateTokens(JSON.stringify({ text })));
      }),
    );
  });

  it('G9 counts a value too deep for the JSON.stringify of some runtimes as its JSON text', () => {
    const levels = 10_000;
    const deep = JSON.parse(`${'[{"b":"é","a":'.repeat(levels)}1${'}]'.repeat(levels)}`);
    expect(estimateTokens(deep)).toBe(Math.ceil((1 + levels * (15 + 3)) / 4));
  });

  it('D1 throws on a cycle as JSON.stringify does', () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(() => estimateTokens(cycle)).toThrow(TypeError);
  });
});

describe('catalogTokens', () => {
  it('D1 sums names and descriptions, each tool rounded by itself', () => {
    const tools = [
      { name: 'a', description: 'first', inputSchema: { type: 'object' } },
      { name: 'b', description: '' },
      { name: 'c' },
    ];
    const texts = ['{"name":"a","description":"first"}', '{"name":"b","description":""}', '{"name":"c"}'];
    expect(catalogTokens(tools)).toBe(texts.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0));
    expect(catalogTokens(new Set(tools))).toBe(catalogTokens(tools));
    expect(catalogTokens([])).toBe(0);
  });

  it('D1 never passes the full figure', () => {
    const tool = fc.record({ name: fc.string({ unit: 'binary' }), description: fc.string({ unit: 'binary' }) });
    fc.assert(
      fc.property(tool, ({ name, description }) => {
        expect(catalogTokens([{ name, description }])).toBeLessThanOrEqual(
          estimateTokens({ name, description, inputSchema: {} }),
        );
      }),
    );
  });
});
