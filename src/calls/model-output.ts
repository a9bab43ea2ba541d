import { jsonText, measureJson, sameJson } from '../core/json.js';
import { quietly } from '../core/quietly.js';
import type { ContentBlock, McpToolResult, ModelOutput } from '../core/tools.js';

export type Part = Extract<ModelOutput, { type: 'content' }>['value'][number];

/**
 * A result in the AI SDK's own form. Media stays native and never becomes text (R2); a structured value that the text
 * already says is not sent again (R3).
 */
export function toModelOutput({ output }: { readonly output: McpToolResult }): ModelOutput {
  const parts = output.content.map(toPart);
  if (output.structuredContent !== undefined && !repeatsContent(output)) {
    if (parts.length === 0) return wholeValue(output.structuredContent);
    parts.push({ type: 'text', text: jsonText(output.structuredContent) ?? '' });
  }
  const [first] = parts;
  if (first === undefined) return { type: 'text', value: '' };
  if (parts.length === 1 && first.type === 'text') return { type: 'text', value: first.text };
  return { type: 'content', value: parts };
}

export function toPart(block: ContentBlock): Part {
  const { type } = block;
  if (type === 'text' && typeof block.text === 'string') return { type: 'text', text: block.text };
  if ((type === 'image' || type === 'audio') && typeof block.data === 'string') {
    return filePart(block.data, block.mimeType, type === 'image' ? 'image/png' : 'audio/wav');
  }
  if (type === 'resource' && 'resource' in block) {
    const resource = block.resource as { text?: unknown; blob?: unknown; mimeType?: unknown } | null;
    if (typeof resource?.blob === 'string')
      return filePart(resource.blob, resource.mimeType, 'application/octet-stream');
    if (typeof resource?.text === 'string') return { type: 'text', text: resource.text };
  }
  // Links and kinds not known yet: their own JSON is the most that can be said without fetching anything (R6).
  return { type: 'text', text: jsonText(block) ?? '' };
}

function filePart(data: string, mediaType: unknown, fallback: string): Part {
  return {
    type: 'file',
    mediaType: typeof mediaType === 'string' ? mediaType : fallback,
    data: { type: 'data', data },
  };
}

/** Levels that a framework may be expected to walk by recursion. */
const WALKED_DEPTH = 256;

/** A value nested deeper than a framework can walk is its own JSON text (G9). */
function wholeValue(value: unknown): ModelOutput {
  const { ok } = measureJson(value, { depth: WALKED_DEPTH, nodes: Number.POSITIVE_INFINITY });
  return ok ? { type: 'json', value: value as never } : { type: 'text', value: jsonText(value) ?? '' };
}

/**
 * Whether the text blocks say what the structured value says (R3): one of them the value as JSON, or, as servers wrap what
 * is no object, the value under `result`, itself or as JSON, or one block for each member of it.
 */
export function repeatsContent({ content, structuredContent: value }: McpToolResult): boolean {
  if (!content.every((block) => block.type === 'text' && typeof block.text === 'string')) return false;
  const texts = content.map((block) => (block as { text: string }).text);
  return [value, unwrap(value)].some((said) => said !== undefined && (saysOnce(texts, said) || saysEach(texts, said)));
}

function saysOnce(texts: readonly string[], value: unknown): boolean {
  return texts.length === 1 && says(texts[0]!, value);
}

function saysEach(texts: readonly string[], value: unknown): boolean {
  if (!Array.isArray(value) || texts.length < 2 || texts.length !== value.length) return false;
  return value.every((each, index) => says(texts[index]!, each));
}

/** The member of a value that has `result` alone. */
function unwrap(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const keys = Object.keys(value);
  return keys.length === 1 && keys[0] === 'result' ? (value as { result: unknown }).result : undefined;
}

function says(text: string, value: unknown): boolean {
  if (text === value) return true;
  const parsed = quietly<{ readonly value: unknown }>(() => ({ value: JSON.parse(text) }));
  return parsed !== undefined && sameJson(parsed.value, value);
}
