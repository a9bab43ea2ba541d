/** Base64 as RFC 4648 section 4 has it: whole quads, canonical padding, no white space. */
const DIGIT = 1;
const table = /* @__PURE__ */ base64Digits();

function base64Digits(): Uint8Array {
  const digits = new Uint8Array(128);
  for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
    digits[char.charCodeAt(0)] = DIGIT;
  return digits;
}

/** Decoded bytes of base64 text, by its length alone: an upper bound where the text is malformed. */
export function decodedBytes(text: string): number {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return Math.floor((text.length * 3) / 4) - padding;
}

/** Whether `text` decodes, read without decoding it and without a regular expression over megabytes. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const end = text.endsWith('==') ? text.length - 2 : text.endsWith('=') ? text.length - 1 : text.length;
  for (let index = 0; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code > 127 || table[code] !== DIGIT) return false;
  }
  return true;
}
