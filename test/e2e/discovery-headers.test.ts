import { expect, it } from 'vitest';
import { z } from 'zod';
import { createMcpTools } from '../../src/index.js';
import { startSdkServer } from '../support/sdk-servers.js';
import { createRig, namesOf, rejection, remoteTools, tool } from './rig.js';

const rig = createRig();

const marked = (header: unknown, type: unknown = 'string') => ({ type, 'x-mcp-header': header });
const REGION = tool('region', {
  inputSchema: {
    type: 'object',
    properties: {
      region: marked('Region'),
      count: marked('Count', 'integer'),
      dry: marked('Dry-Run', 'boolean'),
      where: { type: 'object', properties: { city: marked('City') } },
      plain: { type: 'string' },
    },
  },
});

const paramHeaders = (headers: Record<string, unknown> | undefined) =>
  Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name.startsWith('mcp-param-')));

it('L6 marked arguments travel as headers too, on every path and of every type', async () => {
  const server = await rig.raw({ era: 'modern', tools: [REGION] });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const args = { region: 'eu-west-1', count: 3, dry: false, where: { city: 'Bern' }, plain: 'p' };
  await toolset.tools.s__region?.execute(args);
  const call = server.find('tools/call');
  expect(paramHeaders(call?.headers)).toEqual({
    'mcp-param-region': 'eu-west-1',
    'mcp-param-count': '3',
    'mcp-param-dry-run': 'false',
    'mcp-param-city': 'Bern',
  });
  expect(call?.params).toMatchObject({ name: 'region', arguments: args });
});

it.each([
  ['an accent', 'Zürich'],
  ['a line break', 'a\r\nx-injected: 1'],
  ['an outer space', ' a '],
  ['nothing', ''],
  ['the sentinel itself', '=?base64?YQ==?='],
  ['an emoji', '🏔'],
])('L6 a value with %s goes in base64 and comes back whole', async (_label, value) => {
  const server = await rig.raw({ era: 'modern', tools: [REGION] });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  await toolset.tools.s__region?.execute({ region: value });
  const { headers } = server.find('tools/call')!;
  const match = /^=\?base64\?(.*)\?=$/.exec(String(headers['mcp-param-region']));
  expect(Buffer.from(match?.[1] ?? 'none', 'base64').toString('utf8')).toBe(value);
  expect(headers).not.toHaveProperty('x-injected');
});

it('L6 D7 absent arguments give no header, and values of another type are not sent', async () => {
  const server = await rig.raw({ era: 'modern', tools: [REGION] });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const refused = toolset.tools.s__region!.execute({ region: null, where: 'x', count: [1] });
  expect(await rejection(refused)).toMatchObject({ code: 'invalid-arguments' });
  expect(server.count('tools/call')).toBe(0);
  await toolset.tools.s__region!.execute({});
  expect(paramHeaders(server.find('tools/call')?.headers)).toEqual({});
});

it('L6 an invalid mark excludes the tool on 2026-07-28 over HTTP only', async () => {
  const invalid = tool('bad', { inputSchema: { type: 'object', properties: { a: marked('not a token') } } });
  const both = await rig.raw({ era: 'both', tools: [invalid, tool('good')] });
  const url = both.url;
  const modern = await rig.wire([{ name: 's', type: 'http', url }]);
  expect(namesOf(modern.toolset.tools)).toEqual(['s__good']);
  expect(modern.diagnostics).toMatchObject([{ code: 'tool-quarantined', tool: 'bad' }]);
  expect(remoteTools(modern.toolset)).toMatchObject([
    { tool: 'good' },
    { tool: 'bad', state: 'quarantined', reason: expect.stringContaining('x-mcp-header') },
  ]);

  const legacy = await rig.wire([{ name: 's', type: 'http', url, protocol: 'legacy' }]);
  expect(namesOf(legacy.toolset.tools)).toEqual(['s__bad', 's__good']);
  await legacy.toolset.tools.s__bad?.execute({ a: 'x' });
  expect(paramHeaders(both.find('tools/call')?.headers)).toEqual({});

  const sse = await rig.sse({ tools: [invalid] });
  const old = await rig.wire([{ name: 's', type: 'sse', url: sse.url }]);
  expect(namesOf(old.toolset.tools)).toEqual(['s__bad']);
});

it('L6 a real server that refuses calls without the headers takes ours', async () => {
  const server = rig.keep(
    await startSdkServer({
      mode: 'modern-only',
      tools: [
        {
          name: 'region',
          description: 'Reads a region.',
          input: z.object({ region: z.string() }),
          inputJson: { type: 'object', properties: { region: marked('Region') } },
          run: (input) => ({ content: [{ type: 'text', text: JSON.stringify(input) }] }),
        },
      ],
    }),
  );
  // The same server refuses a call whose header does not say what the body says.
  const tampering: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    if (headers.has('mcp-param-region')) headers.set('mcp-param-region', 'elsewhere');
    return fetch(input, { ...init, headers });
  };
  const tampered = rig.keep(createMcpTools({ name: 's', type: 'http', url: server.url }, { fetch: tampering }));
  expect(await rejection((await tampered.tools()).s__region!.execute({ region: 'eu' }))).toMatchObject({
    code: 'protocol',
    rpcCode: -32020,
  });
  expect(server.executed()).toBe(0);

  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  for (const region of ['eu-west-1', 'Zürich', ' spaced ', '']) {
    await expect(toolset.tools.s__region?.execute({ region })).resolves.toMatchObject({
      content: [{ type: 'text', text: JSON.stringify({ region }) }],
    });
  }
  expect(server.executed('region')).toBe(4);
});
