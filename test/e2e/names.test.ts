import { describe, expect, it } from 'vitest';
import { connectMcp, type McpToolset } from '../../src/index.js';
import { rawJson } from '../support/raw-server.js';
import { createRig, ERAS, namesOf, rejection, remoteOf, remoteTools, tool } from './rig.js';

const rig = createRig();
const LEGAL = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;

const callsOf = ({ requests }: { requests: readonly { method?: string; params?: unknown }[] }) =>
  requests
    .filter(({ method }) => method === 'tools/call')
    .map(({ params }) => params as { name: string; arguments: unknown });

/** Names that no provider takes, that mean something to JavaScript, or that come near another's. */
const ODD = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'then',
  '7zip',
  'search.docs',
  'a/b c',
  'naïve',
  'nai\u0308ve',
  '日本語',
  '🏔',
  ' padded ',
  'line\nbreak',
  'x'.repeat(200),
  `${'x'.repeat(199)}y`,
  '*',
  '=?base64?YQ==?=',
];

describe.each(ERAS)('%s', (era) => {
  it('N1 N2 N6 N8 any name becomes a legal one, and the call carries the raw one', async () => {
    const server = await rig.raw({ era, tools: ['plain', 'with-dash_9', ...ODD].map((name) => tool(name)) });
    for (const prefix of [undefined, '']) {
      const { toolset, diagnostics } = await rig.wire([
        { name: 's', type: 'http', url: server.url, ...(prefix === undefined ? {} : { prefix }) },
      ]);
      const shown = Object.entries(remoteOf(toolset.tools));
      expect(shown).toHaveLength(ODD.length + 2);
      expect(Object.getPrototypeOf(toolset.tools)).toBeNull();
      for (const [name, { metadata, execute }] of shown) {
        expect(name).toMatch(LEGAL);
        server.reset();
        await execute({ q: metadata.tool });
        expect(callsOf(server)).toMatchObject([{ name: metadata.tool, arguments: { q: metadata.tool } }]);
      }
      expect(shown.map(([, { metadata }]) => metadata.tool).sort()).toEqual(['plain', 'with-dash_9', ...ODD].sort());
      const rewrites = diagnostics.flatMap((each) => (each.code === 'name-rewritten' ? [each] : []));
      const moved = shown.filter(([name, { metadata }]) => name !== `${prefix ?? 's__'}${metadata.tool}`);
      expect(rewrites.map(({ data, tool: raw }) => [raw, data.to]).sort()).toEqual(
        moved.map(([name, { metadata }]) => [metadata.tool, name]).sort(),
      );
      for (const { data, level } of rewrites) {
        expect(level).toBe('info');
        expect(data.to).toMatch(/_[0-9a-f]{12}$/);
      }
    }
  });

  it('N6 N8 lone surrogates stay apart, in the map and on the wire', async () => {
    const entries = ['\\ud800', '\\ud801'].map((code) => `{"name":"lone_${code}","inputSchema":{"type":"object"}}`);
    const server = await rig.raw({ era, tools: rawJson(`[${entries.join(',')}]`) });
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    const shown = Object.values(remoteOf(toolset.tools));
    expect(shown).toHaveLength(2);
    for (const { metadata, execute } of shown) {
      server.reset();
      await execute({});
      expect(callsOf(server)).toMatchObject([{ name: metadata.tool }]);
    }
  });

  it('N8 properties named like parts of a prototype survive in schemas and arguments', async () => {
    const schema = '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"object"}}}';
    const server = await rig.raw({ era, tools: rawJson(`[{"name":"t","inputSchema":${schema}}]`) });
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    expect(JSON.stringify(remoteTools(toolset)[0]?.inputSchema)).toBe(schema);
    const args = '{"__proto__":"a","constructor":{"prototype":2},"toString":3}';
    await toolset.tools.s__t?.execute(JSON.parse(args));
    expect(server.find('tools/call')?.body).toContain(`"arguments":${args}`);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });
});

