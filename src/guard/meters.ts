/** Counts a body against its cap and says what of it may be handed on (G6). */
export interface Meter {
  /** The pieces that the next chunk completes; undefined where the body is over its cap. */
  take(chunk: Uint8Array): readonly Uint8Array[] | undefined;
  /** What is left at the end of the body. */
  rest(): readonly Uint8Array[];
}

/** Small chunks are gathered into blocks of so many bytes. */
const BLOCK_BYTES = 16 * 1024;

/** Bytes that wait. They are copied: a small chunk costs no object of its own, and none holds a larger buffer alive. */
export interface Gathered {
  add(chunk: Uint8Array): void;
  /** Everything that waits, in a few pieces; nothing waits any more. */
  takeAll(): readonly Uint8Array[];
}

export function gather(): Gathered {
  let pieces: Uint8Array[] = [];
  let block: Uint8Array | undefined;
  let used = 0;
  const endBlock = (): void => {
    if (block !== undefined) pieces.push(block.subarray(0, used));
    block = undefined;
    used = 0;
  };
  return {
    add(chunk) {
      if (chunk.byteLength === 0) return;
      if (used + chunk.byteLength > BLOCK_BYTES) endBlock();
      if (chunk.byteLength >= BLOCK_BYTES) {
        pieces.push(chunk.slice());
        return;
      }
      block ??= new Uint8Array(BLOCK_BYTES);
      block.set(chunk, used);
      used += chunk.byteLength;
    },
    takeAll() {
      endBlock();
      const all = pieces;
      pieces = [];
      return all;
    },
  };
}

/** Counts a body as a whole, and hands it on as it comes. */
export function meterWhole(max: number): Meter {
  let total = 0;
  return {
    take(chunk) {
      total += chunk.byteLength;
      return total <= max ? [chunk] : undefined;
    },
    rest: () => [],
  };
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Counts an event stream by event: the bytes since the last blank line, so that a stream may live on while no event and
 * no run of comments passes the cap. Lines end with LF, CR or CRLF. An event is handed on when it is complete: a parser would
 * hold it as text meanwhile, at several times its size.
 *
 * A plain loop over bytes: its cost is the same for every input, unlike a search for the next line end.
 */
export function meterEvents(max: number): Meter {
  const waiting = gather();
  let size = 0;
  let lineIsEmpty = true;
  let afterCr = false;
  return {
    take(chunk) {
      let complete = 0;
      for (let index = 0; index < chunk.length; index++) {
        const byte = chunk[index];
        if (byte === LF && afterCr) {
          // The second half of a CRLF: it ends no further line.
          afterCr = false;
          if (size === 0) complete = index + 1;
          continue;
        }
        afterCr = byte === CR;
        const endsLine = afterCr || byte === LF;
        const endsEvent = endsLine && lineIsEmpty;
        size = endsEvent ? 0 : size + 1;
        lineIsEmpty = endsLine;
        if (endsEvent) complete = index + 1;
        if (size > max) return undefined;
      }
      const pieces = complete === 0 ? [] : [...waiting.takeAll(), chunk.subarray(0, complete)];
      waiting.add(chunk.subarray(complete));
      return pieces;
    },
    rest: waiting.takeAll,
  };
}
