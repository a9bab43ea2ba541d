import { describe, expect, it } from 'vitest';
import { until } from '../support/http-host.js';
import { HANDLED, rawJson } from '../support/raw-server.js';
import { createRig, ERAS, namesOf, rejection, remoteTools, tool } from './rig.js';

const rig = createRig();

/** JSON text of a tool whose definition, with its own root at depth 0, is `depth` deep. */
function deepTool(name: string, depth: number): string {
  // inputSchema is at 1, properties at 2, its member at 3.
  const inner = '{"items":'.repeat(depth - 3);
  return `{"name":"${name}","inputSchema":{"type":"object","properties":{"p":${inner}true${'}'.repeat(depth - 3)}}}}`;
}

/** JSON text of a tool whose definition holds `nodes` values. */
function wideTool(name: string, nodes: number): string {
  // The tool, its name, the schema, its type, properties.
  const members = Array.from({ length: nodes - 5 }, (_, index) => `"p${index}":true`);
  return `{"name":"${name}","inputSchema":{"type":"object","properties":{${members.join(',')}}}}`;
}

describe.each(ERAS)('%s', (era) => {
  it.each([
    ['schemaDepth', 64, deepTool],
    ['schemaNodes', 10_000, wideTool],
  ] as const)('G9 L1 a definition at %s loads, one past it is quarantined alone', async (limit, max, make) => {
    const tools = rawJson(`[${make('fits', max)},${make('over', max + 1)},${JSON.stringify(tool('good'))}]`);
    const server = await rig.raw({ era, tools });
    const config = { name: 's', type: 'http', url: server.url } as const;
    const { toolset } = await rig.wire([config]);
    expect(namesOf(toolset.tools)).toEqual(['s__fits', 's__good']);
    const refused = remoteTools(toolset).find(({ state }) => state === 'quarantined');
    expect(refused).toMatchObject({ tool: 'over', reason: expect.stringContaining(`limits.${limit}`) });
    await expect(toolset.tools.s__fits?.execute({ p: [] })).resolves.toMatchObject({ content: [{ text: '{"p":[]}' }] });

    const raised = await rig.wire([config], { limits: { [limit]: max + 1 } });
    expect(namesOf(raised.toolset.tools)).toEqual(['s__fits', 's__good', 's__over']);
    const lowered = await rig.wire([config], { limits: { [limit]: 5 } });
    expect(lowered.toolset.servers[0]?.tools.quarantined).toBeGreaterThanOrEqual(2);
  });

  it('G9 L1 depth anywhere in a definition counts, and no depth ends in a RangeError', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const entries = ['outputSchema', 'annotations', '_meta', 'icons', 'anything'].map(
      (field) => `{"name":"${field}","inputSchema":{"type":"object"},"${field}":${deep}}`,
    );
    const server = await rig.raw({ era, tools: rawJson(`[${entries.join(',')},${JSON.stringify(tool('good'))}]`) });
    const { toolset, diagnostics } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    expect(namesOf(toolset.tools)).toEqual(['s__good']);
    expect(diagnostics).toHaveLength(entries.length);
    expect(() => JSON.stringify([remoteTools(toolset), toolset.inspect(), diagnostics])).not.toThrow();
  });

  it.each(['json', 'sse'] as const)(
    'G6 a call whose %s answer is over responseBytes rejects and its connection closes',
    async (format) => {
      const size = { bytes: 1_000 };
      const server = await rig.raw({
        era,
        format,
        tools: [tool('t')],
        onCall: () => ({ content: [{ type: 'text', text: 'x'.repeat(size.bytes) }] }),
      });
      const limits = { responseBytes: 50_000 };
      const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }], { limits });
      await expect(toolset.tools.s__t!.execute({})).resolves.toBeDefined();
      size.bytes = 5_000_000;
      const error = await rejection(toolset.tools.s__t!.execute({}));
      expect(error).toMatchObject({ name: 'McpLimitError', code: 'limit', limit: 'responseBytes', max: 50_000 });
      await until(() => server.pending() === 0);
      size.bytes = 1_000;
      await expect(toolset.tools.s__t!.execute({})).resolves.toBeDefined();
    },
  );

  it('G6 the body of an error status is bounded like any other', async () => {
    const server = await rig.raw({ era, tools: [tool('t')] });
    const limits = { responseBytes: 50_000 };
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }], { limits });
    const error = { code: -32603, message: 'x'.repeat(500_000) };
    server.set({ status: { 'tools/call': { status: 500, error } } });
    expect(await rejection(toolset.tools.s__t!.execute({}))).toMatchObject({ code: 'limit', limit: 'responseBytes' });
    await until(() => server.pending() === 0);
  });

  it('G6 an answer that never ends is cut, on a call and on a listing', async () => {
    const endless = (response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const drip = setInterval(() => response.write(' '.repeat(20_000)), 1);
      response.on('close', () => clearInterval(drip));
    };
    const server = await rig.raw({
      era,
      tools: [tool('t')],
      onCall: (_params, { response }) => {
        endless(response);
        return HANDLED;
      },
    });
    const config = { name: 's', type: 'http', url: server.url } as const;
    const limits = { responseBytes: 200_000 };
    const { toolset } = await rig.wire([config], { limits });
    expect(await rejection(toolset.tools.s__t!.execute({}))).toMatchObject({ code: 'limit', limit: 'responseBytes' });
    await until(() => server.pending() === 0);

    server.set({
      onRequest: ({ method }, response) => {
        if (method !== 'tools/list') return false;
        endless(response);
        return true;
      },
    });
    const failed = await rig.wire([config], { limits });
    expect(failed.toolset.servers[0]).toMatchObject({
      state: 'failed',
      error: { code: 'limit', limit: 'responseBytes' },
    });
    await until(() => server.pending() === 0);
    expect(namesOf(toolset.tools)).toEqual(['s__t']);
    expect(await rejection(toolset.refresh('s'))).toMatchObject({ code: 'limit' });
    expect(namesOf(toolset.tools)).toEqual(['s__t']);
  });

  it('G6 L2 a later page over responseBytes keeps the pages before it', async () => {
    const server = await rig.raw({
      era,
      pages: [[tool('a')], [tool('b', { description: 'x'.repeat(500_000) })], [tool('c')]],
    });
    const { toolset, diagnostics } = await rig.wire([{ name: 's', type: 'http', url: server.url }], {
      limits: { responseBytes: 100_000 },
    });
    expect(namesOf(toolset.tools)).toEqual(['s__a']);
    expect(diagnostics).toMatchObject([{ code: 'discovery-truncated', data: { reason: 'failed-page', pages: 1 } }]);
  });
});

