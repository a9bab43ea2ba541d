import { jsonText } from '../core/json.js';

/**
 * Estimated tokens of a value (D1): four ASCII characters a token, a non-ASCII character three quarters of one, the sum
 * rounded up. A character is a UTF-16 code unit. A string counts itself, anything else its JSON text, and what has no JSON
 * text (`undefined`, a function) counts 0. It is an estimate for budgets, not a tokenizer.
 *
 * @throws TypeError on a cycle or a bigint, as `JSON.stringify` does. Depth is no limit.
 */
export function estimateTokens(value: unknown): number {
  const text = typeof value === 'string' ? value : jsonText(value);
  return text === undefined ? 0 : countTokens(text);
}

/**
 * The floor of a catalogue: estimated tokens of names and descriptions alone, which no disclosure tier can save (D1, D4).
 * The sum of `estimateTokens({ name, description })` over the tools, so that it compares with the full figure; a tool
 * without a description counts `{ name }`.
 */
export function catalogTokens(tools: Iterable<{ readonly name: string; readonly description?: string }>): number {
  let sum = 0;
  for (const { name, description } of tools) sum += estimateTokens({ name, description });
  return sum;
}

/** The most that any text of this length is estimated at; told without reading it. */
export function tokensAtMost(length: number): number {
  return Math.ceil((length * 3) / 4);
}

/** How many characters of `text` fit in so many tokens, from its start or, backwards, from its end. */
export function charsWithin(text: string, tokens: number, from: 'start' | 'end' = 'start'): number {
  let quarters = tokens * 4;
  for (let count = 0; count < text.length; count++) {
    quarters -= weigh(text.charCodeAt(from === 'start' ? count : text.length - 1 - count));
    if (quarters < 0) return count;
  }
  return text.length;
}

function countTokens(text: string): number {
  let quarters = 0;
  for (let index = 0; index < text.length; index++) quarters += weigh(text.charCodeAt(index));
  return Math.ceil(quarters / 4);
}

/** A character's part of a token, in quarters. */
function weigh(code: number): number {
  return code > 0x7f ? 3 : 1;
}
