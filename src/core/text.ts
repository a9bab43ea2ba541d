/** Longest piece of a server's text inside an error message, in characters (R7). */
export const SERVER_TEXT_MAX = 4_000;

/** C0 and C1 controls, escaped so that a log or terminal shows them instead of obeying them. */
export function escapeControls(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters this function is about
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, escapeUnit);
}

/** One UTF-16 code unit as JSON and JavaScript write it. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A server's text for an error message: capped, controls escaped (R7). */
export function serverText(text: string): string {
  // Escaping lengthens, so what surely goes beyond the end is taken off first.
  const escaped = escapeControls(text.slice(0, SERVER_TEXT_MAX + 1));
  if (escaped.length <= SERVER_TEXT_MAX) return escaped;
  const half = /[\ud800-\udbff]$/;
  return `${escaped.slice(0, SERVER_TEXT_MAX).replace(half, '')}[…]`;
}
