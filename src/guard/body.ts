import { quietly } from '../core/quietly.js';

/** Takes the next chunk and says whether the body is still within its cap (G6). */
export type Meter = (chunk: Uint8Array) => boolean;

/** Counts a body as a whole. */
export function meterWhole(max: number): Meter {
  let total = 0;
  return (chunk) => {
    total += chunk.byteLength;
    return total <= max;
  };
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Counts an event stream by event: the bytes since the last blank line, so that a stream may live on while no event and
 * no run of comments passes the cap. Lines end with LF, CR or CRLF.
 *
 * A plain loop over bytes: its cost is the same for every input, unlike a search for the next line end.
 */
export function meterEvents(max: number): Meter {
  let size = 0;
  let lineIsEmpty = true;
  let afterCr = false;
  return (chunk) => {
    for (let index = 0; index < chunk.length; index++) {
      const byte = chunk[index];
      if (byte === LF && afterCr) {
        // The second half of a CRLF: it ends no further line.
        afterCr = false;
        continue;
      }
      afterCr = byte === CR;
      const endsLine = afterCr || byte === LF;
      size = endsLine && lineIsEmpty ? 0 : size + 1;
      lineIsEmpty = endsLine;
      if (size > max) return false;
    }
    return true;
  };
}

export interface BodyWatch {
  readonly meter: Meter;
  /** The error for a body over its cap. */
  overCap(): unknown;
  /** Comes before the source's own bytes, and is not metered. */
  readonly prelude?: Uint8Array | undefined;
  /** Called once, when the body was read to its end, was cancelled, or failed with `error`. */
  ended(error?: unknown): void;
}

export interface WatchedBody {
  readonly stream: ReadableStream<Uint8Array>;
  /** Ends the stream with `error` at once, also where the source does not hear of it. */
  fail(error: unknown): void;
  /** Ends the source alone, of a body that holds nothing more; the stream then ends where it is read. */
  drop(reason: unknown): void;
}

/**
 * A stream of `source`'s bytes that is metered and reports its end (G6). Cancelling it cancels the source. It reads
 * nothing ahead, so a slow consumer slows the server down.
 */
export function watchBody(source: ReadableStream<Uint8Array>, watch: BodyWatch): WatchedBody {
  const reader = source.getReader();
  let open = true;
  let out: ReadableStreamDefaultController<Uint8Array> | undefined;
  const fail = (error: unknown): void => {
    if (!open) return;
    open = false;
    out?.error(error);
    dropReader(reader, error);
    watch.ended(error);
  };
  const pull = async (): Promise<void> => {
    try {
      const { done, value } = await reader.read();
      if (!open) return;
      if (done) {
        open = false;
        out?.close();
        watch.ended();
      } else if (watch.meter(bytesOf(value))) out?.enqueue(value);
      else fail(watch.overCap());
    } catch (error) {
      fail(error);
    }
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        out = controller;
        if (watch.prelude !== undefined) controller.enqueue(watch.prelude);
      },
      pull,
      cancel(reason) {
        if (!open) return;
        open = false;
        watch.ended();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, fail, drop: (reason) => dropReader(reader, reason) };
}

/** A reader that can be told to stop: its `read` then ends as if the body had. */
export interface BoundedRead {
  /** The first `max` bytes, and whether there were more. */
  readonly done: Promise<{ readonly bytes: Uint8Array; readonly more: boolean }>;
  cancel(reason: unknown): void;
}

/** Reads at most `max` bytes of a body and cancels the rest. */
export function readUpTo(source: ReadableStream<Uint8Array>, max: number): BoundedRead {
  const reader = source.getReader();
  const read = async (): Promise<{ bytes: Uint8Array; more: boolean }> => {
    const chunks: Uint8Array[] = [];
    let total = 0;
    while (total <= max) {
      const { done, value } = await reader.read();
      if (done) return { bytes: concat(chunks, total), more: false };
      chunks.push(bytesOf(value));
      total += value.byteLength;
    }
    dropReader(reader, undefined);
    return { bytes: concat(chunks, total).subarray(0, max), more: true };
  };
  return { done: read(), cancel: (reason) => dropReader(reader, reason) };
}

/** Cancels what nobody will read, so that its connection ends. A body that is locked is dropped by whoever reads it. */
export function dropBody(body: ReadableStream<Uint8Array> | null): void {
  quietly(() => body?.cancel());
}

/** On Workers the stream of another request throws; its own request ends it. */
function dropReader(reader: ReadableStreamDefaultReader<Uint8Array>, reason: unknown): void {
  quietly(() => reader.cancel(reason));
}

/** A host's own fetch may hand out a stream of anything; what has no byte length would never reach the cap. */
function bytesOf(chunk: Uint8Array): Uint8Array {
  if (!ArrayBuffer.isView(chunk)) throw new TypeError('The response body is not a stream of bytes');
  return chunk;
}

function concat(chunks: readonly Uint8Array[], total: number): Uint8Array {
  const only = chunks[0];
  if (chunks.length === 1 && only !== undefined) return only;
  const all = new Uint8Array(total);
  let offset = 0;
  for (const chunk of chunks) {
    all.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return all;
}
