import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stdio } from '../../src/node.js';
import { until } from '../support/http-host.js';
import { rejection } from './rig.js';
import { about, createStdioKit, EVERYTHING, isAlive, SDK_SERVER, scripted } from './stdio-kit.js';

const { rig, folder, wire } = createStdioKit();
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

describe('a published server', () => {
  it('R1 T1 server-everything: lists, calls, images, a refused call, and ends', async () => {
    const config = { name: 'e', type: 'stdio', command: 'node', args: [EVERYTHING] } as const;
    const { toolset } = await rig.wire([config], { transports: [stdio] });
    expect(toolset.servers).toMatchObject([{ state: 'ready', era: 'legacy', tools: { active: 13 } }]);
    expect(await toolset.tools.e__echo!.execute({ message: 'hello' })).toEqual(text('Echo: hello'));
    const { content } = await toolset.tools['e__get-tiny-image']!.execute({});
    expect(content).toContainEqual({ type: 'image', data: expect.any(String), mimeType: 'image/png' });
    const error = await rejection(toolset.tools.e__echo!.execute({}));
    expect(error).toMatchObject({ code: 'invalid-arguments', server: 'e', tool: 'echo' });
  });
});

describe('the protocol', () => {
  it.each([
    ['legacy', 'legacy', ''],
    [undefined, 'legacy', ''],
    ['auto', 'modern', ''],
    ['auto', 'modern', 'modern'],
    ['modern', 'modern', 'modern'],
  ] as const)('W7 %s over stdio: era %s (server %s)', async (protocol, era, served) => {
    const choice = protocol === undefined ? {} : { protocol };
    const { toolset } = await wire({ args: [SDK_SERVER], env: { ERA: served }, ...choice });
    expect(toolset.servers).toMatchObject([{ state: 'ready', era }]);
    expect(await toolset.tools.s__echo!.execute({ message: 'x' })).toEqual(text('x'));
  });

  it('W7 a server of the newer era alone is out of reach by the older handshake, and says so', async () => {
    const { toolset } = await wire({ args: [SDK_SERVER], env: { ERA: 'modern' } });
    expect(toolset.servers).toMatchObject([{ state: 'failed', error: { code: 'protocol-unsupported' } }]);
  });

  it.each(['', 'silent-probe', 'exit-on-probe'])('W7 `auto` reaches an older server (%s)', async (MODE) => {
    const { toolset } = await wire({ protocol: 'auto', env: { MODE } }, { connectTimeoutMs: 4_000 });
    expect(toolset.servers).toMatchObject([{ state: 'ready', era: 'legacy' }]);
    expect(await toolset.tools.s__echo!.execute({ message: 'x' })).toEqual(text('x'));
  });

  it.each(['legacy', 'auto'] as const)('L7 a change is heard (%s)', async (protocol) => {
    const changes: unknown[] = [];
    const { toolset } = await wire(
      { args: [SDK_SERVER], protocol },
      { onToolsChanged: (change) => void changes.push(change) },
    );
    await toolset.tools.s__grow!.execute({});
    await until(() => 's__grown' in toolset.tools);
    expect(changes).toMatchObject([{ added: ['s__grown'] }]);
  });
});

describe('calls', () => {
  it('R1 R2 an answer, a failed call, a protocol error and an unknown method are told apart', async () => {
    const { toolset } = await wire();
    expect(await toolset.tools.s__echo!.execute({ message: 'grüße\u2028\u2029\u0085\n"' })).toEqual(
      text('grüße\u2028\u2029\u0085\n"'),
    );
    expect(await rejection(toolset.tools.s__broken!.execute({}))).toMatchObject({
      code: 'tool-error',
      message: 'MCP tool error: No such day.',
    });
    const { tools } = toolset;
    const chunks = ['{"jsonrpc":"2.0","id":$ID,', '"error":{"code":-32000,"message":"no"}}\r\n'];
    expect(await rejection(tools.s__raw!.execute({ chunks }))).toMatchObject({ code: 'protocol', rpcCode: -32000 });
  });

  it.each(['legacy', 'auto'] as const)('C2 an abort reaches the child (%s)', async (protocol) => {
    const { toolset } = await wire({ args: [SDK_SERVER], protocol });
    const controller = new AbortController();
    const call = rejection(toolset.tools.s__slow!.execute({}, { abortSignal: controller.signal }));
    setTimeout(() => controller.abort('enough'), 100);
    expect(await call).toMatchObject({ code: 'aborted', reason: 'enough' });
    await expect.poll(() => toolset.tools.s__log!.execute({})).toEqual(text('["slow"]'));
  });

  it('C2 a timeout does too, and the server is still there', async () => {
    const log = join(folder(), 'log');
    const { toolset } = await wire({ env: { LOG: log }, timeoutMs: 300 });
    expect(await rejection(toolset.tools.s__hang!.execute({}))).toMatchObject({ code: 'timeout' });
    await until(() => readFileSync(log, 'utf8').includes('notifications/cancelled {"requestId":'));
    expect(await toolset.tools.s__echo!.execute({ message: 'on' })).toEqual(text('on'));
  });

  it('W4 a call under way ends with the close, and later ones are refused', async () => {
    const { toolset } = await wire();
    const { pid } = await about(toolset);
    const call = rejection(toolset.tools.s__hang!.execute({}));
    await Promise.all([toolset.close(), toolset.close()]);
    expect(await call).toMatchObject({ code: 'closed' });
    expect(isAlive(pid)).toBe(false);
    expect(await rejection(toolset.tools.s__echo!.execute({ message: 'late' }))).toMatchObject({ code: 'closed' });
  });
});

describe('without a factory', () => {
  it('T1 a stdio server fails with what is missing, and its sibling serves', async () => {
    const sibling = await rig.raw();
    // Of the registry of this process nothing is taken: another test may have filled it.
    const registry = globalThis as { [key: symbol]: Map<string, unknown> | undefined };
    const key = Symbol.for('mcp-toolset.transports');
    const kept = registry[key];
    registry[key] = new Map();
    try {
      const { toolset } = await rig.wire([scripted(), { name: 'ok', type: 'http', url: sibling.url }]);
      expect(toolset.servers).toMatchObject([
        { state: 'failed', error: { code: 'transport-missing', server: 's' } },
        { state: 'ready' },
      ]);
      expect(toolset.servers[0]!.error!.message).toMatch(/stdio.*mcp-toolset\/node.*Workers/);
    } finally {
      registry[key] = kept;
    }
  });

  it('T1 importing the entry registers one, and again changes nothing', async () => {
    const registry = (globalThis as { [key: symbol]: Map<string, unknown> })[Symbol.for('mcp-toolset.transports')]!;
    expect([...registry]).toEqual([['stdio', stdio]]);
    const { registerTransport } = await import('../../src/transports/registry.js');
    registerTransport({ type: 'stdio', open: () => expect.fail() });
    expect([...registry]).toEqual([['stdio', stdio]]);
  });
});
