import { canonicalJson, measureJson } from '../core/json.js';
import type { ContentBlock, McpToolResult, ModelOutput } from '../core/tools.js';

type Part = Extract<ModelOutput, { type: 'content' }>['value'][number];

/**
 * A result in the AI SDK's own form. Media stays native and never becomes text (R2); a structured value that the text
 * already says is not sent again.
 */
export function toModelOutput({ output }: { readonly output: McpToolResult }): ModelOutput {
  const parts = output.content.map(toPart);
  if (output.structuredContent !== undefined && !repeatsText(output)) {
    if (parts.length === 0) return wholeValue(output.structuredContent);
    parts.push({ type: 'text', text: writeJson(output.structuredContent) });
  }
  const [first] = parts;
  if (first === undefined) return { type: 'text', value: '' };
  if (parts.length === 1 && first.type === 'text') return { type: 'text', value: first.text };
  return { type: 'content', value: parts };
}

function toPart(block: ContentBlock): Part {
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
  return { type: 'text', text: writeJson(block) };
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
  return ok ? { type: 'json', value: value as never } : { type: 'text', value: writeJson(value) };
}

/** `JSON.stringify` recurses, and a server may nest deeper than any stack (G9); the other writer sorts the keys. */
function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return canonicalJson(value);
  }
}

/** Whether the only text block is the structured value, written as JSON. */
function repeatsText({ content, structuredContent }: McpToolResult): boolean {
  const [block, ...others] = content;
  if (others.length > 0 || block?.type !== 'text' || typeof block.text !== 'string') return false;
  try {
    return canonicalJson(JSON.parse(block.text)) === canonicalJson(structuredContent);
  } catch {
    return false;
  }
}
