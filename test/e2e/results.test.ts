import { describe, expect, inject, it } from 'vitest';
import type { McpServerConfig, McpTool } from '../../src/index.js';
import { rawJson, rpcError } from '../support/raw-server.js';
import { FAIL_TEXT, startSdk1SseServer, TINY_PNG, TINY_WAV } from '../support/sdk-servers.js';
import { createRig, ERAS, rejection, tool } from './rig.js';

const rig = createRig();
const WAYS = ['legacy json', 'legacy sse', 'modern json', 'modern sse', 'old sse'] as const;

/** A tool that answers with `result` (a value, `rawJson`, or an `rpcError`), over one of the transports. */
async function serve(way: (typeof WAYS)[number], result: unknown, limits = {}, fetch?: typeof globalThis.fetch) {
  const [era, format] = way.split(' ') as ['legacy' | 'modern' | 'old', 'json' | 'sse'];
  const server =
    era === 'old'
      ? await rig.sse({ tools: [tool('t')], onCall: () => result })
      : await rig.raw({ era, format, tools: [tool('t')], onCall: () => result });
  const config: McpServerConfig = { name: 's', type: era === 'old' ? 'sse' : 'http', url: server.url };
  const { toolset } = await rig.wire([config], { limits, ...(fetch === undefined ? {} : { fetch }) });
  return { server, call: toolset.tools.s__t as McpTool };
}

/** No result is cut. */
const WHOLE = { resultTokens: Number.POSITIVE_INFINITY };
const text = (...texts: string[]) => texts.map((each) => ({ type: 'text', text: each }));
const shapes = (call: McpTool, output: unknown) => call.toModelOutput({ output: output as never });

describe.each(WAYS)('%s', (way) => {
  it('R1 a JSON-RPC error rejects with its code, its text and nothing else', async () => {
    const { call } = await serve(way, rpcError(-32602, 'No such city', { secret: 'DATA-CANARY' }));
    const error = await rejection(call.execute({}));
    expect(error).toMatchObject({
      name: 'McpProtocolError',
      code: 'protocol',
      rpcCode: -32602,
      server: 's',
      tool: 't',
    });
    expect(error.message).toBe('Error -32602 from server `s` for `t`: No such city');
    expect(JSON.stringify(error) + JSON.stringify(error.cause)).not.toContain('DATA-CANARY');
  });

  it.each([
    ['its text', { content: text('Bad date') }, 'MCP tool error: Bad date'],
    ['no content', {}, 'MCP tool error: (no message)'],
    ['no text', { content: [] }, 'MCP tool error: (no message)'],
    ['blank text', { content: text('  ', '') }, 'MCP tool error: (no message)'],
    ['several texts', { content: text('one', 'two') }, 'MCP tool error: one\ntwo'],
    [
      'media between texts',
      { content: [...text('a'), { type: 'image', data: TINY_PNG, mimeType: 'image/png' }, ...text('b')] },
      'MCP tool error: a\nb',
    ],
    ['a structured value', { content: text('x'), structuredContent: { code: 7 } }, 'MCP tool error: x'],
    ['media that does not decode', { content: [...text('x'), { type: 'image', data: '!' }] }, 'MCP tool error: x'],
  ])("R1 isError with %s rejects with the tool's own words", async (_label, result, message) => {
    const { call } = await serve(way, { ...result, isError: true });
    const error = await rejection(call.execute({}));
    expect(error).toMatchObject({ name: 'McpToolExecutionError', code: 'tool-error', server: 's', tool: 't', message });
    expect(error).toHaveProperty('result', { content: [], ...result });
  });

  it('R2 every kind of block arrives as it was sent', async () => {
    const content = [
      { type: 'text', text: 'a\u0000b \u2028 \ud83c\udfd4 <b>', annotations: { audience: ['user'] }, _meta: { x: 1 } },
      { type: 'image', data: TINY_PNG, mimeType: 'image/png', extra: true },
      { type: 'audio', data: TINY_WAV, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 't' } },
      { type: 'resource', resource: { uri: 'file:///b', mimeType: 'image/png', blob: TINY_PNG } },
      { type: 'resource_link', uri: 'https://example.com/x', name: 'x', icons: [{ src: 'https://example.com/i.png' }] },
      { type: 'hologram', layers: [{ z: [1, null, false] }], __proto__x: 1 },
    ];
    const { call } = await serve(way, { content, structuredContent: { a: [1] }, _meta: { b: 2 } });
    const result = await call.execute({});
    expect(JSON.stringify(result.content)).toBe(JSON.stringify(content));
    expect(result).toEqual({ content, structuredContent: { a: [1] } });
    expect(shapes(call, result)).toEqual({
      type: 'content',
      value: [
        { type: 'text', text: content[0]?.text },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: TINY_PNG } },
        { type: 'file', mediaType: 'audio/wav', data: { type: 'data', data: TINY_WAV } },
        { type: 'text', text: 't' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: TINY_PNG } },
        { type: 'text', text: JSON.stringify(content[5]) },
        { type: 'text', text: JSON.stringify(content[6]) },
        { type: 'text', text: '{"a":[1]}' },
      ],
    });
  });

  it.each([[[1, 'a']], ['text'], [null], [false], [0], [''], [{}], [[]]])(
    'R2 a structured value of %j survives',
    async (value) => {
      const { call } = await serve(way, { content: [], structuredContent: value });
      const result = await call.execute({});
      expect(result).toEqual({ content: [], structuredContent: value });
      expect(shapes(call, result)).toEqual({ type: 'json', value });
    },
  );

  it.each([
    ['a string', '"text"'],
    ['an object', '{}'],
    ['a list of strings', '["text"]'],
    ['a list with null', '[null]'],
    ['a block without a type', '[{"text":"a"}]'],
    ['a block whose type is a number', '[{"type":7}]'],
    ['a nested list', '[[]]'],
  ])('R2 content that is %s is no answer', async (_label, content) => {
    const { call } = await serve(way, rawJson(`{"resultType":"complete","content":${content}}`));
    expect(await rejection(call.execute({}))).toMatchObject({ code: 'protocol', server: 's', tool: 't' });
  });

  it('G9 R2 a structured value 100,000 deep is handed out, shown and fails nowhere', { timeout: 60_000 }, async () => {
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    for (const content of ['[]', '[{"type":"text","text":"x"}]']) {
      const { call } = await serve(
        way,
        rawJson(`{"resultType":"complete","content":${content},"structuredContent":${deep}}`),
        WHOLE,
      );
      const result = await call.execute({});
      const shown = JSON.stringify(shapes(call, result));
      expect(shown).toContain(JSON.stringify(deep).slice(1, -1));
    }
    const failing = await serve(
      way,
      rawJson(
        `{"resultType":"complete","isError":true,"content":[{"type":"text","text":"deep"},${deep.replace('{', '{"type":"x",')}],"structuredContent":${deep}}`,
      ),
    );
    expect(await rejection(failing.call.execute({}))).toMatchObject({
      code: 'tool-error',
      message: 'MCP tool error: deep',
    });
    const repeated = await serve(
      way,
      rawJson(
        `{"resultType":"complete","content":[{"type":"text","text":${JSON.stringify(deep)}}],"structuredContent":${deep}}`,
      ),
      WHOLE,
    );
    expect(shapes(repeated.call, await repeated.call.execute({}))).toEqual({ type: 'text', value: deep });
  });
});

