import { describe, expect, it } from 'vitest';
import type { McpToolset, Transport } from '../../src/index.js';
import { createMcpTools, estimateTokens } from '../../src/index.js';
import { type BrokenTool, brokenTools, GOOD_AFTER, GOOD_BEFORE, withGoodSiblings } from '../support/broken-tools.js';
import { rawJson } from '../support/raw-server.js';
import { createRig, ERAS, namesOf, rejection, remoteOf, remoteTools, type Wired } from './rig.js';

const rig = createRig();
const FORMS = ERAS.flatMap((era) => (['json', 'sse'] as const).map((format) => ({ era, format })));

/** The verdict that holds for an era: headers are only mirrored, and so only judged, on 2026-07-28. */
function verdictOf({ expected }: BrokenTool, era: string): 'active' | 'quarantined' | 'duplicate' {
  if (expected === 'header') return era === 'modern' ? 'quarantined' : 'active';
  return expected;
}

function expectVerdict({ toolset, diagnostics }: Wired, broken: BrokenTool, era: string): void {
  const verdict = verdictOf(broken, era);
  const summaries = remoteTools(toolset).filter(({ tool }) => tool === (broken.name ?? ''));
  const reports = diagnostics.filter(({ tool }) => tool === broken.name);
  const exposed = Object.values(remoteOf(toolset.tools)).filter(({ metadata }) => metadata.tool === broken.name);
  if (verdict === 'active') {
    expect(exposed, broken.label).toHaveLength(1);
    expect(summaries, broken.label).toMatchObject([{ state: 'active' }]);
    expect(summaries[0], broken.label).not.toHaveProperty('reason');
    return;
  }
  expect(exposed, broken.label).toEqual([]);
  expect(summaries, broken.label).toMatchObject([{ state: 'quarantined' }]);
  expect(summaries[0]?.reason, broken.label).toMatch(/\w{3}.*\.$/);
  const code = verdict === 'duplicate' ? 'duplicate-tool' : 'tool-quarantined';
  expect(reports, broken.label).toMatchObject([{ code, level: 'warn', server: 'broken' }]);
}

/** Good siblings are there and work. */
async function expectSiblings({ tools }: McpToolset): Promise<void> {
  for (const name of [GOOD_BEFORE, GOOD_AFTER]) {
    await expect(tools[`broken__${name}`]?.execute({ q: name })).resolves.toEqual({
      content: [{ type: 'text', text: JSON.stringify({ q: name }) }],
    });
  }
}

describe.each(FORMS)('$era over $format', ({ era, format }) => {
  it('L1 L3 one broken tool in any form leaves its siblings loaded and is named in the report', async () => {
    const server = await rig.raw({ era, format });
    for (const broken of brokenTools()) {
      server.set({ tools: rawJson(withGoodSiblings([broken])) });
      const wired = await rig.wire([{ name: 'broken', type: 'http', url: server.url }]);
      expect(wired.toolset.servers, broken.label).toMatchObject([{ state: 'ready', era }]);
      expectVerdict(wired, broken, era);
      expect(namesOf(wired.toolset.tools), broken.label).toEqual(
        expect.arrayContaining([`broken__${GOOD_BEFORE}`, `broken__${GOOD_AFTER}`]),
      );
      if (broken.name === 'deep' || broken.name === undefined) await expectSiblings(wired.toolset);
      await wired.toolset.close();
    }
  });

  it('L1 L3 all broken tools at once: what is good loads, each of the others has its reason', async () => {
    const all = brokenTools();
    const server = await rig.raw({ era, format, tools: rawJson(withGoodSiblings(all)) });
    const wired = await rig.wire([{ name: 'broken', type: 'http', url: server.url }]);
    const { toolset, diagnostics } = wired;
    await expectSiblings(toolset);
    for (const broken of all.filter(({ name }) => name !== undefined)) expectVerdict(wired, broken, era);

    const active = all.filter((each) => verdictOf(each, era) === 'active');
    expect(namesOf(toolset.tools)).toHaveLength(active.length + 2);
    const summaries = remoteTools(toolset);
    expect(summaries).toHaveLength(all.length + 2);
    expect(summaries.filter(({ tool }) => tool === '')).toHaveLength(
      all.filter(({ name }) => name === undefined).length,
    );
    expect(toolset.servers[0]?.tools).toEqual({
      active: active.length + 2,
      quarantined: all.length - active.length,
      withheld: 0,
    });
    const reported = diagnostics.filter(({ code }) => code === 'tool-quarantined' || code === 'duplicate-tool');
    expect(reported).toHaveLength(all.length - active.length);
    expect(diagnostics.find(({ code }) => code === 'duplicate-tool')).toMatchObject({
      tool: 'twice',
      data: { count: 2 },
    });
  });
});

