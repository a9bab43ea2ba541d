import { describe, expect, it } from 'vitest';
import { MCP_DESCRIBE_TOOL, type McpInvalidArgumentsError, type McpOptions } from '../../src/index.js';
import { createRig, ERAS, rejection, tool } from './rig.js';
import { offered, resultsIn, run, scripted } from './scripted-model.js';

const rig = createRig();

const SEARCH = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What to look for. '.repeat(200) },
    sort: { enum: ['newest', 'oldest'] },
    limit: { type: 'integer', minimum: 1 },
  },
  required: ['query', 'sort'],
  additionalProperties: false,
};

async function serve(options: McpOptions = {}, rest: Record<string, unknown> = {}, onCall?: () => unknown) {
  const server = await rig.raw({
    tools: [tool('search', { inputSchema: SEARCH, ...rest })],
    ...(onCall === undefined ? {} : { onCall }),
  });
  const wired = await rig.wire([{ name: 's', type: 'http', url: server.url }], options);
  return { ...wired, server, search: wired.toolset.tools.s__search! };
}

it.each(ERAS)(
  'D7 C1 %s: arguments that do not fit are refused with what to correct, and nothing is sent',
  async (era) => {
    const server = await rig.raw({ era, tools: [tool('search', { inputSchema: SEARCH })] });
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    server.reset();
    const error = await rejection(toolset.tools.s__search!.execute({ query: 'x', sort: 'newst', pages: 2 }));
    expect(error).toMatchObject({ code: 'invalid-arguments', server: 's', tool: 'search' });
    expect((error as McpInvalidArgumentsError).issues).toEqual([
      { path: '/sort', message: 'must be "newest" or "oldest", not the string "newst". Did you mean `newest`?' },
      { path: '/pages', message: 'is not a known property.' },
    ]);
    expect((error as McpInvalidArgumentsError).schema).toBeUndefined();
    expect(server.requests).toEqual([]);
    await toolset.tools.s__search!.execute({ query: 'x', sort: 'newest' });
    expect(server.count('tools/call')).toBe(1);
  },
);

it('D7 what is checked is the schema of the server, not what the model was shown of it', async () => {
  const { search, server } = await serve({ disclosure: { budget: 100 } });
  expect(search.metadata.disclosure).toBe('deferred');
  server.reset();
  const error = (await rejection(search.execute({ query: 'x', sort: 'up' }))) as McpInvalidArgumentsError;
  expect(error.schema).toEqual(SEARCH);
  expect(error.message).toContain(JSON.stringify(SEARCH));
  expect(server.requests).toEqual([]);
});

it('D7 D3 a scripted model calls a deferred tool wrongly once, reads the schema in the error, and succeeds with no describe call', async () => {
  const { toolset, server } = await serve({ disclosure: { budget: 100 } });
  const { model, prompts } = scripted([
    [['s__search', { query: 'x', sort: 'up' }]],
    [['s__search', { query: 'x', sort: 'newest', limit: 1 }]],
  ]);
  const { text, steps } = await run(toolset.tools, model);
  expect(text).toBe('done');
  expect(offered(prompts[0]!)[0]).toEqual([
    's__search',
    'The search tool.',
    {
      type: 'object',
      properties: { query: { type: 'string' }, sort: { type: 'string' }, limit: { type: 'integer' } },
      required: ['query', 'sort'],
    },
  ]);
  const [failed, served] = resultsIn(prompts.at(-1)!);
  expect(failed).toEqual({ type: 'error-text', value: expect.stringContaining(JSON.stringify(SEARCH)) });
  expect(failed).toMatchObject({ value: expect.stringContaining('/sort: must be "newest" or "oldest"') });
  expect(served).toMatchObject({ type: 'text', value: '{"query":"x","sort":"newest","limit":1}' });
  expect(steps.flatMap(({ toolCalls }) => toolCalls.map(({ toolName }) => toolName))).not.toContain(MCP_DESCRIBE_TOOL);
  expect(server.count('tools/call')).toBe(1);
});

