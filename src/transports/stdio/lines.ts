import { gather } from '../../guard/meters.js';

/** Takes what a process writes apart at its line breaks. */
export interface LineReader {
  /** Hands on the lines that the chunk completes; whether reading may go on: false once a line is over the limit. */
  take(chunk: Uint8Array, onLine: (line: string) => void): boolean;
}

const LINE_BREAK = 0x0a;

/** `maxBytes` bounds one line, whether its end has come or not; what waits costs no more than it is long. */
export function createLineReader(maxBytes: number): LineReader {
  const waiting = gather();
  const decoder = new TextDecoder();
  let held = 0;
  return {
    take(chunk, onLine) {
      let from = 0;
      for (;;) {
        const end = chunk.indexOf(LINE_BREAK, from);
        const piece = chunk.subarray(from, end < 0 ? undefined : end);
        if (held + piece.byteLength > maxBytes) return false;
        if (end < 0) {
          waiting.add(piece);
          held += piece.byteLength;
          return true;
        }
        const whole = held === 0 ? decoder.decode(piece) : decode([...waiting.takeAll(), piece]);
        held = 0;
        from = end + 1;
        onLine(whole);
      }
    },
  };
}

function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
}
