import { escapeControls } from '../../core/text.js';
import type { Redact } from './redact.js';

/** The end of what a process writes on a stream, whatever the amount. */
export interface Tail {
  add(chunk: Uint8Array): void;
  /** At most {@link TAIL_BYTES} of it, without secrets, controls escaped. */
  text(): string;
}

export const TAIL_BYTES = 8 * 1024;

export function createTail(redact: Redact): Tail {
  // A secret that begins before the end is found only whole.
  const kept = new Uint8Array(TAIL_BYTES + redact.longest);
  let used = 0;
  return {
    add(chunk) {
      const last = chunk.subarray(Math.max(0, chunk.byteLength - kept.byteLength));
      const excess = Math.max(0, used + last.byteLength - kept.byteLength);
      kept.copyWithin(0, excess, used);
      used -= excess;
      kept.set(last, used);
      used += last.byteLength;
    },
    text() {
      const bytes = new TextEncoder().encode(redact.text(new TextDecoder().decode(kept.subarray(0, used))));
      const end = new TextDecoder().decode(bytes.subarray(Math.max(0, bytes.byteLength - TAIL_BYTES)));
      // A character that was cut begins with bytes that are none.
      return escapeControls(end.replace(/^\ufffd{1,3}/, '')).trim();
    },
  };
}