describe.each(ERAS)('HTTP status, %s', (era) => {
  it.each([200, 400, 401, 403, 404, 405, 429, 500, 503])(
    'R1 a JSON-RPC error with our id under HTTP %i is that error',
    async (status) => {
      const server = await rig.raw({ era, tools: [tool('t')] });
      const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
      server.set({ status: { 'tools/call': { status, error: { code: -32042, message: 'not today' } } } });
      const error = await rejection(toolset.tools.s__t!.execute({}));
      expect(error).toMatchObject({ name: 'McpProtocolError', code: 'protocol', rpcCode: -32042 });
      expect(error.message).toContain('not today');
      expect(server.count('tools/call')).toBe(1);
      server.set({ status: {} });
      await expect(toolset.tools.s__t!.execute({})).resolves.toMatchObject({ content: [{ text: '{}' }] });
    },
  );

  it('R1 the same error with a foreign id, and plain text, are not taken for it', async () => {
    const server = await rig.raw({ era, tools: [tool('t')] });
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    for (const override of [
      { status: 500, error: { code: -32042, message: 'BODY-CANARY' }, id: 'somebody' },
      { status: 500, body: 'BODY-CANARY' },
    ]) {
      server.set({ status: { 'tools/call': override } });
      const error = await rejection(toolset.tools.s__t!.execute({}));
      expect(error).toMatchObject({ code: 'outcome-unknown' });
      expect(error.message + JSON.stringify(error.cause)).not.toContain('BODY-CANARY');
    }
  });
});

describe('what a server says in an error', () => {
  it.each([
    ['a tool error', (message: string) => ({ isError: true, content: text(message) })],
    ['a JSON-RPC error', (message: string) => rpcError(-32603, message)],
  ])('R1 the text of %s is capped, and what nobody sees is taken out', async (_label, answer) => {
    const long = await serve('modern json', answer('x'.repeat(50_000)));
    const { message } = await rejection(long.call.execute({}));
    expect(message).toContain('x'.repeat(4_000));
    expect(message.length).toBeLessThan(4_100);
    const coloured = await serve('legacy sse', answer('\u001b[31mred\u0007\u009b\u0000\ttab\nline'));
    const { message: shown } = await rejection(coloured.call.execute({}));
    expect(shown).toContain('red\ttab\nline');
  });
});

