import { cleanText, escapeHidden } from './hidden-text.js';

/** Longest piece of a server's text inside an error message, in characters (R7). */
export const SERVER_TEXT_MAX = 4_000;

/**
 * Control characters but tab and line feed, and everything else that is drawn as nothing, escaped so that a log or terminal
 * shows them instead of obeying them (G10).
 */
export function escapeControls(text: string): string {
  return escapeHidden(text, escapeUnit).replaceAll('\r', escapeUnit);
}

/** One UTF-16 code unit as JSON and JavaScript write it. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A server's text for an error message: capped, without hidden text (R7, G10). */
export function serverText(text: string): string {
  // Escaping lengthens, so what surely goes beyond the end is taken off first.
  const escaped = escapeControls(cleanText(text.slice(0, SERVER_TEXT_MAX + 1)));
  if (escaped.length <= SERVER_TEXT_MAX) return escaped;
  const half = /[\ud800-\udbff]$/;
  return `${escaped.slice(0, SERVER_TEXT_MAX).replace(half, '')}[…]`;
}
