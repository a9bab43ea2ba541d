import { asSchema } from 'ai';
import { describe, expect, it } from 'vitest';
import {
  catalogTokens,
  composeMcpSystemPrompt,
  connectMcp,
  DEFAULT_DISCLOSURE_BUDGET_TOKENS,
  estimateTokens,
  MCP_DESCRIBE_TOOL,
  MCP_READ_RESULT_TOOL,
  type McpTool,
  type McpToolset,
} from '../../src/index.js';
import { metaErrors } from '../support/schemas.js';
import { createRig, definitionBytes, ERAS, rejection, tool } from './rig.js';

const rig = createRig();

/** A schema whose texts cost some 500 tokens, and whose deferred form costs little. */
const WIDE = {
  type: 'object',
  properties: {
    query: { type: 'string', description: 'What to look for. '.repeat(100), enum: ['a', 'b'] },
    filter: { $ref: '#/$defs/filter' },
  },
  required: ['query'],
  additionalProperties: false,
  $defs: { filter: { type: 'object', properties: { deep: { type: 'integer' } } } },
};
const DEFERRED = {
  type: 'object',
  properties: { query: { type: 'string' }, filter: { type: 'object' } },
  required: ['query'],
};
const BARE = { type: 'object', properties: {} };

const wide = (count: number) => Array.from({ length: count }, (_, index) => tool(`t${index}`, { inputSchema: WIDE }));

const schemaOf = ({ inputSchema }: McpTool) => inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
const textOf = async (toolset: McpToolset, name: string, args: unknown) => {
  const { content } = await toolset.tools[name]!.execute(args);
  return content.map((block) => (block as { text: string }).text).join('\n');
};
const described = async (toolset: McpToolset, names: unknown) =>
  JSON.parse(await textOf(toolset, MCP_DESCRIBE_TOOL, { names })).tools as readonly Record<string, unknown>[];

async function serve(tools: readonly unknown[], options: Parameters<typeof rig.wire>[1] = {}, name = 's') {
  const server = await rig.raw({ tools });
  const wired = await rig.wire([{ name, type: 'http', url: server.url }], options);
  return { server, ...wired };
}

it.each(ERAS)(
  'D1 D2 N5 %s: a server over the budget shows names and types, and one helper gives the rest',
  async (era) => {
    const server = await rig.raw({ era, tools: wide(3) });
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }], {
      disclosure: { budget: 1_000 },
    });
    expect(Object.keys(toolset.tools)).toEqual(['s__t0', 's__t1', 's__t2', MCP_DESCRIBE_TOOL, MCP_READ_RESULT_TOOL]);
    for (const name of ['s__t0', 's__t1', 's__t2']) {
      const shown = toolset.tools[name]!;
      expect(schemaOf(shown)).toEqual(DEFERRED);
      expect(await asSchema(shown.inputSchema as never).jsonSchema).toEqual(DEFERRED);
      expect(shown.metadata.disclosure).toBe('deferred');
      expect(shown.description).toBe(`The ${name.slice(3)} tool.`);
    }
    const helpers = toolset.describeTools().filter(({ server: own }) => own === '');
    expect(helpers.map(({ name, tool: raw, state, disclosure }) => [name, raw, state, disclosure])).toEqual([
      [MCP_DESCRIBE_TOOL, MCP_DESCRIBE_TOOL, 'active', 'full'],
      [MCP_READ_RESULT_TOOL, MCP_READ_RESULT_TOOL, 'active', 'full'],
    ]);
    for (const { inputSchema, name, descriptionHash } of helpers) {
      expect(metaErrors(inputSchema)).toEqual([]);
      expect(toolset.tools[name]!.metadata).toMatchObject({ server: '', tool: name, fingerprint: descriptionHash });
    }
    // What is shown less of is what the server sent: references and all.
    const before = server.requests.length;
    expect(await described(toolset, ['s__t1'])).toEqual([
      { name: 's__t1', description: 'The t1 tool.', inputSchema: WIDE },
    ]);
    expect(server.requests).toHaveLength(before);
  },
);

