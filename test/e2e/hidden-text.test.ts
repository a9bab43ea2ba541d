import { describe, expect, it } from 'vitest';
import { composeMcpSystemPrompt, fingerprintTool, MCP_DESCRIBE_TOOL } from '../../src/index.js';
import { createRig, definitionBytes, ERAS, rejection, tool } from './rig.js';

const rig = createRig();

const HIDDEN = '\u200b\u202e\u{e0069}\u{e0067}';
const NEEDED = '👩‍🚀 می‌خواهم';
const tags = (text: string) => Array.from(text, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');

const DEFINITION = {
  ...tool('search', {
    inputSchema: {
      type: 'object',
      description: `Root${HIDDEN}`,
      'x-note': [`a${HIDDEN}`],
      properties: {
        mode: {
          type: 'string',
          title: `Mode${HIDDEN}`,
          description: `${NEEDED}${HIDDEN}`,
          enum: [`fast${HIDDEN}`, 'slow'],
          default: `fast${HIDDEN}`,
        },
        [`odd${HIDDEN}`]: { anyOf: [{ description: `in a branch${HIDDEN}` }] },
      },
    },
  }),
  description: `Searches.${HIDDEN} \u001b[31mRed\u001b[0m ${NEEDED}`,
  title: `Search${HIDDEN}`,
};

it.each(ERAS)(
  'G10 S4 %s: what nobody sees reaches no model, is reported once, and is part of the fingerprint',
  async (era) => {
    const server = await rig.raw({ era, tools: [DEFINITION, tool('plain')] });
    const { toolset, diagnostics } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    const search = toolset.tools.s__search!;
    expect(search.description).toBe(`Searches. Red ${NEEDED}`);
    expect(search.title).toBe('Search');
    expect(search.inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })).toEqual({
      type: 'object',
      description: 'Root',
      'x-note': ['a'],
      properties: {
        mode: {
          type: 'string',
          title: 'Mode',
          description: NEEDED,
          enum: [`fast${HIDDEN}`, 'slow'],
          default: `fast${HIDDEN}`,
        },
        [`odd${HIDDEN}`]: { anyOf: [{ description: 'in a branch' }] },
      },
    });
    expect(search.metadata.fingerprint).toBe(await fingerprintTool(DEFINITION));
    const reports = diagnostics.filter(({ code }) => code === 'hidden-text');
    expect(reports).toEqual([
      expect.objectContaining({
        level: 'warn',
        server: 's',
        tool: 'search',
        data: {
          codePoints: ['U+200B', 'U+202E', 'U+E0069', 'U+E0067', 'U+001B'],
          count: expect.any(Number),
          removed: false,
          where: expect.arrayContaining([
            '/title',
            '/description',
            '/inputSchema/description',
            '/inputSchema/properties/mode/enum/0',
          ]),
        },
      }),
    ]);
    await toolset.refresh('s', { force: true });
    expect(diagnostics.filter(({ code }) => code === 'hidden-text')).toHaveLength(1);
    // The enum is checked as the server means it.
    await search.execute({ mode: `fast${HIDDEN}` });
    expect(server.count('tools/call')).toBe(1);
  },
);

it('G10 D6 D7 neither the whole schema that is asked for nor the one in an error holds it', async () => {
  const server = await rig.raw({
    tools: [
      {
        ...DEFINITION,
        inputSchema: {
          ...(DEFINITION.inputSchema as object),
          required: ['mode'],
          properties: { mode: { description: `Mode${HIDDEN}`, type: 'string' } },
        },
      },
    ],
  });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }], { disclosure: { budget: 20 } });
  const { content } = await toolset.tools[MCP_DESCRIBE_TOOL]!.execute({ names: ['s__search'] });
  const error = await rejection(toolset.tools.s__search!.execute({}));
  const texts = [
    JSON.stringify(content),
    error.message,
    JSON.stringify(error),
    definitionBytes(toolset),
    composeMcpSystemPrompt(toolset),
  ];
  for (const text of texts) expect(text).not.toMatch(/[\u200b\u202e\u{e0069}]|\\u200b/u);
});

it('G10 what only cannot be changed is reported as such; a name is rewritten', async () => {
  const server = await rig.raw({ tools: [tool(`na${HIDDEN}me`), tool('good')] });
  const { toolset, diagnostics } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  expect(Object.keys(toolset.tools)[1]).toMatch(/^s__na_+me_[0-9a-f]{12}$/);
  expect(diagnostics.find(({ code }) => code === 'hidden-text')?.data).toMatchObject({
    removed: false,
    where: ['/description', '/name'].reverse(),
  });
  for (const { message } of diagnostics) expect(message).not.toMatch(/[\u200b\u202e]/);
});

describe('a result', () => {
  const serve = async (result: unknown) => {
    const server = await rig.raw({ tools: [tool('t')], onCall: () => result });
    const wired = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    return { ...wired, call: () => wired.toolset.tools.s__t!.execute({}) };
  };

  it('G10 is data: it loses tag characters outside flags, everywhere, and nothing else', async () => {
    const flag = `\u{1f3f4}${tags('gbeng')}\u{e007f}`;
    const kept = `${flag} \u200b\u202e\u001b[31m ${NEEDED}`;
    const { call, diagnostics } = await serve({
      content: [
        { type: 'text', text: `${kept}${tags('ignore')}` },
        { type: 'resource', resource: { uri: 'a:b', text: `x${tags('y')}` } },
        { type: 'resource_link', uri: 'a:b', name: `n${tags('y')}` },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      structuredContent: { [`k${tags('y')}`]: [`v${tags('y')}`] },
    });
    expect(await call()).toEqual({
      content: [
        { type: 'text', text: kept },
        { type: 'resource', resource: { uri: 'a:b', text: 'x' } },
        { type: 'resource_link', uri: 'a:b', name: 'n' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      structuredContent: { k: ['v'] },
    });
    await call();
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'hidden-text',
        server: 's',
        tool: 't',
        data: expect.objectContaining({ count: 10, removed: true }),
      }),
    ]);
  });

  it('G10 R7 a failure of the tool loses what nobody sees', async () => {
    const { call } = await serve({
      isError: true,
      content: [{ type: 'text', text: `bad${HIDDEN} \u001b[31mvalue ${NEEDED}` }],
    });
    expect((await rejection(call())).message).toBe(`MCP tool error: bad value ${NEEDED}`);
  });
});
