import { describe, expect, it } from 'vitest';
import type { McpToolset } from '../../src/index.js';
import { withMcpTools } from '../../src/index.js';
import { startRawServer } from '../support/raw-server.js';
import { createKit, custom, fakeTransport, rejection, within } from './wiring-kit.js';

const kit = createKit();

/** Runs `use` over one in-process server; `closed()` says whether the toolset was closed. */
function using<R>(use: (toolset: McpToolset) => R | Promise<R>) {
  const transport = fakeTransport();
  const work = withMcpTools([custom('s', () => transport)], { onDiagnostic: kit.listen }, use);
  return { work, closed: () => transport.closes > 0 };
}

const call = async ({ tools }: McpToolset, q: number) => (await tools.s__a!.execute({ q })).content[0];

async function* numbers(toolset: McpToolset, fails = false) {
  yield 1;
  // A call in the middle of the stream: the toolset must still be open.
  await call(toolset, 2);
  if (fails) throw new Error('stream failed');
  yield 2;
}

function readable(fails = false): ReadableStream<string> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      next += 1;
      if (next < 3) controller.enqueue(`part ${next}`);
      else if (fails) controller.error(new Error('stream failed'));
      else controller.close();
    },
  });
}

describe('a plain outcome', () => {
  it.each([
    undefined,
    null,
    0,
    'text',
    { answer: 42 },
    [1, 2],
    { body: 'no stream' },
    { textStream: undefined },
    new Map(),
  ])('W5 %o is returned as it is, after the close', async (value) => {
    const { work, closed } = using(async (toolset) => {
      await call(toolset, 1);
      return value;
    });
    expect(await work).toBe(value);
    expect(closed()).toBe(true);
  });

  it.each([new Error('mine'), 'a text', undefined])(
    'W5 a throw (%s) passes as it is, after the close',
    async (thrown) => {
      for (const use of [
        () => {
          throw thrown;
        },
        () => Promise.reject(thrown),
      ]) {
        const { work, closed } = using(use);
        expect(await rejection(work)).toBe(thrown);
        expect(closed()).toBe(true);
      }
    },
  );

  it('W5 the wiring itself may reject, and `use` does not run', async () => {
    let used = false;
    const gone = { name: 'gone', type: 'http', url: 'http://127.0.0.1:1/', required: true } as const;
    const work = withMcpTools([gone], { onDiagnostic: kit.listen }, async () => {
      used = true;
    });
    expect(await rejection(work)).toMatchObject({ code: 'connect-failed' });
    expect(used).toBe(false);
  });
});

describe('an async iterable', () => {
  it('W5 closes when it is finished', async () => {
    const { work, closed } = using((toolset) => numbers(toolset));
    const seen: number[] = [];
    for await (const value of await work) {
      expect(closed()).toBe(false);
      seen.push(value);
    }
    expect(seen).toEqual([1, 2]);
    expect(closed()).toBe(true);
  });

  it('W5 closes when its reader leaves early', async () => {
    const { work, closed } = using((toolset) => numbers(toolset));
    for await (const value of await work) {
      expect(value).toBe(1);
      break;
    }
    expect(closed()).toBe(true);
  });

  it('W5 closes when it fails, and passes its error on', async () => {
    const { work, closed } = using((toolset) => numbers(toolset, true));
    const stream = await work;
    const read = async () => {
      for await (const _ of stream);
    };
    expect(await rejection(read())).toMatchObject({ message: 'stream failed' });
    expect(closed()).toBe(true);
  });

  it('W5 closes on a throw into a generator, and when next is called by hand', async () => {
    const { work, closed } = using((toolset) => numbers(toolset));
    const stream = await work;
    expect(await stream.next()).toEqual({ done: false, value: 1 });
    expect(await rejection(stream.throw(new Error('enough')))).toMatchObject({ message: 'enough' });
    expect(closed()).toBe(true);
  });

  it('W5 keeps the rest of its object', async () => {
    class Answer {
      #parts = ['a', 'b'];
      readonly id = 7;
      get size() {
        return this.#parts.length;
      }
      first() {
        return this.#parts[0];
      }
      async *[Symbol.asyncIterator]() {
        yield* this.#parts;
      }
    }
    const { work, closed } = using(() => new Answer());
    const answer = await work;
    expect(answer).toBeInstanceOf(Answer);
    expect([answer.id, answer.size, answer.first()]).toEqual([7, 2, 'a']);
    expect(closed()).toBe(false);
    for await (const _ of answer);
    expect(closed()).toBe(true);
  });
});

