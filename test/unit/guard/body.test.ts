import { describe, expect, it } from 'vitest';
import { readUpTo, textOf, watchBody } from '../../../src/guard/body.js';
import { meterEvents, meterWhole } from '../../../src/guard/meters.js';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('watchBody', () => {
  function watched(chunks: readonly unknown[], meter = meterWhole(10)) {
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
      meter,
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

  it('G6 reads on where a chunk completes nothing, and hands on what is left at the end', async () => {
    const body = watched([...'data: 1\n\ndata: 2'].map(bytes), meterEvents(100));
    const reader = body.stream.getReader();
    const texts: string[] = [];
    for (let read = await reader.read(); !read.done; read = await reader.read()) texts.push(textOf([read.value]));
    expect(texts.join('|')).toBe('data: 1\n|\n|data: 2');
    expect(body.ends).toEqual([undefined]);
  });

  it('G6 hears of an end while it waits for the rest of an event', async () => {
    const body = watched([bytes('data: 1')], meterEvents(100));
    expect(await new Response(body.stream).text()).toBe('data: 1');
  });

  it('G6 refuses chunks whose bytes cannot be counted', async () => {
    const body = watched(['a string']);
    await expect(body.stream.getReader().read()).rejects.toBeInstanceOf(TypeError);
    expect(body.ends).toHaveLength(1);
  });

  it('G6 fails at once, also with a source that never answers', async () => {
    const source = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
    const body = watchBody(source, { meter: meterWhole(10), overCap: () => undefined, ended: () => {} });
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
    const { pieces, more } = await readUpTo(source, 25).done;
    expect([textOf(pieces), more, cancelled]).toEqual(['0123456789012345678901234', true, true]);
  });

  it('G6 says when that was all', async () => {
    const source = new Response('0123456789').body as ReadableStream<Uint8Array>;
    expect(await readUpTo(source, 10).done).toMatchObject({ more: false });
  });

  it('G6 reads a text whose characters are torn between the chunks', async () => {
    const source = new Response(
      new ReadableStream({
        start(controller) {
          for (const byte of bytes('ä–😀')) controller.enqueue(Uint8Array.of(byte));
          controller.close();
        },
      }),
    ).body as ReadableStream<Uint8Array>;
    expect(textOf((await readUpTo(source, 100).done).pieces)).toBe('ä–😀');
  });
});
