import { expect, it } from 'vitest';
import { connectMcp, createMcpTools, estimateTokens, fingerprintTool } from '../../src/index.js';
import { rawJson } from '../support/raw-server.js';
import { createRig, ERAS, namesOf, remoteTools, tool } from './rig.js';

const rig = createRig();

const NODE = { type: 'object', properties: { value: { type: 'string' }, next: { $ref: '#/$defs/node' } } };
const REFERRING = { type: 'object', properties: { list: { $ref: '#/$defs/node' } }, $defs: { node: NODE } };
const PROJECTED = {
  type: 'object',
  properties: { list: { type: 'object', properties: { value: { type: 'string' }, next: {} } } },
};
const LOSS = '#/properties/list/properties/next: the reference leads back to a schema that it stands in';

it.each(ERAS)('P4 P3 S4 D1 %s: what is shown is projected, what is fingerprinted is not', async (era) => {
  const entries = [tool('plain'), tool('referring', { inputSchema: REFERRING })];
  const server = await rig.raw({ era, tools: entries });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const [plain, referring] = remoteTools(toolset);
  expect(plain).not.toHaveProperty('losses');
  expect(plain!.inputSchema).toEqual(entries[0]!.inputSchema);
  expect(referring).toMatchObject({ inputSchema: PROJECTED, losses: [LOSS], state: 'active' });
  const { name, description, inputSchema, tokens, descriptionHash } = referring!;
  expect(inputSchema).toEqual(PROJECTED);
  expect(tokens.full).toBe(estimateTokens({ name, description, inputSchema }));
  expect(descriptionHash).toBe(await fingerprintTool(entries[1]!));
  const shown = toolset.tools.s__referring!.inputSchema['~standard'].jsonSchema;
  expect(shown.input({ target: 'draft-2020-12' })).toEqual(PROJECTED);
  expect(toolset.inspect().tools[1]).toEqual(referring);

  // Another definition is projected anew; losses go with what lost them.
  server.set({
    tools: [entries[0]!, tool('referring', { inputSchema: { ...REFERRING, $defs: { node: { const: 1 } } } })],
  });
  await toolset.refresh();
  const after = remoteTools(toolset)[1]!;
  expect(after).not.toHaveProperty('losses');
  expect(after.inputSchema).toEqual({ type: 'object', properties: { list: { const: 1 } } });
  expect(after.descriptionHash).not.toBe(descriptionHash);
});

it.each(ERAS)('P4 L1 %s: a tool whose root says no type, may be null or refers can be called', async (era) => {
  const roots = {
    untyped: { properties: { a: { type: 'string' } } },
    empty: {},
    nullable: { type: ['object', 'null'] },
    referring: { $ref: '#/definitions/R', definitions: { R: { type: 'object', required: ['a'] } } },
  };
  const entries = Object.entries(roots).map(([name, inputSchema]) => tool(name, { inputSchema }));
  const server = await rig.raw({ era, tools: [...entries, tool('text', { inputSchema: { type: 'string' } })] });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  expect(namesOf(toolset.tools)).toEqual(['s__empty', 's__nullable', 's__referring', 's__untyped']);
  for (const { name, inputSchema, state } of remoteTools(toolset)) {
    expect(inputSchema).toMatchObject({ type: 'object', properties: {} });
    if (state === 'active') await expect(toolset.tools[name]!.execute({ a: 'x' })).resolves.toHaveProperty('content');
  }
  expect(remoteTools(toolset).find(({ tool: raw }) => raw === 'text')).toMatchObject({
    state: 'quarantined',
    reason: 'The inputSchema has another type at its root, not the type "object".',
  });
});

it('P4 P3 G9 an expansion that would pass limits.schemaNodes is cut for that tool alone', async () => {
  const levels = Array.from({ length: 60 }, (_, level) => {
    const next = { $ref: `#/$defs/${level + 1}` };
    return [level, { type: 'object', properties: { a: next, b: next } }] as const;
  });
  const inputSchema = {
    type: 'object',
    properties: { p: { $ref: '#/$defs/0' } },
    $defs: { ...Object.fromEntries(levels), 60: { type: 'string' } },
  };
  const server = await rig.raw({
    tools: [tool('laughs', { inputSchema }), tool('referring', { inputSchema: REFERRING })],
  });
  const limits = { schemaNodes: 1_000 };
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }], { limits });
  const [laughs, referring] = remoteTools(toolset);
  expect(laughs!.losses!.length).toBeGreaterThan(10);
  expect(laughs!.losses![0]).toContain('expanding the reference would pass limits.schemaNodes');
  expect(JSON.stringify(laughs!.inputSchema).length).toBeLessThan(20_000);
  expect(referring!.inputSchema).toEqual(PROJECTED);
});

it('P4 N8 an own __proto__ key reaches the model', async () => {
  const text =
    '{"type":"object","properties":{"__proto__":{"$ref":"#/$defs/__proto__"}},"$defs":{"__proto__":{"const":1}}}';
  const server = await rig.raw({ tools: rawJson(`[{"name":"t","inputSchema":${text}}]`) });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  expect(JSON.stringify(remoteTools(toolset)[0]!.inputSchema)).toBe(
    '{"type":"object","properties":{"__proto__":{"const":1}}}',
  );
});

it('S4 P4 a toolset over a client handle fingerprints what the server sent', async () => {
  const entry = tool('referring', { inputSchema: REFERRING, annotations: { title: 'T' } });
  const server = await rig.raw({ tools: [entry, { name: 'broken' }] });
  const client = rig.keep(await connectMcp({ name: 's', type: 'http', url: server.url }));
  const [first] = await client.listTools();
  const [over, ...rest] = await rig.keep(createMcpTools(client)).describeTools();
  expect(rest).toMatchObject([{ server: '' }]);
  expect(over).toMatchObject({ inputSchema: PROJECTED, losses: [LOSS] });
  expect(over!.descriptionHash).toBe(await fingerprintTool(entry));
  expect(first!.descriptionHash).toBe(over!.descriptionHash);
  // A handle that another copy of this package made tells less, and works.
  const { listTools, callTool, close } = client;
  const [foreign] = await createMcpTools({ listTools, callTool, close }).describeTools();
  expect(foreign).toMatchObject({ name: 'referring', inputSchema: PROJECTED });
});
