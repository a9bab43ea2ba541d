import { expect, it } from 'vitest';
import { detachArguments } from '../../../src/calls/arguments.js';

const DETAILS = { server: 's', tool: 't' };

it.each([undefined, null])('N6 %s is no arguments', (args) => {
  expect(detachArguments(args, DETAILS)).toEqual({});
});

it('N6 the copy shares nothing with the original and keeps keys of any name', () => {
  const args = JSON.parse('{"__proto__":{"a":[1]},"constructor":1,"b":{"c":null}}') as Record<string, unknown>;
  const copy = detachArguments(args, DETAILS);
  expect(JSON.stringify(copy)).toBe(JSON.stringify(args));
  expect(copy).not.toBe(args);
  expect(copy.b).not.toBe(args.b);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
});

it('N6 what JSON cannot say is left out or written as JSON writes it', () => {
  const args = { gone: undefined, call: () => 1, when: new Date(0), not: Number.NaN };
  expect(detachArguments(args, DETAILS)).toEqual({ when: '1970-01-01T00:00:00.000Z', not: null });
});

it.each([
  [[], 'must be a JSON object, not an array'],
  ['{}', 'must be a JSON object, not a string'],
  [7, 'must be a JSON object, not a number'],
  [() => ({}), 'must be a JSON object, not a function'],
  [{ a: 1n }, 'cannot be written as JSON'],
  [{ toJSON: () => [] }, 'must be a JSON object'],
])('N6 %s is refused with what is wrong with it', (args, problem) => {
  expect(() => detachArguments(args, DETAILS)).toThrow(
    expect.objectContaining({
      code: 'invalid-arguments',
      server: 's',
      tool: 't',
      message: expect.stringContaining(problem),
      issues: [{ path: '', message: expect.stringContaining(problem) }],
    }),
  );
});
