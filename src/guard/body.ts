import { quietly } from '../core/quietly.js';
import { gather, type Meter } from './meters.js';

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
 * A stream of `source`'s bytes that is metered and reports its end (G6). Cancelling it cancels the source. It reads no
 * further ahead than the meter holds back, so a slow consumer slows the server down.
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
      // A pull that hands nothing on would be the last one.
      for (let handed = 0; open && handed === 0; ) {
        const { done, value } = await reader.read();
        if (!open) return;
        const pieces = done ? watch.meter.rest() : watch.meter.take(bytesOf(value));
        if (pieces === undefined) return fail(watch.overCap());
        for (const piece of pieces) out?.enqueue(piece);
        handed = pieces.length;
        if (!done) continue;
        open = false;
        out?.close();
        watch.ended();
      }
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
  /** The first `max` bytes in pieces, and whether there were more. */
  readonly done: Promise<{ readonly pieces: readonly Uint8Array[]; readonly more: boolean }>;
  cancel(reason: unknown): void;
}

/** Reads at most `max` bytes of a body and cancels the rest. */
export function readUpTo(source: ReadableStream<Uint8Array>, max: number): BoundedRead {
  const reader = source.getReader();
  const read = async () => {
    const gathered = gather();
    let total = 0;
    while (total <= max) {
      const { done, value } = await reader.read();
      if (done) return { pieces: gathered.takeAll(), more: false };
      gathered.add(bytesOf(value).subarray(0, max - total));
      total += value.byteLength;
    }
    dropReader(reader, undefined);
    return { pieces: gathered.takeAll(), more: true };
  };
  return { done: read(), cancel: (reason) => dropReader(reader, reason) };
}

/** The text of a body that was read in pieces, which may have been cut in the middle of a character. */
export function textOf(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.reduce((text, piece) => text + decoder.decode(piece, { stream: true }), '') + decoder.decode();
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