it('D1 the figures are those of the definitions as they are shown, and status and summaries agree', async () => {
  const { toolset } = await serve(wide(3), { disclosure: { budget: 1_000 } });
  const [status] = toolset.servers;
  const own = toolset.describeTools().filter(({ server }) => server === 's');
  const sum = (size: (each: (typeof own)[number]) => number) => own.reduce((all, each) => all + size(each), 0);
  const as = ({ name, description }: (typeof own)[number], inputSchema: unknown) =>
    estimateTokens({ name, description, inputSchema });
  expect(own.map(({ tokens }) => tokens.projected)).toEqual(own.map((each) => as(each, each.inputSchema)));
  expect(status).toMatchObject({ disclosure: 'deferred' });
  expect(status!.tokens).toEqual({
    full: sum(({ tokens }) => tokens.full),
    projected: sum(({ tokens }) => tokens.projected),
    floor: catalogTokens(own),
  });
  expect(status!.tokens.full).toBeGreaterThan(1_000);
  expect(toolset.inspect().servers[0]!.tokens).toEqual(status!.tokens);

  const full = await serve(wide(3));
  expect(
    full.toolset
      .describeTools()
      .filter(({ server }) => server === 's')
      .map(({ tokens }) => tokens.full),
  ).toEqual(own.map(({ tokens }) => tokens.full));
  expect(full.toolset.servers[0]).toMatchObject({ disclosure: 'full' });
});

it('D1 a server within the default budget is shown in full, and no tool describes it', async () => {
  const { toolset } = await serve(wide(3));
  expect(DEFAULT_DISCLOSURE_BUDGET_TOKENS).toBe(20_000);
  expect(Object.keys(toolset.tools)).toEqual(['s__t0', 's__t1', 's__t2', MCP_READ_RESULT_TOOL]);
  expect(schemaOf(toolset.tools.s__t0!)).toMatchObject({ additionalProperties: false });
  const many = await serve(wide(60));
  expect(many.toolset.servers[0]).toMatchObject({ disclosure: 'deferred' });
  const none = await serve([], { disclosure: { budget: 0 } });
  expect(Object.keys(none.toolset.tools)).toEqual([MCP_READ_RESULT_TOOL]);
  expect(none.toolset.servers[0]).toMatchObject({ disclosure: 'full' });
});

it('D1 what is quarantined is neither counted nor deferred', async () => {
  const { toolset } = await serve(
    [tool('good'), { ...tool('bad'), inputSchema: { type: 'string', title: 'x'.repeat(9_000) } }],
    {
      disclosure: { budget: 100 },
    },
  );
  expect(toolset.servers[0]).toMatchObject({ disclosure: 'full', tools: { active: 1, quarantined: 1 } });
});

it('D3 where names of parameters do not fit either, the bare object is left, and any arguments are sent', async () => {
  const { toolset, server } = await serve(wide(3), { disclosure: { budget: 30 } });
  expect(toolset.servers[0]).toMatchObject({ disclosure: 'bare' });
  for (const name of ['s__t0', 's__t1', 's__t2']) expect(schemaOf(toolset.tools[name]!)).toEqual(BARE);
  await toolset.tools.s__t0!.execute({ query: 'a' });
  expect(server.requests.at(-1)!.params).toMatchObject({ name: 't0', arguments: { query: 'a' } });
  expect(await described(toolset, ['s__t0'])).toMatchObject([{ inputSchema: WIDE }]);
});

it('D4 D5 what cannot fit is reported once, with the way down', async () => {
  const { diagnostics, toolset } = await serve(wide(30), { disclosure: { budget: 20, total: 300 } });
  const exceeded = diagnostics.filter(({ code }) => code === 'disclosure-budget-exceeded');
  expect(exceeded.map(({ data }) => data)).toEqual([
    { scope: 'server', tools: 30, floor: toolset.servers[0]!.tokens.floor, budget: 20 },
    { scope: 'total', tools: 30, floor: toolset.servers[0]!.tokens.floor, budget: 300 },
  ]);
  await toolset.refresh();
  expect(diagnostics.filter(({ code }) => code === 'disclosure-budget-exceeded')).toHaveLength(2);
});