it('L1 what is said of a quarantined tool is plain JSON that any framework can take', async () => {
  const server = await rig.raw({ tools: rawJson(withGoodSiblings(brokenTools())) });
  const { toolset, diagnostics } = await rig.wire([{ name: 'broken', type: 'http', url: server.url }]);
  const refused = remoteTools(toolset).filter(({ state }) => state === 'quarantined');
  expect(refused.length).toBeGreaterThan(20);
  for (const summary of refused) {
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary);
    expect(summary).toMatchObject({
      server: 'broken',
      description: '',
      disclosure: 'full',
      inputSchema: { type: 'object', properties: {} },
    });
    expect(summary.tokens.full).toBe(
      estimateTokens({ name: summary.name, description: '', inputSchema: summary.inputSchema }),
    );
  }
  const snapshot = toolset.inspect();
  expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
  expect(JSON.parse(JSON.stringify(diagnostics))).toEqual(diagnostics);
});

it('L1 N6 a quarantined tool is refused locally with its reason when it is called by its name', async () => {
  const server = await rig.raw({ tools: rawJson(withGoodSiblings([])) });
  const { toolset } = await rig.wire([{ name: 'broken', type: 'http', url: server.url }]);
  const held = { ...toolset.tools };
  server.set({ tools: [{ name: GOOD_BEFORE, inputSchema: 7 }] });
  await toolset.refresh();
  server.reset();
  expect(await rejection(held[`broken__${GOOD_BEFORE}`]!.execute({}))).toMatchObject({
    code: 'quarantined',
    server: 'broken',
    tool: GOOD_BEFORE,
    message: expect.stringContaining('The inputSchema is a number, not an object.'),
  });
  expect(server.requests).toEqual([]);
});

it('L1 a server all of whose tools are broken serves none and says why', async () => {
  const server = await rig.raw({ tools: rawJson('[null,7,{"name":"a"}]') });
  const { toolset } = await rig.wire([{ name: 'broken', type: 'http', url: server.url }]);
  expect(namesOf(toolset.tools)).toEqual([]);
  expect(toolset.servers).toMatchObject([
    { state: 'ready', tools: { active: 0, quarantined: 3 }, tokens: { full: 0 } },
  ]);
});

it('L3 a duplicate over several pages counts, and a broken twin takes the good one with it', async () => {
  const good = { name: 'a', inputSchema: { type: 'object' } };
  const server = await rig.raw({
    pages: [
      [good, { name: 'b', inputSchema: { type: 'object' } }],
      [{ name: 'c', inputSchema: 7 }],
      [good, good],
      [{ name: 'b' }],
    ],
  });
  const { toolset, diagnostics } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  expect(namesOf(toolset.tools)).toEqual([]);
  expect(diagnostics.filter(({ code }) => code === 'duplicate-tool')).toMatchObject([
    { tool: 'a', data: { count: 3 } },
    { tool: 'b', data: { count: 2 } },
  ]);
  expect(remoteTools(toolset).map(({ tool }) => tool)).toEqual(['a', 'b', 'c']);
});

/** In process nobody parses what a server answers: its tools are its own objects. */
function inProcess(tools: unknown[]): Transport {
  const transport: Transport = {
    start: async () => {},
    close: async () => transport.onclose?.(),
    async send(message) {
      if (!('id' in message && 'method' in message)) return;
      const { id, method } = message;
      const result =
        method === 'initialize'
          ? { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }
          : { tools };
      queueMicrotask(() => transport.onmessage?.({ jsonrpc: '2.0', id, result }));
    },
  };
  return transport;
}

it.each([
  [
    'a custom transport',
    (tools: unknown[]) => ({ name: 's', type: 'custom' as const, connect: () => inProcess(tools) }),
  ],
  ['a client of the host', (tools: unknown[]) => ({ request: async () => ({ tools }) })],
])('L1 L5 over %s what is not JSON is refused alone, and what was listed stays as it was', async (_, serve) => {
  const good = { name: 'good', inputSchema: { type: 'object', properties: { a: {} } as Record<string, unknown> } };
  const throwing = Object.defineProperty({ name: 'throwing' }, 'inputSchema', {
    get: () => {
      throw new Error('no');
    },
    enumerable: true,
  });
  const large = { name: 'large', inputSchema: { type: 'object', maximum: 10n } };
  const handle = createMcpTools(serve([throwing, large, good]), { onDiagnostic: () => {} });
  const listed = async () => (await handle.describeTools()).filter(({ server }) => server !== '');
  const before = await listed();
  expect(before.map(({ tool, state }) => [tool, state])).toEqual([
    ['good', 'active'],
    ['large', 'quarantined'],
    ['throwing', 'quarantined'],
  ]);
  good.inputSchema.properties.later = {};
  expect(await listed()).toEqual(before);
  await handle.close();
});