it('D8 strings that the schema wants as something else are read as that, which is reported once', async () => {
  const { search, server, diagnostics } = await serve();
  await search.execute({ query: '7', sort: 'newest', limit: '5' });
  await search.execute('{"query":"x","sort":"oldest","limit":"6"}');
  const sent = server.requests.flatMap(({ method, params }) => (method === 'tools/call' ? [params] : []));
  expect(sent).toMatchObject([
    { arguments: { query: '7', sort: 'newest', limit: 5 } },
    { arguments: { query: 'x', sort: 'oldest', limit: 6 } },
  ]);
  expect(diagnostics).toEqual([
    expect.objectContaining({
      code: 'arguments-coerced',
      level: 'info',
      server: 's',
      tool: 'search',
      data: { paths: ['/limit'] },
    }),
  ]);
  expect(JSON.stringify(diagnostics)).not.toMatch(/"[567]"/);
});

it.each([
  ['a pattern that takes for ever', { properties: { query: { pattern: '^(a+)+$' } } }],
  ['a reference to nothing', { properties: { query: { $ref: 'https://elsewhere.test/schema' } } }],
  ['a definition that is itself', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }],
  ['keywords of no meaning', { required: 'query', properties: { query: { type: 'text', minimum: 'x' } } }],
])('D7 G9 %s in a schema blocks no call', async (_, schema) => {
  const server = await rig.raw({ tools: [{ name: 'odd', inputSchema: { type: 'object', ...schema } }] });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const odd = toolset.tools.s__odd;
  // What cannot even be listed is quarantined, which is another matter.
  if (odd === undefined) return expect(toolset.describeTools()[0]).toMatchObject({ state: 'quarantined' });
  await odd.execute({ query: `${'a'.repeat(40)}!` });
  expect(server.count('tools/call')).toBe(1);
});

it('D7 a changed definition is what the next call is checked against', async () => {
  const { search, server, toolset } = await serve();
  server.set({ tools: [tool('search', { inputSchema: { type: 'object', required: ['other'] } })] });
  await toolset.refresh('s', { force: true });
  expect(await rejection(search.execute({ query: 'x', sort: 'newest' }))).toMatchObject({
    issues: [{ path: '', message: 'must have the property `other`' }],
  });
});

describe('outputSchema', () => {
  const outputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
  const args = { query: 'x', sort: 'newest' };
  const answer = (structuredContent: unknown) => () => ({
    content: [{ type: 'text', text: 'SECRET' }],
    structuredContent,
  });

  it('R5 a result that fits is no matter, and neither is a tool without one', async () => {
    const { search, diagnostics } = await serve({}, { outputSchema }, answer({ count: 3 }));
    await search.execute(args);
    const none = await serve({ strictOutput: true }, {}, answer({ count: 'three' }));
    await none.search.execute(args);
    expect([...diagnostics, ...none.diagnostics]).toEqual([]);
  });

  it.each([
    ['another type', { count: 'SECRET' }, '/count'],
    ['a missing member', {}, ''],
    ['no structured value', undefined, ''],
  ])('R5 O1 %s is reported once, without the value, and the result is handed out', async (_, value, path) => {
    const { search, diagnostics } = await serve({}, { outputSchema }, answer(value));
    expect(await search.execute(args)).toMatchObject({ content: [{ text: 'SECRET' }] });
    await search.execute(args);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        code: 'output-mismatch',
        level: 'warn',
        server: 's',
        tool: 'search',
        data: { paths: [path] },
      }),
    ]);
    expect(JSON.stringify(diagnostics)).not.toContain('SECRET');
  });

  it('R5 under strictOutput each such call rejects, and says that the tool has run', async () => {
    const { search, server } = await serve({ strictOutput: true }, { outputSchema }, answer({ count: 'three' }));
    for (let round = 0; round < 2; round++) {
      const error = await rejection(search.execute(args));
      expect(error).toMatchObject({
        code: 'protocol',
        message: expect.stringMatching(/has run: \/count must be an integer/),
      });
    }
    expect(server.count('tools/call')).toBe(2);
  });

  it('R5 R1 a failed call is that failure, whatever its value is', async () => {
    const failing = () => ({ ...answer({ count: 'three' })(), isError: true });
    const { search, diagnostics } = await serve({ strictOutput: true }, { outputSchema }, failing);
    expect(await rejection(search.execute(args))).toMatchObject({ code: 'tool-error' });
    expect(diagnostics).toEqual([]);
  });

  it('R5 G9 an outputSchema of any form fails no call', async () => {
    for (const odd of [true, 5, 'x', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }]) {
      const { search } = await serve({ strictOutput: true }, { outputSchema: odd }, answer({ count: 3 }));
      expect(await search.execute(args)).toMatchObject({ structuredContent: { count: 3 } });
    }
  });
});