describe('a stream', () => {
  it('W5 closes when it was read to its end', async () => {
    const { work, closed } = using(() => readable());
    const reader = (await work).getReader();
    expect(await reader.read()).toEqual({ done: false, value: 'part 1' });
    expect(closed()).toBe(false);
    expect(await reader.read()).toEqual({ done: false, value: 'part 2' });
    expect(await reader.read()).toEqual({ done: true, value: undefined });
    expect(closed()).toBe(true);
  });

  it('W5 closes when it is cancelled, and cancels its source', async () => {
    let reason: unknown;
    const source = new ReadableStream<string>({
      start: (controller) => controller.enqueue('x'),
      cancel: (given) => {
        reason = given;
      },
    });
    const { work, closed } = using(() => source);
    const stream = await work;
    expect(closed()).toBe(false);
    await stream.cancel('no longer');
    expect(reason).toBe('no longer');
    expect(closed()).toBe(true);
  });

  it('W5 closes when it fails, and when its cancel does', async () => {
    const failing = using(() => readable(true));
    const read = async () => {
      for await (const _ of await failing.work);
    };
    expect(await rejection(read())).toMatchObject({ message: 'stream failed' });
    expect(failing.closed()).toBe(true);

    const stubborn = using(() => new ReadableStream({ cancel: () => Promise.reject(new Error('will not')) }));
    expect(await rejection((await stubborn.work).cancel())).toMatchObject({ message: 'will not' });
    expect(stubborn.closed()).toBe(true);
  });

  it('W5 closes at once where somebody else reads it already', async () => {
    const stream = readable();
    const reader = stream.getReader();
    const { work, closed } = using(() => stream);
    expect(await work).toBe(stream);
    expect(closed()).toBe(true);
    expect(await reader.read()).toMatchObject({ value: 'part 1' });

    const response = new Response(readable().pipeThrough(new TextEncoderStream()));
    response.body!.getReader();
    const taken = using(() => response);
    expect(await taken.work).toBe(response);
    expect(taken.closed()).toBe(true);
  });
});

describe('a Response', () => {
  it('W5 closes when its body was read', async () => {
    const init = { status: 201, statusText: 'Made', headers: { 'x-mine': '1' } };
    const { work, closed } = using(() => new Response(readable().pipeThrough(new TextEncoderStream()), init));
    const response = await work;
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.statusText, response.headers.get('x-mine')]).toEqual([201, 'Made', '1']);
    expect(closed()).toBe(false);
    expect(await response.text()).toBe('part 1part 2');
    expect(closed()).toBe(true);
  });

  it('W5 closes at once without a body', async () => {
    for (const response of [new Response(null, { status: 204 }), Response.error()]) {
      const { work, closed } = using(() => response);
      expect(await work).toBe(response);
      expect(closed()).toBe(true);
    }
  });

  it('W5 closes when its body is cancelled', async () => {
    const { work, closed } = using(() => new Response(readable().pipeThrough(new TextEncoderStream())));
    await (await work).body!.cancel();
    expect(closed()).toBe(true);
  });
});

/** As the AI SDK's `streamText` result is built: private state, and each read of a stream opens a branch of it. */
class StreamTextResult {
  #source = readable();
  opened = 0;
  #branch(): ReadableStream<string> {
    this.opened += 1;
    const [kept, given] = this.#source.tee();
    this.#source = kept;
    return given;
  }
  get textStream() {
    return this.#branch();
  }
  get fullStream() {
    return this.#branch();
  }
  get text() {
    return Promise.resolve('part 1part 2');
  }
  toTextStreamResponse() {
    return new Response(this.#branch().pipeThrough(new TextEncoderStream()));
  }
  finishReason() {
    return 'stop';
  }
}

