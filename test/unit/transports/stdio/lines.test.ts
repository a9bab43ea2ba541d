import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLineReader } from '../../../../src/transports/stdio/lines.js';

const bytes = (text: string) => new TextEncoder().encode(text);

/** The lines of a text that comes in pieces of these lengths. */
function read(text: string, lengths: readonly number[], max = Number.POSITIVE_INFINITY) {
  const reader = createLineReader(max);
  const all = bytes(text);
  const lines: string[] = [];
  let from = 0;
  for (const length of [...lengths, all.byteLength]) {
    if (!reader.take(all.slice(from, from + length), (line) => lines.push(line))) return [...lines, undefined];
    from += length;
  }
  return lines;
}

it('T5 lines are the same however they are cut, within characters too', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.array(fc.nat(9)), (parts, lengths) => {
      const lines = parts.map((part) => part.replaceAll('\n', ' ').replace(/^\ufeff/, ''));
      expect(read(lines.map((line) => `${line}\n`).join(''), lengths)).toEqual(lines);
    }),
  );
});

it('T5 what has no end yet is no line', () => {
  expect(read('one\ntwo', [])).toEqual(['one']);
});

it.each([1, 2, 5])('T5 a line may be as long as the limit and no longer, in pieces of %i', (length) => {
  const lengths = Array.from({ length: 20 }, () => length);
  expect(read(`${'x'.repeat(8)}\n${'y'.repeat(8)}\n`, lengths, 8)).toEqual(['xxxxxxxx', 'yyyyyyyy']);
  expect(read(`ok\n${'x'.repeat(9)}\n`, lengths, 8)).toEqual(['ok', undefined]);
  // Its end need not have come.
  expect(read('x'.repeat(9), lengths, 8)).toEqual([undefined]);
});

it('T5 a chunk may be used again by whoever gave it', () => {
  const reader = createLineReader(100);
  const chunk = bytes('half');
  const lines: string[] = [];
  const take = (bytes: Uint8Array) => reader.take(bytes, (line) => lines.push(line));
  take(chunk);
  chunk.fill(0);
  take(bytes(' a line\n'));
  expect(lines).toEqual(['half a line']);
});
