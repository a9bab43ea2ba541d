import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutResult, readOversized } from '../../../src/calls/cut.js';
import { toModelOutput } from '../../../src/calls/model-output.js';
import { estimateTokens } from '../../../src/catalog/tokens.js';
import type { ContentBlock, McpToolResult } from '../../../src/core/tools.js';

const text = (value: string): ContentBlock => ({ type: 'text', text: value });
const IMAGE: ContentBlock = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
const LONE_SURROGATE = /\p{Cs}/u;
const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`).join('\n');

/** The result cut to so many tokens, with what the model reads of it. */
function cut(result: McpToolResult, limit: number) {
  const reading = readOversized(result, limit);
  expect(reading).toBeDefined();
  const made = cutResult(reading!, limit, 'r_1');
  const output = toModelOutput({ output: made });
  const parts = output.type === 'content' ? output.value : [];
  const seen =
    output.type === 'text'
      ? output.value
      : parts.map((part) => (part.type === 'text' ? part.text : `<${part.mediaType}>`)).join('\n');
  return { made, seen, whole: reading!.whole };
}

const MARK =
  /\[… (\d+) of (\d+) characters are left out here\. Read them with mcp__read_result: handle "r_1", offset (\d+)\. …\]/;

describe('what is within the limit', () => {
  it.each<[string, McpToolResult]>([
    ['a text', { content: [text('a'.repeat(400))] }],
    ['several that fit together', { content: [text('a'.repeat(200)), text('b'.repeat(199))] }],
    [
      'a value that the text says too',
      { content: [text(JSON.stringify({ a: 'x'.repeat(390) }))], structuredContent: { a: 'x'.repeat(390) } },
    ],
    ['media of any size', { content: [{ ...IMAGE, data: 'AAAA'.repeat(10_000) }] }],
    ['a blob', { content: [{ type: 'resource', resource: { uri: 'a:b', blob: 'AAAA'.repeat(10_000) } }] }],
  ])('R4 %s stays as it is', (_, result) => {
    expect(readOversized(result, 100)).toBeUndefined();
  });

  it.each<[string, McpToolResult]>([
    ['a text', { content: [text('a'.repeat(401))] }],
    ['a text of letters that cost more', { content: [text('ж'.repeat(134))] }],
    ['several together', { content: [text('a'.repeat(200)), text('b'.repeat(200))] }],
    ['a value', { content: [], structuredContent: { a: 'x'.repeat(400) } }],
    [
      'a value beside a text that says something else',
      { content: [text('b')], structuredContent: { a: 'x'.repeat(400) } },
    ],
    ['a text resource', { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'a'.repeat(401) } }] }],
    ['a block of a kind not known yet', { content: [{ type: 'new', payload: 'a'.repeat(401) }] }],
  ])('R4 %s over it is cut', (_, result) => {
    const { made, seen } = cut(result, 100);
    expect(seen).toMatch(MARK);
    expect(estimateTokens(seen)).toBeLessThanOrEqual(100);
    expect(made.truncated).toEqual({ handle: 'r_1', tokens: expect.any(Number) });
    expect(made).not.toHaveProperty('structuredContent');
  });
});

describe('where it is cut', () => {
  it('R4 head and tail stay, at line breaks, and the mark says what is between', () => {
    const { seen, whole, made } = cut({ content: [text(lines(5_000))] }, 1_000);
    const [head = '', tail = ''] = seen.split(MARK).filter((part) => !/^\d+$/.test(part));
    const [, left, all, offset] = seen.match(MARK)!;
    expect(head).toMatch(/^line 0\nline 1\n[\s\S]*\nline \d+\n+$/);
    expect(tail).toMatch(/^\nline \d+\n[\s\S]*\nline 4999$/);
    expect(head.length).toBeGreaterThan(tail.length * 2);
    expect(Number(all)).toBe(whole.length);
    const from = Number(offset);
    expect(whole.slice(0, from)).toBe(head.replace(/\n\n$/, '\n'));
    expect(whole.slice(from + Number(left))).toBe(tail.slice(1));
    expect(made.truncated!.tokens).toBe(estimateTokens(whole));
  });

  it('R4 a text without line breaks is cut at spaces, one without spaces anywhere', () => {
    const words = cut({ content: [text('word '.repeat(2_000))] }, 500).seen;
    expect(words.split(MARK)[0]).toMatch(/word \n$/);
    expect(cut({ content: [text('x'.repeat(10_000))] }, 500).seen).toMatch(MARK);
  });

  it('R4 no character is cut in two', () => {
    for (let shift = 0; shift < 8; shift++) {
      const { seen } = cut({ content: [text('x'.repeat(shift) + '👩'.repeat(2_000))] }, 300);
      expect(seen).not.toMatch(LONE_SURROGATE);
    }
  });

  it('R4 media stays where it was, also in the gap, and blocks that are kept whole stay themselves', () => {
    const first = { ...text('first'), annotations: { priority: 1 } };
    const link: ContentBlock = { type: 'resource_link', uri: 'a:b', name: 'last' };
    const content = [first, IMAGE, text(lines(2_000)), IMAGE, text(lines(2_000)), IMAGE, link];
    const { made } = cut({ content }, 400);
    expect(made.content.map(({ type }) => type)).toEqual([
      'text',
      'image',
      'text',
      'image',
      'text',
      'image',
      'resource_link',
    ]);
    expect(made.content[0]).toBe(first);
    expect(made.content[1]).toBe(IMAGE);
    expect(made.content.at(-1)).toBe(link);
  });

  it('R4 a limit smaller than the mark leaves the mark', () => {
    expect(cut({ content: [text(lines(100))] }, 1).seen).toMatch(MARK);
  });

  it('R4 head, gap and tail are the whole, whatever the blocks are', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('', '\n', 'word '.repeat(30), lines(30), '👩🏽‍🚀'.repeat(20)),
    );
    const blocks = fc.array(fc.oneof({ arbitrary: piece.map(text), weight: 4 }, fc.constant(IMAGE)), { maxLength: 8 });
    const property = fc.property(blocks, fc.integer({ min: 1, max: 300 }), (content, limit) => {
      const reading = readOversized({ content }, limit);
      if (reading === undefined) return;
      const made = cutResult(reading, limit, 'r_1');
      const shown = made.content.flatMap((block) => (block.type === 'text' ? [block.text as string] : []));
      const marked = shown.filter((each) => MARK.test(each));
      expect(marked).toHaveLength(1);
      expect(made.content.filter(({ type }) => type === 'image')).toHaveLength(
        content.filter(({ type }) => type === 'image').length,
      );
      const [, left, , offset] = marked[0]!.match(MARK)!;
      expect(reading.whole.length).toBeGreaterThanOrEqual(Number(left) + Number(offset));
      const head = reading.whole.slice(0, Number(offset));
      const tail = reading.whole.slice(Number(offset) + Number(left));
      const said = shown.join('\n').split(MARK);
      const plain = (value: string) => value.replaceAll('\n', '');
      expect(plain(said[0]!)).toBe(plain(head));
      expect(plain(said.at(-1)!)).toBe(plain(tail));
      if (limit >= 70) expect(estimateTokens(shown.join('\n'))).toBeLessThanOrEqual(limit);
    });
    fc.assert(property, { numRuns: 2_000, seed: 1 });
  });
});
