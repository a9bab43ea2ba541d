import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../src/guard/body.js';
import { gather, meterEvents, meterWhole } from '../../../src/guard/meters.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Whether a stream of these chunks stays within a cap of `max` bytes an event. */
function staysWithin(max: number, chunks: readonly string[]): boolean {
  const meter = meterEvents(max);
  return chunks.every((chunk) => meter.take(bytes(chunk)) !== undefined);
}

describe('meterEvents', () => {
  const event = 'data: 12345678'; // 14 bytes
  for (const [name, end] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ] as const) {
    const stream = `${event}${end}${end}`.repeat(50);
    it(`G6 starts anew at each blank line (${name}), in one chunk or byte by byte`, () => {
      expect(staysWithin(16, [stream])).toBe(true);
      expect(staysWithin(16, [...stream])).toBe(true);
      expect(staysWithin(10, [stream])).toBe(false);
      expect(staysWithin(10, [...stream])).toBe(false);
    });
    it(`G6 does not take one line end (${name}) for a blank line`, () => {
      expect(staysWithin(100, [`${event}${end}`.repeat(50)])).toBe(false);
      expect(staysWithin(100, [...`: ping${end}`.repeat(50)])).toBe(false);
    });
  }

  it('G6 sees a CRLF that is split between chunks as one line end', () => {
    expect(staysWithin(20, Array.from({ length: 50 }, () => ['ab\r', '\n']).flat())).toBe(false);
    expect(staysWithin(20, Array.from({ length: 50 }, () => ['ab\r', '\n\r', '\n']).flat())).toBe(true);
  });

  it('G6 counts an endless line', () => {
    expect(
      staysWithin(
        1_000,
        Array.from({ length: 101 }, () => '0123456789'),
      ),
    ).toBe(false);
  });

  it('G6 takes any number of blank lines', () => {
    expect(staysWithin(4, ['\n'.repeat(1_000), '\r\n'.repeat(1_000), '\r'.repeat(1_000)])).toBe(true);
  });

  it('G6 passes an event of exactly the cap and not one byte more', () => {
    expect(staysWithin(100, [`${'x'.repeat(99)}\n\n`, `${'x'.repeat(99)}\n\n`])).toBe(true);
    expect(staysWithin(100, [`${'x'.repeat(99)}\n\n`, 'x'.repeat(101)])).toBe(false);
  });

  it('G6 counts a large event in many chunks once, not again with each chunk', () => {
    const meter = meterEvents(32 * 2 ** 20);
    const chunk = new Uint8Array(16_384).fill(0x61);
    for (let count = 0; count < 2_048; count++) expect(meter.take(chunk)).toEqual([]);
    expect(meter.take(bytes('a'))).toBeUndefined();
  }, 20_000);
});

describe('what is handed on', () => {
  /** The text after each chunk, and at last the rest. */
  function handed(chunks: readonly string[]): string[] {
    const meter = meterEvents(1_000_000);
    return [...chunks.map((chunk) => textOf(meter.take(bytes(chunk)) ?? [])), textOf(meter.rest())];
  }

  it('G6 of events is what is complete, with the line end that completes it', () => {
    expect(handed(['data: 1\n', '\ndata: 2\n\n: ping\nda', 'ta: 3', '\r', '\n', '\r', '\n', 'x'])).toEqual([
      '',
      'data: 1\n\ndata: 2\n\n',
      '',
      '',
      '',
      ': ping\ndata: 3\r\n\r',
      '\n',
      '',
      'x',
    ]);
  });

  it('G6 of events is all of it in the end, and nothing but the rest ends in the middle of an event', () => {
    const text = fc.stringMatching(/^(?:a|\n|\r|\r\n|: b)*$/, { maxLength: 60 });
    fc.assert(
      fc.property(fc.array(text, { maxLength: 6 }), (chunks) => {
        const pieces = handed(chunks);
        expect(pieces.join('')).toBe(chunks.join(''));
        for (const piece of pieces.slice(0, -1)) expect(piece).toMatch(/^$|[\r\n]$/);
        expect(pieces.at(-1)).not.toMatch(/(?:\n|\r(?!\n))(?:\n|\r(?!\n)|\r\n)/);
      }),
    );
  });

  it('G6 of any other body is each chunk as it comes', () => {
    const meter = meterWhole(10);
    const chunk = bytes('hello');
    expect(meter.take(chunk)?.[0]).toBe(chunk);
    expect([meter.take(bytes('world')), meter.take(bytes('!')), meter.rest()]).toEqual([
      [bytes('world')],
      undefined,
      [],
    ]);
  });
});

describe('gather', () => {
  it('G6 makes a few blocks of many small chunks, and copies', () => {
    const gathered = gather();
    const shared = new Uint8Array(1);
    for (let index = 0; index < 40_000; index++) {
      shared[0] = index % 251;
      gathered.add(shared);
    }
    const large = new Uint8Array(20_000).fill(7);
    gathered.add(large);
    large.fill(8);
    const pieces = gathered.takeAll();
    expect(pieces.map(({ byteLength }) => byteLength)).toEqual([16_384, 16_384, 7_232, 20_000]);
    expect([pieces[0]![250], pieces[2]![7_231], pieces[3]![0]]).toEqual([250, 39_999 % 251, 7]);
    expect(gathered.takeAll()).toEqual([]);
  });
});