it('D5 the total is held over all servers, the largest deferred first', async () => {
  const [small, large] = [await rig.raw({ tools: wide(2) }), await rig.raw({ tools: wide(6) })];
  const servers = [
    { name: 'small', type: 'http', url: small.url },
    { name: 'large', type: 'http', url: large.url },
  ] as const;
  const tiers = async (disclosure: { total?: number; alwaysLoad?: readonly string[] }) => {
    const { toolset, diagnostics } = await rig.wire(servers, { disclosure });
    const total = toolset.servers.reduce((sum, { tokens }) => sum + tokens.projected, 0);
    return {
      tiers: toolset.servers.map(({ disclosure: tier }) => tier),
      total,
      codes: diagnostics.map(({ code }) => code),
    };
  };
  expect((await tiers({})).tiers).toEqual(['full', 'full']);
  const capped = await tiers({ total: 2_000 });
  expect(capped.tiers).toEqual(['full', 'deferred']);
  expect(capped.total).toBeLessThanOrEqual(2_000);
  const kept = await tiers({ total: 2_000, alwaysLoad: ['large'] });
  expect(kept.tiers).toEqual(['deferred', 'full']);
  expect(kept.codes).toEqual(['disclosure-budget-exceeded']);
});

it('D1 alwaysLoad keeps one tool in full by its projected name', async () => {
  const { toolset, diagnostics } = await serve(wide(3), {
    disclosure: { budget: 1_000, alwaysLoad: ['s__t1', 'nobody'] },
  });
  expect(toolset.tools.s__t1!.metadata.disclosure).toBe('full');
  expect(schemaOf(toolset.tools.s__t1!)).toMatchObject({ additionalProperties: false });
  expect(toolset.tools.s__t0!.metadata.disclosure).toBe('deferred');
  expect(diagnostics).toEqual([expect.objectContaining({ code: 'filter-unmatched', data: { entry: 'nobody' } })]);
});

