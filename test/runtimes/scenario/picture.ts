const BYTES = 200_000;

/** An image in base64: every byte many times, and more than one chunk of every transport. */
export function picture(): string {
  let text = '';
  for (let index = 0; index < BYTES; index++) text += String.fromCharCode((index * 31 + (index >> 8)) & 255);
  return btoa(text);
}
