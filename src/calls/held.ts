/** Whole texts of results that were cut, until the toolset closes or newer ones take their place (R4). */
export interface HeldResults {
  /** Answers with the handle that the text can be read by. */
  hold(text: string): string;
  /** Undefined for a handle that is not known, or no longer. */
  read(handle: string): string | undefined;
  clear(): void;
}

/** @param maxChars What all texts together may have, in UTF-16 code units; the oldest go first. */
export function createHeldResults(maxChars: number): HeldResults {
  const texts = new Map<string, string>();
  let chars = 0;
  return {
    hold(text) {
      const handle = newHandle();
      texts.set(handle, text);
      chars += text.length;
      for (const [oldest, { length }] of texts) {
        if (chars <= maxChars) break;
        texts.delete(oldest);
        chars -= length;
      }
      return handle;
    },
    read: (handle) => texts.get(handle),
    clear() {
      texts.clear();
      chars = 0;
    },
  };
}

/** At random: a handle from before a restart must not read what another one stands for now. */
function newHandle(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `r_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