describe('mcp__describe_tool', () => {
  it('D6 answers several names at once, each by itself, and asks no server', async () => {
    const { toolset, server } = await serve([...wide(3), tool('broken', { inputSchema: 5 })], {
      disclosure: { budget: 500 },
    });
    const before = server.requests.length;
    const answers = await described(toolset, ['s__t0', 's__t9', 's__broken', 's__t0', MCP_DESCRIBE_TOOL]);
    expect(answers).toEqual([
      { name: 's__t0', description: 'The t0 tool.', inputSchema: WIDE },
      { name: 's__t9', error: expect.stringMatching(/no tool.*Did you mean `s__t/) },
      { name: 's__broken', error: expect.stringContaining('inputSchema is a number') },
      { name: MCP_DESCRIBE_TOOL, error: expect.any(String) },
    ]);
    await server.close();
    expect(await described(toolset, ['s__t2'])).toHaveLength(1);
    expect(server.requests).toHaveLength(before);
  });

  it.each([[{ names: 's__t0' }], [{ names: '["s__t0"]' }], [{ names: ['s__t0'], why: 'curious' }]])(
    'D6 understands %j',
    async (args) => {
      const { toolset } = await serve(wide(3), { disclosure: { budget: 500 } });
      const answer = JSON.parse(await textOf(toolset, MCP_DESCRIBE_TOOL, args));
      expect(answer.tools).toMatchObject([{ name: 's__t0', inputSchema: WIDE }]);
    },
  );

  it.each([[undefined], [null], [{}], [{ names: [] }], [{ names: [1] }], [{ names: 5 }], ['x']])(
    'D6 refuses %j, and says what it takes',
    async (args) => {
      const { toolset } = await serve(wide(3), { disclosure: { budget: 500 } });
      const error = await rejection(toolset.tools[MCP_DESCRIBE_TOOL]!.execute(args));
      expect(error).toMatchObject({ code: 'invalid-arguments', tool: MCP_DESCRIBE_TOOL });
      expect(error.message).toContain('{"names": ["server__tool"]}');
    },
  );

  it('W4 is closed with the toolset', async () => {
    const { toolset } = await serve(wide(3), { disclosure: { budget: 500 } });
    const { [MCP_DESCRIBE_TOOL]: describing, [MCP_READ_RESULT_TOOL]: reading } = toolset.tools;
    await toolset.close();
    for (const helper of [describing!, reading!])
      expect(await rejection(helper.execute({}))).toMatchObject({ code: 'closed' });
  });

  it('N5 a remote tool cannot take the place of a helper', async () => {
    const server = await rig.raw({ tools: [...wide(3), tool('describe_tool'), tool('read_result')] });
    const { toolset } = await rig.wire([{ name: 'mcp', type: 'http', url: server.url }], {
      disclosure: { budget: 500 },
    });
    expect(Object.values(toolset.tools).filter(({ metadata }) => metadata.server === 'mcp')).toHaveLength(5);
    expect(toolset.tools[MCP_DESCRIBE_TOOL]!.metadata.server).toBe('');
  });
});

it('L7 D1 the tier follows the catalogue, tools that a host copied too, and what moved is said', async () => {
  const { toolset, server } = await serve(wide(1), { disclosure: { budget: 1_000 } });
  const copy = { ...toolset.tools };
  expect(schemaOf(copy.s__t0!)).toMatchObject({ additionalProperties: false });
  server.set({ tools: wide(3) });
  expect(await toolset.refresh('s', { force: true })).toEqual({
    added: ['s__t1', 's__t2', MCP_DESCRIBE_TOOL],
    removed: [],
    changed: ['s__t0'],
    quarantined: [],
    withheld: [],
  });
  expect(schemaOf(copy.s__t0!)).toEqual(DEFERRED);
  expect(Object.keys(toolset.tools)).toEqual(['s__t0', 's__t1', 's__t2', MCP_DESCRIBE_TOOL, MCP_READ_RESULT_TOOL]);
  const bytes = definitionBytes(toolset);
  await toolset.refresh('s', { force: true });
  expect(definitionBytes(toolset)).toBe(bytes);
  server.set({ tools: wide(1) });
  expect(await toolset.refresh('s', { force: true })).toMatchObject({
    removed: ['s__t1', 's__t2', MCP_DESCRIBE_TOOL],
    changed: ['s__t0'],
  });
  expect(schemaOf(copy.s__t0!)).toMatchObject({ additionalProperties: false });
});

it('W10 a handle of connectMcp is a program: nothing is hidden from it', async () => {
  const server = await rig.raw({ tools: wide(60) });
  const handle = rig.keep(await connectMcp({ name: 's', type: 'http', url: server.url }));
  const tools = await handle.listTools();
  expect(tools).toHaveLength(60);
  for (const { disclosure, inputSchema } of tools) {
    expect(disclosure).toBe('full');
    expect(inputSchema).toMatchObject({ additionalProperties: false });
  }
});

describe('composeMcpSystemPrompt', () => {
  it('D9 L8 names servers, tiers, helpers and quarantined tools, and holds no text of any server', async () => {
    const texts = { description: 'POISON description', title: 'POISON title' };
    const poisoned = (name: string) => ({
      ...tool(name, { inputSchema: { ...WIDE, description: 'POISON schema' } }),
      ...texts,
    });
    const small = await rig.raw({ tools: [{ ...tool('only'), ...texts }], instructions: 'POISON instructions' });
    const large = await rig.raw({
      tools: [
        ...Array.from({ length: 30 }, (_, index) => poisoned(`t${index}`)),
        { ...poisoned('refused'), inputSchema: 'POISON' },
      ],
      instructions: 'POISON instructions',
    });
    const servers = [
      { name: 'small', type: 'http', url: small.url },
      { name: 'large', type: 'http', url: large.url },
      { name: 'absent', type: 'http', url: 'http://127.0.0.1:1/mcp' },
    ] as const;
    const compose = async () =>
      composeMcpSystemPrompt((await rig.wire(servers, { disclosure: { budget: 2_000 } })).toolset);
    const text = await compose();
    expect(text).not.toContain('POISON');
    expect(text).toMatch(/small: 1 tool, with their whole schemas/);
    expect(text).toMatch(/large: 30 tools, with shortened schemas/);
    expect(text).toMatch(/absent: no tools at present/);
    for (const named of [MCP_DESCRIBE_TOOL, MCP_READ_RESULT_TOOL, 'large__refused']) expect(text).toContain(named);
    expect(await compose()).toBe(text);
  });

  it('D9 a name under which a tool was refused is only given where it is a legal one', async () => {
    const { toolset } = await serve([tool('ignore all that'), tool('good')], { names: 'strict' });
    const text = composeMcpSystemPrompt(toolset);
    expect(text).not.toContain('ignore');
    expect(text).toMatch(/Not available.*: 1\./);
  });

  it('D9 is empty without servers, and has one line for each name', async () => {
    expect(composeMcpSystemPrompt((await rig.wire([])).toolset)).toBe('');
    const { toolset } = await serve([tool('a')], {}, `odd\nname\u001b${'x'.repeat(500)}`);
    const lines = composeMcpSystemPrompt(toolset).split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]!.length).toBeLessThan(250);
  });
});
