import { expect, it } from 'vitest';
import { admitTool } from '../../../src/catalog/admit.js';
import { surveyEntries } from '../../../src/catalog/survey.js';

const BOUNDS = { schemaDepth: 64, schemaNodes: 1_000 };
const survey = (entries: unknown[], mirrors = false) =>
  surveyEntries(
    entries.map((entry) => admitTool(entry, BOUNDS)),
    mirrors,
  );
const good = (name: string, properties: object = {}) => ({ name, inputSchema: { type: 'object', properties } });

it('L1 what is well formed is kept in its order, and the rest is refused with reasons', () => {
  const { tools, refused } = survey([good('b'), { name: 'x' }, null, good('a'), { name: '' }]);
  expect(tools.map(({ name }) => name)).toEqual(['b', 'a']);
  expect(refused).toEqual([
    { name: 'x', reason: 'The tool has no inputSchema.' },
    { name: '', reason: 'Entry 2: The entry is null, not an object.' },
    { name: '', reason: 'Entry 4: The name is empty.' },
  ]);
});

it('L3 a name given several times is refused once, with how often, broken entries counted', () => {
  const { tools, refused } = survey([
    good('a'),
    good('b'),
    good('a'),
    { name: 'a' },
    good('__proto__'),
    good('__proto__'),
  ]);
  expect(tools.map(({ name }) => name)).toEqual(['b']);
  expect(refused).toEqual([
    { name: 'a', duplicates: 3, reason: 'The server publishes this name 3 times.' },
    { name: '__proto__', duplicates: 2, reason: 'The server publishes this name 2 times.' },
  ]);
});

it('L3 nameless entries are not duplicates of each other, and neither are names that only look alike', () => {
  const { tools, refused } = survey([{}, {}, good('\u00e9'), good('e\u0301'), good('A'), good('a')]);
  expect(tools).toHaveLength(4);
  expect(refused.map(({ duplicates }) => duplicates)).toEqual([undefined, undefined]);
});

it('L6 marks are read, and judged, only where they are mirrored', () => {
  const entries = [
    good('valid', { r: { type: 'string', 'x-mcp-header': 'Region' } }),
    good('invalid', { r: { type: 'object', 'x-mcp-header': 'Region' } }),
    good('plain'),
  ];
  const mirrored = survey(entries, true);
  expect(mirrored.tools.map(({ name, paramHeaders }) => [name, paramHeaders])).toEqual([
    ['valid', [{ path: ['r'], headerName: 'Region' }]],
    ['plain', []],
  ]);
  expect(mirrored.refused).toMatchObject([{ name: 'invalid', reason: expect.stringContaining('x-mcp-header') }]);
  const plain = survey(entries);
  expect(plain.tools.map(({ name, paramHeaders }) => [name, paramHeaders])).toEqual([
    ['valid', []],
    ['invalid', []],
    ['plain', []],
  ]);
});
