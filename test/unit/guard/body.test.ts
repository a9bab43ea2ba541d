import { describe, expect, it } from 'vitest';
import { meterEvents, meterWhole, readUpTo, watchBody } from '../../../src/guard/body.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Whether a stream of these chunks stays within a cap of `max` bytes an event. */
function staysWithin(max: number, chunks: readonly string[]): boolean {
  const meter = meterEvents(max);
  return chunks.every((chunk) => meter(bytes(chunk)));
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
    for (let count = 0; count < 2_048; count++) expect(meter(chunk)).toBe(true);
    expect(meter(bytes('a'))).toBe(false);
  }, 20_000);
});

describe('watchBody', () => {
  function watched(chunks: readonly unknown[], max = 10) {
    const ends: unknown[] = [];
    const cancelled: unknown[] = [];
    let pulled = 0;
    const source = new ReadableStream<unknown>(
      {
        pull(controller) {
          if (pulled < chunks.length) controller.enqueue(chunks[pulled++]);
          else controller.close();
        },
        cancel: (reason) => void cancelled.push(reason),
      },
      { highWaterMark: 0 },
    );
    const body = watchBody(source as ReadableStream<Uint8Array>, {
      meter: meterWhole(max),
      overCap: () => new Error('cap'),
      ended: (error) => void ends.push(error),
    });
    return { ...body, ends, cancelled, pulled: () => pulled };
  }

  it('G6 passes the bytes on and reports the end once', async () => {
    const body = watched([bytes('hello'), bytes('world')]);
    expect(await new Response(body.stream).text()).toBe('helloworld');
    body.fail(new Error('late'));
    expect(body.ends).toEqual([undefined]);
    expect(meterWhole(10)(bytes('hello worlds'))).toBe(false);
  });

  it('G6 ends a body over the cap and cancels its source', async () => {
    const body = watched([bytes('hello'), bytes('worlds'), bytes('!')]);
    await expect(new Response(body.stream).text()).rejects.toThrow('cap');
    expect(body.ends).toEqual([new Error('cap')]);
    expect(body.cancelled).toHaveLength(1);
  });

  it('G6 cancels the source when it is cancelled', async () => {
    const body = watched([bytes('a'), bytes('b')]);
    const reader = body.stream.getReader();
    await reader.read();
    await reader.cancel('enough');
    expect(body.cancelled).toEqual(['enough']);
    expect(body.ends).toEqual([undefined]);
  });

  it('G6 reads nothing ahead of its consumer', async () => {
    const body = watched([bytes('a'), bytes('b')]);
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(body.pulled()).toBe(0);
    await body.stream.getReader().read();
    expect(body.pulled()).toBe(1);
  });

  it('G6 refuses chunks whose bytes cannot be counted', async () => {
    const body = watched(['a string']);
    await expect(body.stream.getReader().read()).rejects.toBeInstanceOf(TypeError);
    expect(body.ends).toHaveLength(1);
  });

  it('G6 fails at once, also with a source that never answers', async () => {
    const source = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const body = watchBody(source, { meter: () => true, overCap: () => undefined, ended: () => {} });
    const read = body.stream.getReader().read();
    body.fail(new Error('gone'));
    await expect(read).rejects.toThrow('gone');
  });
});

describe('readUpTo', () => {
  it('G6 keeps the first bytes and cancels the rest', async () => {
    let cancelled = false;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes('0123456789')),
      cancel() {
        cancelled = true;
      },
    });
    const { bytes: read, more } = await readUpTo(source, 25).done;
    expect([read.byteLength, more, cancelled]).toEqual([25, true, true]);
  });

  it('G6 says when that was all', async () => {
    const source = new Response('0123456789').body as ReadableStream<Uint8Array>;
    expect(await readUpTo(source, 10).done).toMatchObject({ more: false });
  });
});
