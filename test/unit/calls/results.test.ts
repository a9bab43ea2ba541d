import { describe, expect, it } from 'vitest';
import { toModelOutput } from '../../../src/calls/model-output.js';
import { adaptResult } from '../../../src/calls/results.js';

const DETAILS = { server: 's', tool: 't' };
const adapt = (raw: Record<string, unknown>, mediaBytes = 1_000) => adaptResult(raw, { mediaBytes }, DETAILS);
const text = (value: string) => ({ type: 'text', text: value });

describe('adaptResult', () => {
  it.each([[{}], [{ content: null }], [{ content: [] }]])('R2 %j is an empty result', (raw) => {
    expect(adapt(raw)).toEqual({ content: [] });
  });

  it('R2 a structured value of null is there, and one that is absent is not', () => {
    expect(adapt({ content: [], structuredContent: null })).toHaveProperty('structuredContent', null);
    expect(adapt({ content: [] })).not.toHaveProperty('structuredContent');
    expect(adapt(Object.create({ structuredContent: 1 }))).not.toHaveProperty('structuredContent');
  });

  it.each([[null], [undefined], [false]])('R1 isError of %j is a plain no', (isError) => {
    expect(adapt({ content: [text('x')], isError })).toEqual({ content: [text('x')] });
  });

  it.each([['yes'], ['true'], [1], [{}], [0]])('R1 isError of %j is no plain no, so it is a failure', (isError) => {
    expect(() => adapt({ content: [text('x')], isError })).toThrow('MCP tool error: x');
  });

  it('R2 the value of the oldest revision is kept; a blob of null is no media', () => {
    expect(adapt({ toolResult: { a: 1 } })).toEqual({ content: [], structuredContent: { a: 1 } });
    const block = { type: 'resource', resource: { uri: 'x:', text: 'hello', blob: null } };
    expect(adapt({ content: [block] })).toEqual({ content: [block] });
  });

  it('R1 a tool that failed is that failure, also where its media is too large or broken', () => {
    const image = { type: 'image', data: 'not base64', mimeType: 'image/png' };
    expect(() => adapt({ isError: true, content: [text('why'), image] }, 1)).toThrow('MCP tool error: why');
    expect(() => adapt({ content: [text('why'), image] }, 1)).toThrow(expect.objectContaining({ code: 'limit' }));
  });

  it('R2 media over the limit is refused by its length, before it is looked at', () => {
    const image = { type: 'image', data: '!'.repeat(10_000), mimeType: 'image/png' };
    expect(() => adapt({ content: [image] }, 100)).toThrow(expect.objectContaining({ limit: 'mediaBytes', max: 100 }));
  });

  it('R2 a resource without a blob, and a resource that is no object, are no media', () => {
    const content = [
      { type: 'resource', resource: { text: 'x' } },
      { type: 'resource', resource: null },
      { type: 'resource' },
    ];
    expect(adapt({ content })).toEqual({ content });
  });
});

describe('toModelOutput', () => {
  const shape = (content: unknown[], rest = {}) => toModelOutput({ output: { content, ...rest } as never });

  it.each([
    [[], {}, { type: 'text', value: '' }],
    [[text('a')], {}, { type: 'text', value: 'a' }],
    [[text('a'), text('b')], {}, { type: 'content', value: [text('a'), text('b')] }],
    [[], { structuredContent: { a: 1 } }, { type: 'json', value: { a: 1 } }],
    [[text('{"b":2,"a":1}')], { structuredContent: { a: 1, b: 2 } }, { type: 'text', value: '{"b":2,"a":1}' }],
    [[text('sum')], { structuredContent: { a: 1 } }, { type: 'content', value: [text('sum'), text('{"a":1}')] }],
    [[text('null')], { structuredContent: null }, { type: 'text', value: 'null' }],
    [[text('a')], { structuredContent: undefined }, { type: 'text', value: 'a' }],
  ])('R2 %j with %j is said once', (content, rest, expected) => {
    expect(shape(content, rest)).toEqual(expected);
  });

  it('R2 media without a type of its own gets one that fits, and data that is no text is shown as it is', () => {
    const file = (mediaType: string) => ({
      type: 'content',
      value: [{ type: 'file', mediaType, data: { type: 'data', data: 'AAAA' } }],
    });
    expect(shape([{ type: 'image', data: 'AAAA' }])).toEqual(file('image/png'));
    expect(shape([{ type: 'audio', data: 'AAAA', mimeType: 7 }])).toEqual(file('audio/wav'));
    expect(shape([{ type: 'resource', resource: { blob: 'AAAA' } }])).toEqual(file('application/octet-stream'));
    for (const block of [
      { type: 'text', text: 7 },
      { type: 'resource', resource: null },
      { type: 'image', data: 7 },
    ])
      expect(shape([block])).toEqual({ type: 'text', value: JSON.stringify(block) });
  });

  it('G9 what a framework could not walk becomes its own JSON text', () => {
    const nest = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`) as unknown;
    expect(shape([], { structuredContent: nest(200) })).toEqual({ type: 'json', value: nest(200) });
    const deep = '['.repeat(50_000) + ']'.repeat(50_000);
    expect(shape([], { structuredContent: nest(50_000) })).toEqual({ type: 'text', value: deep });
    expect(shape([{ a: nest(50_000), type: 'x' }])).toEqual({ type: 'text', value: `{"a":${deep},"type":"x"}` });
  });
});
