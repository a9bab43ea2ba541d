import { describe, expect, it } from 'vitest';
import { createRig, definitionBytes, ERAS, namesOf, rejection, remoteTools, tool } from './rig.js';

const rig = createRig();
const NOTHING = { added: [], removed: [], changed: [], quarantined: [], withheld: [] };

async function wireOne(tools: readonly unknown[], era: 'legacy' | 'modern' | 'both' = 'both') {
  const server = await rig.raw({ era, tools });
  const wired = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  return { server, ...wired };
}

describe.each(ERAS)('%s', (era) => {
  it('L5 N6 a refresh says what was added, removed, changed and quarantined, by projected name', async () => {
    const { server, toolset } = await wireOne(
      ['same', 'gone', 'changed', 'breaks', 'annotated'].map((name) => tool(name)),
      era,
    );
    expect(await toolset.refresh()).toEqual(NOTHING);
    server.set({
      tools: [
        tool('new.one'),
        tool('annotated', { annotations: { readOnlyHint: true } }),
        { name: 'breaks', inputSchema: [] },
        tool('changed', { description: 'Now otherwise.' }),
        tool('same'),
        null,
      ],
    });
    const change = await toolset.refresh();
    const added = namesOf(toolset.tools).find((name) => name.startsWith('s__new_one_'));
    expect(change).toEqual({
      added: [added],
      removed: ['s__breaks', 's__gone'],
      changed: ['s__changed'],
      quarantined: ['s__breaks'],
      withheld: [],
    });
    expect(await toolset.refresh()).toEqual(NOTHING);
    expect(namesOf(toolset.tools)).toEqual(['s__annotated', 's__changed', added, 's__same'].sort());
  });
});

it('P0 S4 a changed definition shows in the tool objects that the host already holds', async () => {
  const { server, toolset } = await wireOne([tool('a', { title: 'Old' })]);
  const held = { ...toolset.tools };
  const { a, fingerprint } = { a: held.s__a!, fingerprint: held.s__a!.metadata.fingerprint };
  const inputSchema = { type: 'object', properties: { other: { type: 'number' } }, required: ['other'] };
  server.set({ tools: [tool('a', { description: 'New words.', inputSchema })] });
  await toolset.refresh();
  expect(toolset.tools.s__a).toBe(a);
  expect(a.description).toBe('New words.');
  expect(a).not.toHaveProperty('title');
  expect(a.inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })).toEqual(inputSchema);
  expect(a.metadata.fingerprint).not.toBe(fingerprint);
  expect(remoteTools(toolset)).toMatchObject([{ description: 'New words.', descriptionHash: a.metadata.fingerprint }]);
});

it('N6 L5 a tool that comes back is the same object, as it is defined now', async () => {
  const { server, toolset } = await wireOne([tool('a'), tool('b')]);
  const { s__a: a } = toolset.tools;
  server.set({ tools: [tool('b')] });
  expect(await toolset.refresh()).toEqual({ ...NOTHING, removed: ['s__a'] });
  expect(await rejection(a!.execute({}))).toMatchObject({ code: 'unknown-tool' });
  server.set({ tools: [tool('b'), tool('a', { description: 'Back, and different.' })] });
  expect(await toolset.refresh()).toEqual({ ...NOTHING, added: ['s__a'] });
  expect(toolset.tools.s__a).toBe(a);
  expect(a?.description).toBe('Back, and different.');
  expect(remoteTools(toolset)[0]).toMatchObject({ name: 's__a', description: 'Back, and different.' });
  await expect(a?.execute({ q: 1 })).resolves.toMatchObject({ content: [{ type: 'text' }] });
});

it('N4 a name that moves because another tool arrived is reported, and the held object still calls the same tool', async () => {
  const one = await rig.raw({ tools: [tool('b__c')] });
  const two = await rig.raw({ tools: [] });
  const { toolset, diagnostics } = await rig.wire([
    { name: 'a', type: 'http', url: one.url },
    { name: 'a__b', type: 'http', url: two.url },
  ]);
  const { a__b__c: held } = toolset.tools;
  two.set({ tools: [tool('c')] });
  const before = namesOf(toolset.tools);
  const change = await toolset.refresh();
  const after = namesOf(toolset.tools);
  expect(after).toHaveLength(2);
  expect(toolset.tools).not.toHaveProperty('a__b__c');
  // Keys before, less what was removed, with what was added, are the keys after.
  expect([...before.filter((name) => !change.removed.includes(name)), ...change.added].sort()).toEqual(
    [...after].sort(),
  );
  const [moved] = diagnostics.flatMap((each) => (each.code === 'name-moved' ? [each] : []));
  expect(moved).toMatchObject({ server: 'a', tool: 'b__c', level: 'warn', data: { from: 'a__b__c', to: after[0] } });
  expect(toolset.tools[after[0]!]).toBe(held);
  await held?.execute({});
  expect(one.count('tools/call')).toBe(1);

  two.set({ tools: [] });
  await toolset.refresh();
  expect(namesOf(toolset.tools)).toEqual(['a__b__c']);
  expect(diagnostics.filter(({ code }) => code === 'name-moved')).toHaveLength(2);
});