it('G6 over HTTP+SSE an event over responseBytes rejects, and the next call has a connection again', async () => {
  const size = { bytes: 5_000_000 };
  const server = await rig.sse({
    tools: [tool('t')],
    onCall: () => ({ content: [{ type: 'text', text: 'x'.repeat(size.bytes) }] }),
  });
  const { toolset } = await rig.wire([{ name: 's', type: 'sse', url: server.url }], {
    limits: { responseBytes: 50_000 },
  });
  expect(await rejection(toolset.tools.s__t!.execute({}))).toMatchObject({ code: 'limit', limit: 'responseBytes' });
  await until(() => server.openStreams() === 0);
  size.bytes = 10;
  await expect(toolset.tools.s__t!.execute({})).resolves.toBeDefined();
});

it('C5 G6 over HTTP+SSE such an event leaves every call unknown that it could have answered, where there are several', async () => {
  const server = await rig.sse({
    tools: [tool('big'), tool('slow')],
    async onCall({ name }) {
      if (name === 'slow') return HANDLED;
      await until(() => server.count('tools/call') === 3);
      return { content: [{ type: 'text', text: 'x'.repeat(500_000) }] };
    },
  });
  const { toolset } = await rig.wire([{ name: 's', type: 'sse', url: server.url }], {
    limits: { responseBytes: 50_000 },
  });
  const calls = ['s__slow', 's__big', 's__slow'].map((name) => rejection(toolset.tools[name]!.execute({})));
  for (const error of await Promise.all(calls)) {
    expect(error).toMatchObject({ code: 'outcome-unknown', cause: { code: 'limit', limit: 'responseBytes' } });
  }
  expect(server.count('tools/call')).toBe(3);
});