it('N3 tools of several servers never share a name, whatever the order of the servers', async () => {
  const ab = await rig.raw({ tools: [tool('b__c'), tool('x.y')] });
  const a = await rig.raw({ tools: [tool('c'), tool('x y')] });
  const servers = [
    { name: 'a', type: 'http', url: ab.url },
    { name: 'a__b', type: 'http', url: a.url },
  ] as const;
  const byTool = ({ tools }: McpToolset) =>
    Object.fromEntries(
      Object.entries(remoteOf(tools)).map(([name, { metadata }]) => [`${metadata.server}|${metadata.tool}`, name]),
    );
  const one = await rig.wire(servers);
  const other = await rig.wire([...servers].reverse());
  const names = byTool(one.toolset);
  expect(byTool(other.toolset)).toEqual(names);
  expect(new Set(Object.values(names)).size).toBe(4);
  expect(names['a|b__c']).toMatch(/^a__b__c_[0-9a-f]{12}$/);
  expect(names['a__b|c']).toMatch(/^a__b__c_[0-9a-f]{12}$/);

  await one.toolset.tools[names['a__b|c']!]?.execute({ via: 'a__b' });
  await one.toolset.tools[names['a|b__c']!]?.execute({ via: 'a' });
  expect(callsOf(a)).toMatchObject([{ name: 'c', arguments: { via: 'a__b' } }]);
  expect(callsOf(ab)).toMatchObject([{ name: 'b__c', arguments: { via: 'a' } }]);
});

it("N3 a literal name that equals another tool's rewrite gives way, and both can be called", async () => {
  const server = await rig.raw({ tools: [tool('a.b')] });
  const config = { name: 's', type: 'http', url: server.url } as const;
  const { toolset: first } = await rig.wire([config]);
  const [rewrite] = namesOf(first.tools);
  const forged = rewrite!.slice('s__'.length);
  server.set({ tools: [tool('a.b'), tool(forged)] });
  const { toolset } = await rig.wire([config]);
  expect(toolset.tools[rewrite!]?.metadata.tool).toBe('a.b');
  expect(
    Object.values(remoteOf(toolset.tools))
      .map(({ metadata }) => metadata.tool)
      .sort(),
  ).toEqual(['a.b', forged].sort());
});

it('N3 a quarantined tool holds its name against others', async () => {
  const one = await rig.raw({ tools: [{ name: 'b__c' }] });
  const two = await rig.raw({ tools: [tool('c')] });
  const { toolset } = await rig.wire([
    { name: 'a', type: 'http', url: one.url },
    { name: 'a__b', type: 'http', url: two.url },
  ]);
  const names = remoteTools(toolset).map(({ name }) => name);
  expect(new Set(names).size).toBe(2);
  expect(names).not.toContain('a__b__c');
});

it('N4 two servers of one name both get the start of their identity, in any order', async () => {
  const [one, two] = [await rig.raw({ tools: [tool('t')] }), await rig.raw({ tools: [tool('t')] })];
  const servers = [one, two].map(({ url }) => ({ name: 'docs', type: 'http', url }) as const);
  const { toolset, diagnostics } = await rig.wire(servers);
  const names = toolset.servers.map(({ name, identity }) => {
    expect(name).toBe(`docs_${identity.slice(0, 8)}`);
    return name;
  });
  expect(namesOf(toolset.tools)).toEqual(names.map((name) => `${name}__t`));
  expect(diagnostics).toMatchObject([
    { code: 'server-name-collision', data: { configuredName: 'docs', names: [...names].sort() } },
  ]);
  const reversed = await rig.wire([...servers].reverse());
  expect(reversed.toolset.servers.map(({ name }) => name)).toEqual([...names].reverse());

  await toolset.tools[`${names[1]}__t`]?.execute({});
  expect([one.count('tools/call'), two.count('tools/call')]).toEqual([0, 1]);
  expect(await toolset.refresh(names[0])).toMatchObject({ added: [], removed: [] });
  expect([one.count('tools/list'), two.count('tools/list')]).toEqual([3, 2]);
});

