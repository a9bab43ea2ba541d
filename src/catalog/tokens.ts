import { canonicalJson } from '../core/json.js';

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

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // The native writer recurses. The order of keys, the only other difference of this one, changes no count.
    if (error instanceof RangeError) return canonicalJson(value);
    throw error;
  }
}

function countTokens(text: string): number {
  let quarters = text.length;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) > 0x7f) quarters += 2;
  }
  return Math.ceil(quarters / 4);
}
