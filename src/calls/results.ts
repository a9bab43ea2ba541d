import type { McpErrorDetails } from '../core/errors.js';
import { McpLimitError, McpProtocolError, McpToolExecutionError } from '../core/errors.js';
import { serverText } from '../core/text.js';
import type { ContentBlock, McpToolResult } from '../core/tools.js';
import { decodedBytes, isBase64 } from './media.js';

export interface ResultRules {
  /** Decoded bytes of one image, audio or blob. */
  readonly mediaBytes: number;
}

type Details = McpErrorDetails & { readonly server: string; readonly tool: string };

/**
 * The one adapter of every transport (R1, R2): the raw result of a call as `execute` hands it out. Throws for `isError`, for
 * media that is over the limit or does not decode, and for content that is no list of blocks. Nothing is fetched (R6).
 */
export function adaptResult(
  raw: Readonly<Record<string, unknown>>,
  rules: ResultRules,
  details: Details,
): McpToolResult {
  const content = readContent(raw.content, details);
  const result = withStructured(content, raw);
  // Anything but a plain no: a failure must never pass for an answer.
  if (raw.isError !== undefined && raw.isError !== null && raw.isError !== false) {
    throw new McpToolExecutionError(`MCP tool error: ${errorText(content)}`, { ...details, result });
  }
  for (const block of content) checkMedia(block, rules, details);
  return result;
}

/** The oldest revision sends a value under `toolResult`, in place of everything else. */
function withStructured(content: ContentBlock[], raw: Readonly<Record<string, unknown>>): McpToolResult {
  if (Object.hasOwn(raw, 'structuredContent')) return { content, structuredContent: raw.structuredContent };
  const isOldest = content.length === 0 && Object.hasOwn(raw, 'toolResult');
  return isOldest ? { content, structuredContent: raw.toolResult } : { content };
}

function readContent(content: unknown, details: Details): ContentBlock[] {
  // Some servers send the structured value alone.
  if (content === undefined || content === null) return [];
  const isBlock = (block: unknown): block is ContentBlock =>
    typeof block === 'object' && block !== null && typeof (block as { type?: unknown }).type === 'string';
  if (Array.isArray(content) && content.every(isBlock)) return content;
  throw new McpProtocolError(
    `Tool \`${details.tool}\` of server \`${details.server}\` answered with \`content\` that is no list of content blocks.`,
    details,
  );
}

function errorText(content: readonly ContentBlock[]): string {
  const texts = content.flatMap((block) =>
    block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  );
  const text = texts.join('\n');
  return text.trim() === '' ? '(no message)' : serverText(text);
}

function checkMedia(block: ContentBlock, { mediaBytes }: ResultRules, details: Details): void {
  const data = mediaOf(block);
  if (data === undefined) return;
  const where = `The ${block.type} from \`${details.tool}\` of server \`${details.server}\``;
  if (typeof data !== 'string') throw new McpProtocolError(`${where} has no base64 text.`, details);
  if (decodedBytes(data) > mediaBytes) {
    const message = `${where} is over ${mediaBytes} bytes; raise \`limits.mediaBytes\` to let it pass.`;
    throw new McpLimitError(message, { ...details, limit: 'mediaBytes', max: mediaBytes });
  }
  if (!isBase64(data)) throw new McpProtocolError(`${where} is not valid base64.`, details);
}

function mediaOf(block: ContentBlock): unknown {
  if (block.type === 'image' || block.type === 'audio') return 'data' in block ? block.data : null;
  if (block.type !== 'resource' || !('resource' in block)) return undefined;
  const resource: unknown = block.resource;
  const { blob } = (resource ?? {}) as { blob?: unknown };
  return blob ?? undefined;
}