it('N5 no remote tool lands in the reserved names', async () => {
  const server = await rig.raw({ tools: [tool('describe_tool'), tool('read_result')] });
  const direct = await rig.raw({ tools: [tool('mcp__describe_tool'), tool('__x')] });
  const { toolset, diagnostics } = await rig.wire([
    { name: 'mcp', type: 'http', url: server.url },
    { name: 'other', type: 'http', url: direct.url, prefix: '' },
    { name: 'third', type: 'custom', prefix: 'mcp', connect: () => Promise.reject(new Error('no')) },
  ]);
  const names = namesOf(toolset.tools);
  expect(names).toHaveLength(4);
  for (const name of names) expect(name).not.toMatch(/^mcp__/);
  expect(diagnostics.filter(({ code }) => code === 'name-rewritten')).toHaveLength(4);
  const taken = Object.values(remoteOf(toolset.tools)).find(({ metadata }) => metadata.tool === 'mcp__describe_tool');
  await taken?.execute({});
  expect(callsOf(direct)).toMatchObject([{ name: 'mcp__describe_tool' }]);
});

it('N7 strict never rewrites: an illegal name, or one that meets another, is quarantined with its reason', async () => {
  const one = await rig.raw({ tools: [tool('fine'), tool('a.b'), tool('b__c'), tool('y'.repeat(80))] });
  const two = await rig.raw({ tools: [tool('c'), tool('fine')] });
  const { toolset, diagnostics } = await rig.wire(
    [
      { name: 'a', type: 'http', url: one.url },
      { name: 'a__b', type: 'http', url: two.url },
    ],
    { names: 'strict' },
  );
  expect(namesOf(toolset.tools)).toEqual(['a__fine', 'a__b__fine']);
  const refused = remoteTools(toolset).filter(({ state }) => state === 'quarantined');
  expect(refused.map(({ tool: raw }) => raw)).toEqual(['a.b', 'b__c', 'y'.repeat(80), 'c']);
  expect(refused.map(({ name }) => name)).toEqual(['a__a.b', 'a__b__c', `a__${'y'.repeat(80)}`, 'a__b__c']);
  for (const { reason } of refused) expect(reason).toContain('strict');
  expect(diagnostics.map(({ code }) => code)).toEqual(Array(4).fill('tool-quarantined'));
});

describe('unknown names', () => {
  it('N6 connectMcp takes raw and projected names, and refuses others with what was meant', async () => {
    const server = await rig.raw({ tools: [tool('search_docs'), tool('read.file'), tool('toString')] });
    const client = rig.keep(await connectMcp({ name: 's', type: 'http', url: server.url }));
    const listed = await client.listTools();
    for (const { name, tool: raw } of listed) {
      await client.callTool(name, {});
      await client.callTool(raw, {});
    }
    expect(callsOf(server)).toHaveLength(6);
    server.reset();
    const error = await rejection(client.callTool('serach_docs'));
    expect(error).toMatchObject({ name: 'McpToolUnavailableError', code: 'unknown-tool' });
    expect(error.message).toBe('There is no tool `serach_docs`. Did you mean `search_docs`?');
    for (const name of ['__proto__', 'constructor', 'valueOf', '', 'nothing-like-it']) {
      expect(await rejection(client.callTool(name))).toMatchObject({ code: 'unknown-tool' });
    }
    expect(server.requests).toEqual([]);
  });

  it('N6 a tool that a refresh took away is refused locally, also from a copied map', async () => {
    const server = await rig.raw({ tools: [tool('read_file'), tool('read_files')] });
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    const held = { ...toolset.tools };
    server.set({ tools: [tool('read_files')] });
    await toolset.refresh();
    server.reset();
    const error = await rejection(held.s__read_file!.execute({}));
    expect(error).toMatchObject({ code: 'unknown-tool', server: 's', tool: 'read_file' });
    expect(error.message).toBe('There is no tool `s__read_file`. Did you mean `s__read_files`?');
    expect(server.requests).toEqual([]);
  });
});