describe('an object with streams', () => {
  it('W5 like the result of streamText closes with the branch that is read', async () => {
    for (const member of ['textStream', 'fullStream'] as const) {
      const { work, closed } = using(() => new StreamTextResult());
      const result = await work;
      expect(result).toBeInstanceOf(StreamTextResult);
      // No branch was opened only to look.
      expect(result.opened).toBe(0);
      expect([await result.text, result.finishReason()]).toEqual(['part 1part 2', 'stop']);
      expect(closed()).toBe(false);
      let text = '';
      for await (const part of result[member]) text += part;
      expect(text).toBe('part 1part 2');
      expect(result.opened).toBe(1);
      expect(closed()).toBe(true);
    }
  });

  it('W5 closes with the Response that a method makes of it', async () => {
    const { work, closed } = using(() => new StreamTextResult());
    const response = (await work).toTextStreamResponse();
    expect(closed()).toBe(false);
    expect(await response.text()).toBe('part 1part 2');
    expect(closed()).toBe(true);
  });

  it('W5 may be frozen', async () => {
    const { work, closed } = using(() => Object.freeze({ status: 200, body: readable(), meta: { a: 1 } }));
    const result = await work;
    expect(result.status).toBe(200);
    expect(Object.keys(result)).toEqual(['status', 'body', 'meta']);
    expect({ ...result }.meta).toEqual({ a: 1 });
    expect(closed()).toBe(false);
    for await (const _ of result.body);
    expect(closed()).toBe(true);
  });

  it('W5 keeps its identity from read to read, and what is set on it', async () => {
    const { work } = using(() => ({ stream: numbersOf(3), note: '' }));
    const result = await work;
    expect(result.stream).toBe(result.stream);
    result.note = 'mine';
    expect(result.note).toBe('mine');
    for await (const _ of result.stream);
  });
});

async function* numbersOf(count: number) {
  for (let index = 0; index < count; index++) yield index;
}

describe('a clean-up that hangs', () => {
  const stuck = () => custom('s', () => fakeTransport({ close: () => new Promise(() => {}) }));

  it('W5 is bounded', async () => {
    expect(
      await within(
        7_000,
        withMcpTools([stuck()], {}, async () => 'done'),
      ),
    ).toBe('done');
  });

  it('W5 does not take the place of the error that `use` threw', async () => {
    const mine = new Error('mine');
    const work = withMcpTools([stuck()], {}, () => Promise.reject(mine));
    expect(await within(7_000, rejection(work))).toBe(mine);
  });

  it('W5 does not hold back the end of a stream for longer', async () => {
    const stream = await withMcpTools([stuck()], {}, () => readable());
    const read = async () => {
      for await (const _ of stream);
      return 'read';
    };
    expect(await within(7_000, read())).toBe('read');
  });

  it('W5 one that throws changes nothing', async () => {
    const throwing = custom('s', () => fakeTransport({ close: () => Promise.reject(new Error('no')) }));
    expect(await withMcpTools([throwing], {}, async () => 'done')).toBe('done');
  });
});

describe('a result of the AI SDK that is not read as a stream', () => {
  it.each(['text', 'steps', 'finishReason'])('W5 closes when its `%s` settles', async (member) => {
    const server = await startRawServer({ tools: [] });
    let toolset: McpToolset | undefined;
    let finish: (value: unknown) => void = () => {};
    const settled = new Promise((resolve) => {
      finish = resolve;
    });
    const result = await withMcpTools([{ name: 's', type: 'http', url: server.url }], {}, (opened) => {
      toolset = opened;
      return { [member]: settled, fullStream: new ReadableStream(), consumeStream: () => settled };
    });
    const read = (result as Record<string, unknown>)[member];
    expect(toolset?.servers[0]?.state).toBe('ready');
    finish('done');
    expect(await read).toBe('done');
    await expect.poll(() => toolset?.servers[0]?.state).toBe('closed');
    await server.close();
  });

  it('W5 closes when it was consumed', async () => {
    const server = await startRawServer({ tools: [] });
    let toolset: McpToolset | undefined;
    const result = await withMcpTools([{ name: 's', type: 'http', url: server.url }], {}, (opened) => {
      toolset = opened;
      return { textStream: new ReadableStream(), consumeStream: async () => 'consumed' };
    });
    expect(await result.consumeStream()).toBe('consumed');
    await expect.poll(() => toolset?.servers[0]?.state).toBe('closed');
    await server.close();
  });
});