it('L1 O1 a fault that was mended and comes back is reported again', async () => {
  const { server, toolset, diagnostics } = await wireOne([{ name: 'a' }]);
  const reports = () => diagnostics.filter(({ code }) => code === 'tool-quarantined').length;
  await toolset.refresh();
  expect(reports()).toBe(1);
  server.set({ tools: [tool('a')] });
  expect(await toolset.refresh()).toEqual({ ...NOTHING, added: ['s__a'] });
  server.set({ tools: [{ name: 'a' }] });
  expect(await toolset.refresh()).toEqual({ ...NOTHING, removed: ['s__a'], quarantined: ['s__a'] });
  expect(reports()).toBe(2);
});

it('W2 one server is listed by its name, and a name that is not there is a mistake', async () => {
  const [one, two] = [await rig.raw({ tools: [tool('t')] }), await rig.raw({ tools: [tool('t')] })];
  const { toolset } = await rig.wire([
    { name: 'one', type: 'http', url: one.url },
    { name: 'two', type: 'http', url: two.url },
  ]);
  for (const server of [one, two]) server.set({ tools: [tool('t'), tool('u')] });
  expect(await toolset.refresh('two')).toEqual({ ...NOTHING, added: ['two__u'] });
  expect([one.count('tools/list'), two.count('tools/list')]).toEqual([1, 2]);
  for (const name of ['three', '', '__proto__', 'two__u']) {
    expect(await rejection(toolset.refresh(name))).toMatchObject({
      code: 'config',
      message: expect.stringContaining(name),
    });
  }
});

it('W2 a refresh that fails keeps the tools, and they still work', async () => {
  const [good, flaky] = [await rig.raw({ tools: [tool('t')] }), await rig.raw({ tools: [tool('t')] })];
  const { toolset, diagnostics } = await rig.wire([
    { name: 'good', type: 'http', url: good.url },
    { name: 'flaky', type: 'http', url: flaky.url },
  ]);
  const first = definitionBytes(toolset);
  flaky.set({ status: { 'tools/list': { status: 200, error: { code: -32603, message: 'rebuilding' } } } });
  good.set({ tools: [tool('t'), tool('u')] });
  expect(await toolset.refresh()).toEqual({ ...NOTHING, added: ['good__u'] });
  expect(diagnostics).toMatchObject([{ code: 'server-failed', server: 'flaky', data: { errorCode: 'protocol' } }]);
  expect(toolset.servers).toMatchObject([{ state: 'ready' }, { state: 'failed', tools: { active: 1 } }]);
  await expect(toolset.tools.flaky__t?.execute({ a: 1 })).resolves.toMatchObject({ content: [{ text: '{"a":1}' }] });
  expect(await rejection(toolset.refresh('flaky'))).toMatchObject({ code: 'protocol', rpcCode: -32603 });
  expect(diagnostics).toHaveLength(1);

  good.set({ tools: [tool('t')] });
  flaky.set({ status: {} });
  expect(await toolset.refresh()).toEqual({ ...NOTHING, removed: ['good__u'] });
  expect(toolset.servers).toMatchObject([{ state: 'ready' }, { state: 'ready' }]);
  expect(definitionBytes(toolset)).toBe(first);
});

it('W2 a server that was down at first joins at the next refresh', async () => {
  const server = await rig.raw({ tools: [tool('t')], status: { POST: 500, 'server/discover': 500, initialize: 500 } });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  expect(toolset.servers).toMatchObject([{ state: 'failed' }]);
  server.set({ status: {} });
  expect(await toolset.refresh()).toEqual({ ...NOTHING, added: ['s__t'] });
  expect(toolset.servers).toMatchObject([{ state: 'ready', tools: { active: 1 } }]);
});
