type Close = () => Promise<void>;

/**
 * A stand-in for `value` that calls `close` once its stream is finished, cancelled or fails; undefined where `value` has
 * none. A `Response`, a `ReadableStream` and an async iterable are streams; so is every member of an object that is one,
 * of which the first to end closes: they are branches of one answer.
 */
export function closeAfterStream<T>(value: T, close: Close): T | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const direct = wrapStream(value, close);
  if (direct !== undefined) return direct as T;
  return hasStream(value) ? (wrapMembers(value, close) as T) : undefined;
}

function wrapStream(value: unknown, close: Close): object | undefined {
  if (!isStreamLike(value)) return undefined;
  if (value instanceof ReadableStream) return wrapReadable(value, close);
  if (value instanceof Response) return wrapResponse(value, value.body!, close);
  return wrapIterable(value as AsyncIterable<unknown>, close);
}

function wrapReadable(stream: ReadableStream<unknown>, close: Close): ReadableStream<unknown> {
  const reader = stream.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        await close();
        controller.close();
      } catch (error) {
        await close();
        controller.error(error);
      }
    },
    async cancel(reason) {
      await reader.cancel(reason).finally(close);
    },
  });
}

function wrapResponse(response: Response, body: ReadableStream<unknown>, close: Close): Response {
  const { status, statusText, headers } = response;
  return new Response(wrapReadable(body, close) as ReadableStream<Uint8Array>, { status, statusText, headers });
}

/** Only the object's iteration is watched. */
function wrapIterable(source: AsyncIterable<unknown>, close: Close): object {
  return standIn(source, (key) => {
    if (key === Symbol.asyncIterator) return () => watch(source[Symbol.asyncIterator](), close);
    // A generator is its own iterator.
    if (isIterator(source) && (key === 'next' || key === 'return' || key === 'throw')) return watch(source, close)[key];
    return readMember(source, key);
  });
}

function watch(iterator: AsyncIterator<unknown>, close: Close): AsyncIterableIterator<unknown> {
  const settle = async (step: () => Promise<IteratorResult<unknown>>): Promise<IteratorResult<unknown>> => {
    try {
      const result = await step();
      if (result.done) await close();
      return result;
    } catch (error) {
      await close();
      throw error;
    }
  };
  return {
    next: (...args) => settle(() => iterator.next(...args)),
    return: (value) => settle(() => iterator.return?.(value) ?? Promise.resolve({ done: true, value })),
    throw: (error) => settle(() => iterator.throw?.(error) ?? Promise.reject(error)),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** Members that hold an answer's stream. Reading one of the AI SDK's opens a branch of it, so those are only looked for. */
const STREAM_MEMBERS = ['body', 'stream'];
const BRANCH_MEMBERS = ['textStream', 'fullStream'];

function hasStream(value: object): boolean {
  return (
    BRANCH_MEMBERS.some((key) => mayBeStream(value, key)) ||
    STREAM_MEMBERS.some((key) => isStreamLike(readMember(value, key)))
  );
}

/** Without running a getter. */
function mayBeStream(value: object, key: string): boolean {
  const own = Object.getOwnPropertyDescriptor(value, key);
  return own !== undefined && 'value' in own ? isStreamLike(own.value) : key in value;
}

/** What an AI SDK result settles when its stream has ended, whoever reads that. */
const ENDINGS: readonly PropertyKey[] = [
  'text',
  'steps',
  'finishReason',
  'totalUsage',
  'usage',
  'toolResults',
  'content',
];
/** Reads such a result to its end by itself. */
const CONSUMER: PropertyKey = 'consumeStream';

function closeWith(work: unknown, close: Close): void {
  if (work instanceof Promise) work.then(close, close);
}

function wrapMembers(value: object, close: Close): object {
  const wrapped = new Map<PropertyKey, object>();
  return standIn(value, (key) => {
    const known = wrapped.get(key);
    if (known !== undefined) return known;
    const found: unknown = Reflect.get(value, key, value);
    // What a method makes of the stream, such as a Response, ends with it too.
    if (typeof found === 'function') {
      return (...args: unknown[]) => {
        const made: unknown = Reflect.apply(found, value, args);
        if (key === CONSUMER) closeWith(made, close);
        return wrapStream(made, close) ?? made;
      };
    }
    if (ENDINGS.includes(key)) closeWith(found, close);
    const stream = wrapStream(found, close);
    if (stream !== undefined) wrapped.set(key, stream);
    return stream ?? found;
  });
}

/** Looks like `value` in every way but what `get` answers. Its target is empty: a frozen object's members cannot be replaced. */
function standIn(value: object, get: (key: PropertyKey) => unknown): object {
  return new Proxy(Object.create(Object.getPrototypeOf(value) as object | null) as object, {
    get: (_, key) => get(key),
    has: (_, key) => key in value,
    ownKeys: () => Reflect.ownKeys(value),
    getOwnPropertyDescriptor(_, key) {
      const own = Object.getOwnPropertyDescriptor(value, key);
      return own && { value: get(key), enumerable: own.enumerable ?? false, configurable: true, writable: false };
    },
    set: (_, key, next) => Reflect.set(value, key, next, value),
  });
}

/** A member as the object itself sees it: private fields need the object, not its stand-in. */
function readMember(target: object, key: PropertyKey): unknown {
  const found: unknown = Reflect.get(target, key, target);
  return typeof found === 'function' ? found.bind(target) : found;
}

/** What is locked is read by somebody else, and its end is not ours to see. */
function isStreamLike(value: unknown): boolean {
  if (value instanceof ReadableStream) return !value.locked;
  if (value instanceof Response) return value.body !== null && !value.body.locked;
  return isAsyncIterable(value);
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  if (typeof value !== 'object' || value === null) return false;
  return typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function';
}

function isIterator(value: unknown): value is AsyncIterator<unknown> {
  return typeof (value as { next?: unknown }).next === 'function';
}
