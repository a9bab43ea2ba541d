import { expect, it } from 'vitest';
import { createHeldResults } from '../../../src/calls/held.js';

it('R4 a text is read by its handle, which no other text gets', () => {
  const held = createHeldResults(100);
  const handles = ['a', 'b', 'a'].map((text) => held.hold(text));
  expect(new Set(handles).size).toBe(3);
  expect(handles.map((handle) => held.read(handle))).toEqual(['a', 'b', 'a']);
  expect(createHeldResults(100).read(handles[0]!)).toBeUndefined();
});

it('R4 the oldest go where all together are over the bound, also one that is over it alone', () => {
  const held = createHeldResults(100);
  const first = held.hold('a'.repeat(60));
  const second = held.hold('b'.repeat(40));
  expect(held.read(first)).toHaveLength(60);
  const third = held.hold('c');
  expect([first, second, third].map((handle) => held.read(handle)?.length)).toEqual([undefined, 40, 1]);
  const huge = held.hold('d'.repeat(101));
  expect([second, third, huge].map((handle) => held.read(handle))).toEqual([undefined, undefined, undefined]);
  expect(held.read(held.hold('e'.repeat(100)))).toHaveLength(100);
});

it('R4 nothing is held after it was cleared', () => {
  const held = createHeldResults(10);
  const handle = held.hold('a'.repeat(10));
  held.clear();
  expect(held.read(handle)).toBeUndefined();
  expect(held.read(held.hold('b'.repeat(10)))).toHaveLength(10);
});
