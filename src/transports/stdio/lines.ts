import { gather } from '../../guard/meters.js';

/** Takes what a process writes apart at its line breaks. */
export interface LineReader {
  /** The lines that the chunk completes; undefined where one is over the limit. */
  take(chunk: Uint8Array): readonly string[] | undefined;
}

const LINE_BREAK = 0x0a;

/** `maxBytes` bounds one line, whether its end has come or not; what waits costs no more than it is long. */
export function createLineReader(maxBytes: number): LineReader {
  const waiting = gather();
  let held = 0;
  return {
    take(chunk) {
      const lines: string[] = [];
      let from = 0;
      for (;;) {
        const end = chunk.indexOf(LINE_BREAK, from);
        const piece = chunk.subarray(from, end < 0 ? undefined : end);
        if (held + piece.byteLength > maxBytes) return undefined;
        if (end < 0) {
          waiting.add(piece);
          held += piece.byteLength;
          return lines;
        }
        lines.push(decode([...waiting.takeAll(), piece]));
        held = 0;
        from = end + 1;
      }
    },
  };
}

function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
}
