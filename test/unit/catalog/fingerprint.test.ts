import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprint, fingerprintTool } from '../../../src/catalog/fingerprint.js';
import { McpConfigError } from '../../../src/core/errors.js';

const TOOL = {
  name: 'search',
  title: 'Search',
  description: 'Finds things.',
  inputSchema: { type: 'object', properties: { q: { type: 'string' }, n: { type: 'integer' } }, required: ['q'] },
  annotations: { title: 'Other', readOnlyHint: true },
  outputSchema: { type: 'object' },
};

describe('fingerprint', () => {
  it('S4 is SHA-256 over the canonical text of description, inputSchema and title', () => {
    const text =
      '{"description":"Finds things.","inputSchema":{"properties":{"n":{"type":"integer"},"q":{"type":"string"}},' +
      '"required":["q"],"type":"object"},"title":"Search"}';
    expect(fingerprint(TOOL)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('S4 does not move between releases', () => {
    expect(fingerprint({ inputSchema: { type: 'object' } })).toBe(
      createHash('sha256').update('{"description":"","inputSchema":{"type":"object"}}').digest('hex'),
    );
  });

  it.each([
    [
      'key order',
      {
        ...TOOL,
        inputSchema: { required: ['q'], properties: { n: { type: 'integer' }, q: { type: 'string' } }, type: 'object' },
      },
    ],
    ['annotations, where there is a title', { ...TOOL, annotations: { title: 'Else', destructiveHint: true } }],
    ['the output schema', { ...TOOL, outputSchema: { type: 'array' } }],
    ['the name', { ...TOOL, name: 'find' }],
  ])('S4 does not count %s', (_, changed) => {
    expect(fingerprint(changed)).toBe(fingerprint(TOOL));
  });

  it.each([
    ['an invisible character', { ...TOOL, description: 'Finds things.\u200b' }],
    ['a tag character', { ...TOOL, description: 'Finds things.\u{e0041}' }],
    ['NFD for NFC', { ...TOOL, description: 'Finds things.'.normalize('NFD').replace('.', '\u0301.') }],
    ['the title', { ...TOOL, title: 'search' }],
    ['a description inside the schema', { ...TOOL, inputSchema: { ...TOOL.inputSchema, description: '' } }],
    ['the order of an array', { ...TOOL, inputSchema: { ...TOOL.inputSchema, required: ['q', 'n'] } }],
    ['an own __proto__ property', { ...TOOL, inputSchema: JSON.parse('{"type":"object","__proto__":{}}') }],
  ])('S4 counts %s', (_, changed) => {
    expect(fingerprint(changed)).not.toBe(fingerprint(TOOL));
  });

  it('S4 takes annotations.title only where there is no title', () => {
    const { title, ...untitled } = TOOL;
    expect(fingerprint({ ...untitled, annotations: { title } })).toBe(fingerprint(TOOL));
    expect(fingerprint(untitled)).not.toBe(fingerprint(TOOL));
    expect(fingerprint({ ...TOOL, title: '' })).not.toBe(fingerprint(untitled));
    expect(fingerprint({ ...untitled, annotations: { title: 1 } })).toBe(fingerprint({ ...untitled, annotations: {} }));
    expect(fingerprint({ ...untitled, annotations: Object.create({ title }) })).not.toBe(fingerprint(TOOL));
  });

  it('S4 takes an absent description for an empty one', () => {
    expect(fingerprint({ inputSchema: {} })).toBe(fingerprint({ description: '', inputSchema: {} }));
  });

  it('S4 tells lone surrogates apart', () => {
    const withText = (description: string) => fingerprint({ description, inputSchema: {} });
    expect(withText('\ud800')).not.toBe(withText('\ud801'));
    expect(withText('\ud800')).not.toBe(withText('\ufffd'));
  });

  it('S4 no description reads as a schema or a title', () => {
    const texts = fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const [first, second] = [a, b].map(([description, title]) =>
          fingerprint({ description, title, inputSchema: {} }),
        );
        expect(first === second).toBe(a[0] === b[0] && a[1] === b[1]);
      }),
    );
  });
});

describe('fingerprintTool', () => {
  it('S4 equals the fingerprint of the catalogue', async () => {
    await expect(fingerprintTool(TOOL)).resolves.toBe(fingerprint(TOOL));
  });

  it('S4 takes a deep definition', async () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    await expect(fingerprintTool({ inputSchema: { deep } })).resolves.toMatch(/^[0-9a-f]{64}$/);
  });

  it('S4 rejects what is not JSON data', async () => {
    const cycle: Record<string, unknown> = { type: 'object' };
    cycle.self = cycle;
    for (const inputSchema of [JSON.parse('{"maximum":1e999}'), cycle, { maximum: 1n }]) {
      await expect(fingerprintTool({ inputSchema })).rejects.toThrow(McpConfigError);
    }
  });
});