describe('media', () => {
  const media = (data: unknown) => [
    { content: [{ type: 'image', data, mimeType: 'image/png' }] },
    { content: [{ type: 'audio', data, mimeType: 'audio/wav' }] },
    { content: [{ type: 'resource', resource: { uri: 'file:///a', blob: data } }] },
  ];

  it.each(['AAA', 'AA=A', 'A===', '====', 'AAAA\n', 'AA A', 'AA-_', 'AAÄA', '=', 'data:image/png;base64,AAAA'])(
    'R2 %j is not base64 and rejects',
    async (data) => {
      for (const result of media(data)) {
        const { call } = await serve('modern json', result);
        expect(await rejection(call.execute({}))).toMatchObject({ code: 'protocol', server: 's', tool: 't' });
      }
    },
  );

  it.each([[7], [null], [{}]])('R2 media of %j rejects', async (data) => {
    for (const result of media(data).slice(0, 2)) {
      const { call } = await serve('legacy json', result);
      expect(await rejection(call.execute({}))).toMatchObject({ code: 'protocol' });
    }
  });

  it('R2 media counts by its decoded bytes: the limit passes, one byte more rejects', async () => {
    for (const size of [30, 31, 32]) {
      const exact = Buffer.alloc(size, 7).toString('base64');
      for (const result of media(exact)) {
        const fits = await serve('modern json', result, { mediaBytes: size });
        await expect(fits.call.execute({})).resolves.toEqual(result);
        const over = await serve('modern json', result, { mediaBytes: size - 1 });
        expect(await rejection(over.call.execute({}))).toMatchObject({
          name: 'McpLimitError',
          code: 'limit',
          limit: 'mediaBytes',
          max: size - 1,
        });
      }
    }
  });
});

describe('nothing is fetched', () => {
  it('R6 links, icons, images by URL and $refs are left alone', async () => {
    const bait = await rig.raw();
    const link = (path: string) => `${bait.origin}/${path}`;
    const schema = {
      type: 'object',
      $schema: link('schema'),
      $id: link('id'),
      properties: { a: { $ref: link('ref') }, b: { $dynamicRef: link('dynamic') } },
    };
    const icons = [{ src: link('icon.png'), mimeType: 'image/png' }];
    const definition = tool('t', { inputSchema: schema, outputSchema: { $ref: link('out') }, icons });
    const result = {
      content: [
        { type: 'resource_link', uri: link('link'), name: 'l', icons },
        { type: 'resource', resource: { uri: link('resource'), text: link('text') } },
        { type: 'image', data: TINY_PNG, mimeType: 'image/png', uri: link('image') },
        { type: 'text', text: `![x](${link('markdown.png')})` },
      ],
      structuredContent: { $ref: link('structured') },
    };
    const urls: string[] = [];
    const counting: typeof fetch = (input, init) => {
      urls.push(String(input));
      return fetch(input, init);
    };
    for (const era of ERAS) {
      const server = await rig.raw({
        era,
        tools: [definition],
        onCall: () => result,
        serverInfo: { name: 'x', version: '1', icons, websiteUrl: link('site') },
      });
      const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }], { fetch: counting });
      const output = await toolset.tools.s__t!.execute({ a: link('argument') });
      toolset.tools.s__t!.toModelOutput({ output });
      toolset.describeTools();
      toolset.inspect();
      await toolset.refresh();
      expect(new Set(urls)).toEqual(new Set([server.url]));
      urls.length = 0;
    }
    expect(bait.requests).toEqual([]);
  });
});

describe('real servers', () => {
  it.each(['sdkDualUrl', 'sdkLegacyUrl', 'sdkModernUrl', 'sdk1HttpUrl'] as const)('R1 R2 %s', async (key) => {
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: inject(key) }]);
    await proveStandardTools(toolset.tools);
  });

  it('R1 R2 a real server over HTTP+SSE', async () => {
    const server = rig.keep(await startSdk1SseServer());
    const { toolset } = await rig.wire([{ name: 's', type: 'sse', url: server.url }]);
    await proveStandardTools(toolset.tools);
  });

  async function proveStandardTools(tools: Record<string, McpTool>): Promise<void> {
    const run = (name: string) => tools[`s__${name}`]!.execute({});
    const image = await run('image');
    expect(image.content).toMatchObject([{ type: 'image', data: TINY_PNG, mimeType: 'image/png' }]);
    expect((await run('audio')).content).toMatchObject([{ type: 'audio', data: TINY_WAV }]);
    expect((await run('link')).content).toMatchObject([{ type: 'resource_link', uri: 'file:///report.txt' }]);
    expect((await run('embed')).content).toMatchObject([
      { resource: { text: 'a note' } },
      { resource: { blob: TINY_PNG } },
    ]);
    expect(await rejection(run('fail'))).toMatchObject({ code: 'tool-error', message: `MCP tool error: ${FAIL_TEXT}` });
  }
});
