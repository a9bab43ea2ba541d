import { describe, expect, it } from 'vitest';
import { McpConfigError } from '../../../src/core/errors.js';
import { fingerprint } from '../../../src/core/fingerprint.js';
import { encodeRow } from '../../../src/stores/codec.js';
import { decodeRow, foundIn } from '../../../src/stores/decode.js';
import { fingerprintOf, fingerprintsOf } from '../../../src/stores/stored-tool.js';
import { rowOf, toolOf } from '../../../src/testing/stores/sample.js';
import { expectNoSecrets, SECRETS } from '../../support/canaries.js';

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

const WRONG: readonly [what: string, row: unknown][] = [
  ['no id', { ...rowOf('x'), id: undefined }],
  ['an empty id', rowOf('')],
  ['no name', { ...rowOf('x'), name: 5 }],
  ['no type', { ...rowOf('x'), type: undefined }],
  ['no tools', { ...rowOf('x'), tools: undefined }],
  ['a tool that is none', { ...rowOf('x'), tools: [null] }],
  ['a tool without a name', { ...rowOf('x'), tools: [{ inputSchema: {} }] }],
  ['a tool without a schema', { ...rowOf('x'), tools: [{ name: 'a' }] }],
  ['a title that is none', rowOf('x', { tools: [toolOf('a', { title: 5 as never })] })],
  ['a cyclic schema', rowOf('x', { tools: [toolOf('a', { inputSchema: cyclic })] })],
  ['a bigint', rowOf('x', { tools: [toolOf('a', { annotations: { n: 1n } })] })],
  ['fingerprints that are none', rowOf('x', { toolFingerprints: { a: 1 } as never })],
  ['a protocol of no era', rowOf('x', { protocol: { checkedAt: 1 } as never })],
  ['a protocol of no time', rowOf('x', { protocol: { era: 'modern', checkedAt: Number.NaN } })],
  ['a URL that is none', rowOf('x', { url: SECRETS.query })],
  ['a URL without a host', rowOf('x', { url: `data:text/plain,${SECRETS.query}` })],
];

describe('encodeRow', () => {
  it.each(WRONG)('S1 refuses %s, and repeats no value', (_, row) => {
    let error: unknown;
    try {
      encodeRow(row as never);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(McpConfigError);
    expectNoSecrets(error);
  });

  it('S1 keeps scheme, host, port and path of a URL', () => {
    const url = (text: string) => JSON.parse(encodeRow(rowOf('x', { url: text })).head).url;
    expect(url('HTTPS://u:p@MCP.example.com:8443/a/b/?q=1#f')).toBe('https://mcp.example.com:8443/a/b/');
    expect(url('https://mcp.example.com')).toBe('https://mcp.example.com/');
  });
});

describe('decodeRow', () => {
  it('S9 looks for the schemas when one is looked at, once, and parses each once', () => {
    const encoded = encodeRow(rowOf('x'));
    let looks = 0;
    const row = decodeRow({
      ...foundIn(encoded),
      schemas: () => {
        looks += 1;
        return encoded.schemas;
      },
    });
    expect(row.tools.map((tool) => [tool.name, tool.title, tool.description])).toEqual([
      ['search', 'Search', 'Does search.'],
      ['fetch', undefined, 'Does fetch.'],
    ]);
    expect(fingerprintsOf(row.tools)).toEqual(fingerprintsOf(rowOf('x').tools));
    expect(looks).toBe(0);
    expect(row.tools[0]?.inputSchema).toBe(row.tools[0]?.inputSchema);
    expect(row.tools).toEqual(rowOf('x').tools);
    expect(looks).toBe(1);
  });

  it('S4 the fingerprint that is kept is that of the tool', () => {
    const tools = [
      toolOf('a', { annotations: { title: 'Only here' } }),
      toolOf('b', { title: 'Own', annotations: { title: 'Else' } }),
      { name: 'c', inputSchema: JSON.parse('{"__proto__":{"x":1}}') },
    ];
    const stored = decodeRow(foundIn(encodeRow(rowOf('x', { tools })))).tools;
    expect(stored.map(fingerprintOf)).toEqual(tools.map(fingerprint));
    // A tool that is no longer the stored one is not taken for it.
    const copy = { ...stored[0]!, description: 'Else.' };
    expect(fingerprintOf(copy)).toBe(fingerprint({ ...tools[0]!, description: 'Else.' }));
  });

  it('S1 a tool has those of its parts that it was written with, and they are its own', () => {
    const tools = [toolOf('a'), toolOf('b', { annotations: {} }), toolOf('c', { outputSchema: null })];
    const stored = decodeRow(foundIn(encodeRow(rowOf('x', { tools })))).tools;
    expect(stored.map((tool) => Object.keys(tool).sort())).toEqual(tools.map((tool) => Object.keys(tool).sort()));
    expect(JSON.parse(JSON.stringify(stored))).toEqual(tools);
  });
});
