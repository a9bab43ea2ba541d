import { charsWithin, estimateTokens, tokensAtMost } from '../catalog/tokens.js';
import { MCP_READ_RESULT_TOOL } from '../core/helper-names.js';
import { cloneJson, jsonText } from '../core/json.js';
import type { ContentBlock, McpToolResult } from '../core/tools.js';
import { repeatsContent, toPart } from './model-output.js';

/** What a model would read of a result, and where its blocks stand in it. */
export interface Reading {
  /** The texts of all blocks, and the structured value where it says something else, a line break between them. */
  readonly whole: string;
  /** Estimated tokens of `whole`. */
  readonly tokens: number;
  readonly pieces: readonly Piece[];
}

interface Piece {
  /** Absent for the structured value. */
  readonly block?: ContentBlock | undefined;
  /** Where it stands in the whole text; absent for media. */
  readonly span?: { readonly from: number; readonly to: number } | undefined;
}

/** Reads a result as a model would; undefined where its texts are within `limit` tokens. */
export function readOversized(result: McpToolResult, limit: number): Reading | undefined {
  const { content, structuredContent: value } = result;
  const structured = value === undefined ? '' : (jsonText(value) ?? '');
  const parts = content.map((block) => ({ block, part: toPart(block) }));
  const length = parts.reduce((sum, { part }) => sum + (part.type === 'text' ? part.text.length + 1 : 0), 0);
  if (tokensAtMost(length + structured.length) <= limit) return undefined;
  const pieces: Piece[] = [];
  const texts: string[] = [];
  let from = 0;
  const addText = (text: string, block?: ContentBlock) => {
    texts.push(text);
    pieces.push({ ...(block && { block }), span: { from, to: from + text.length } });
    from += text.length + 1;
  };
  for (const { block, part } of parts) {
    if (part.type === 'text') addText(part.text, block);
    else pieces.push({ block });
  }
  if (structured !== '' && !repeatsContent(result)) addText(structured);
  const whole = texts.join('\n');
  const tokens = estimateTokens(whole);
  return tokens <= limit ? undefined : { whole, tokens, pieces };
}

/** The part of the limit that the beginning gets; the end gets the rest. */
const HEAD_SHARE = 0.75;
/** Estimated tokens that the mark takes. */
const MARK_TOKENS = 64;
/** How far from where a cut would fall a better place is looked for: the part of what is kept on that side. */
const SEARCHED_SHARE = 0.1;

/** The result with head and tail of its texts, a mark between them, and its media untouched (R4). */
export function cutResult(reading: Reading, limit: number, handle: string): McpToolResult {
  const { whole, tokens, pieces } = reading;
  const kept = Math.max(0, limit - MARK_TOKENS);
  const headTokens = Math.floor(kept * HEAD_SHARE);
  const head = endOfHead(whole, charsWithin(whole, headTokens));
  const tail = startOfTail(whole, whole.length - charsWithin(whole, kept - headTokens, 'end'));
  const mark = `[… ${tail - head} of ${whole.length} characters are left out here. Read them with ${MCP_READ_RESULT_TOOL}: handle "${handle}", offset ${head}. …]`;
  const content = pieces.flatMap(({ block, span }) => keepPart(whole, { block, span, head, tail, mark }));
  return { content, truncated: { handle, tokens } };
}

interface Cut extends Piece {
  /** Where the gap begins and ends in the whole text. */
  readonly head: number;
  readonly tail: number;
  readonly mark: string;
}

/** What is left of one piece. The gap begins in one of them, also where it swallows others. */
function keepPart(whole: string, { block, span, head, tail, mark }: Cut): readonly ContentBlock[] {
  const isMarked = span !== undefined && span.from <= head && head <= span.to;
  const isWhole = span === undefined || (!isMarked && (span.to < head || span.from >= tail));
  if (block !== undefined && isWhole) return [block];
  if (span === undefined) return [];
  const before = whole.slice(span.from, Math.min(span.to, head));
  const after = whole.slice(Math.max(span.from, tail), span.to);
  const text = [before, isMarked ? mark : '', after].filter((each) => each !== '').join('\n');
  return text === '' ? [] : [{ type: 'text', text: detach(text) }];
}

/** The last line break or space near the end of the head; never between the halves of a surrogate pair. */
function endOfHead(text: string, end: number): number {
  const searched = text.slice(end - Math.floor(end * SEARCHED_SHARE), end);
  const place = lastBoundary(searched);
  if (place >= 0) return end - searched.length + place + 1;
  return splitsPair(text, end) ? end - 1 : end;
}

/** The first line break or space near the start of the tail. */
function startOfTail(text: string, start: number): number {
  const searched = text.slice(start, start + Math.floor((text.length - start) * SEARCHED_SHARE));
  const place = firstBoundary(searched);
  if (place >= 0) return start + place + 1;
  return splitsPair(text, start) ? start + 1 : start;
}

function lastBoundary(text: string): number {
  const line = text.lastIndexOf('\n');
  return line >= 0 ? line : text.lastIndexOf(' ');
}

function firstBoundary(text: string): number {
  const line = text.indexOf('\n');
  return line >= 0 ? line : text.indexOf(' ');
}

/** Whether a cut before `index` would leave half a character on each side. */
export function splitsPair(text: string, index: number): boolean {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(index - 1, index + 1));
}

/** A slice may keep the whole text alive for as long as a conversation does; a copy does not. */
export function detach(text: string): string {
  return cloneJson(text);
}
