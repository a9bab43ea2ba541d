import { describe, expect, it } from 'vitest';
import { SERVER_TEXT_MAX } from '../../src/core/text.js';
import type { McpError } from '../../src/index.js';
import { rpcError } from '../support/raw-server.js';
import { createKit, http, rejection, tool } from './wiring-kit.js';

const kit = createKit();

/** C0 and C1 but for tab and line feed, as themselves. */
const CONTROLS = Array.from({ length: 0xa0 }, (_, code) => code)
  .filter((code) => (code < 0x20 && code !== 0x09 && code !== 0x0a) || code >= 0x7f)
  .map((code) => String.fromCharCode(code))
  .join('');
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** What a server says, each path on which it can reach the message of an error. */
const PATHS: Readonly<Record<string, (text: string) => Promise<McpError>>> = {
  async 'a JSON-RPC error of a call'(text) {
    const server = await kit.raw({ onCall: () => rpcError(-32050, text) });
    const toolset = await kit.wire([http('s', server)]);
    return (await rejection(toolset.tools.s__a!.execute({}))) as McpError;
  },
  async 'a failed tool'(text) {
    const server = await kit.raw({ onCall: () => ({ isError: true, content: [{ type: 'text', text }] }) });
    const toolset = await kit.wire([http('s', server)]);
    return (await rejection(toolset.tools.s__a!.execute({}))) as McpError;
  },
  async 'a failed tool, in many blocks'(text) {
    const content = [...text].slice(0, 6_000).map((each) => ({ type: 'text', text: each }));
    const server = await kit.raw({ onCall: () => ({ isError: true, content }) });
    const toolset = await kit.wire([http('s', server)]);
    return (await rejection(toolset.tools.s__a!.execute({}))) as McpError;
  },
  async 'a refused listing'(text) {
    const server = await kit.raw();
    const toolset = await kit.wire([http('s', server)]);
    server.set({ status: { 'tools/list': { status: 200, error: { code: -32603, message: text } } } });
    return (await rejection(toolset.refresh('s'))) as McpError;
  },
  async 'a refused handshake'(text) {
    const error = { code: -32603, message: text };
    const status = { initialize: { status: 200, error }, 'server/discover': { status: 200, error } };
    const toolset = await kit.wire([{ ...http('s', await kit.raw({ status })), protocol: 'legacy' }]);
    return toolset.servers[0]!.error as McpError;
  },
  async 'an error in an HTTP status'(text) {
    const server = await kit.raw();
    const toolset = await kit.wire([http('s', server)]);
    server.set({ status: { 'tools/call': { status: 400, error: { code: -32050, message: text } } } });
    return (await rejection(toolset.tools.s__a!.execute({}))) as McpError;
  },
};

describe.each(Object.entries(PATHS))('%s', (_, fail) => {
  it('R7 a short text comes whole, behind words that say whose it is', async () => {
    const { message } = await fail('What happened.');
    expect(message.replace(/\n/g, '')).toMatch(
      /^(MCP tool error: |Error -\d+ from server `s`( for `a`)?: )What happened\.$/,
    );
  });

  it('R7 a long one is cut at 4,000 characters, counted after escaping, and says so', async () => {
    for (const text of ['x'.repeat(1_000_000), `x${'\r'.repeat(5_000)}`, `x${'\r'.repeat(4_000)}`]) {
      const { message } = await fail(text);
      const said = message.replace(/^(MCP tool error: |Error -\d+ from server `s`( for `a`)?: )/, '');
      expect(said.length).toBeLessThan(message.length);
      expect(said.endsWith('[…]')).toBe(true);
      expect(said.length).toBeLessThanOrEqual(SERVER_TEXT_MAX + '[…]'.length);
    }
  });

  it('R7 G10 no control character is left in it', async () => {
    const { message, stack } = await fail(`a${CONTROLS}b`);
    expect(message).not.toMatch(CONTROL);
    expect(stack).not.toMatch(CONTROL);
    expect(message.replaceAll('\n', '')).toContain('a\\u000db');
  });

  it('R7 a character of two units is not cut in half', async () => {
    for (const before of ['', 'x', 'xx', 'xxx']) {
      const { message } = await fail(`${before}${'😀'.repeat(3_000)}`);
      expect(message).not.toMatch(LONE);
    }
  });
});

describe('names that servers choose', () => {
  const name = `evil${CONTROLS}[31m`;

  it('R7 are escaped in every message, and stay what they are in `tool`', async () => {
    const server = await kit.raw({ tools: [tool(name)], onCall: () => rpcError(-32050, 'no') });
    const toolset = await kit.wire([{ ...http('s', server), timeoutMs: 200 }]);
    const [held] = Object.values(toolset.tools);
    const errors: McpError[] = [];
    const take = async () => errors.push((await rejection(held!.execute({}))) as McpError);
    await take();
    errors.push((await rejection(held!.execute([]))) as McpError);
    errors.push((await rejection(held!.execute({}, { abortSignal: AbortSignal.abort() }))) as McpError);
    server.set({ onCall: () => ({ content: 5 }) });
    await take();
    server.set({ onCall: () => ({ content: [{ type: 'image', data: '!' }] }) });
    await take();
    server.set({ status: { 'tools/call': 500 } });
    await take();
    server.set({ status: {}, onCall: () => new Promise(() => {}) });
    await take();
    server.set({ onCall: () => rpcError(-32602, 'no'), tools: [tool(`${name}2`)] });
    await take();
    await take();
    await toolset.close();
    await take();
    expect(errors.map(({ code }) => code)).toEqual([
      'protocol',
      'invalid-arguments',
      'aborted',
      'protocol',
      'protocol',
      'outcome-unknown',
      'timeout',
      'withdrawn',
      'unknown-tool',
      'closed',
    ]);
    for (const { message, tool: raw } of errors) {
      expect(message).not.toMatch(CONTROL);
      expect(raw).toBe(name);
    }
  });

  it('R7 are bounded in every message', async () => {
    const long = 'n'.repeat(1_024);
    const server = await kit.raw({ tools: [tool(long)], onCall: () => rpcError(-32602, 'x'.repeat(9_000)) });
    const toolset = await kit.wire([http('s', server)]);
    const [held] = Object.values(toolset.tools);
    const refused = (await rejection(held!.execute({}))) as McpError;
    server.set({ tools: [tool(`${long.slice(1)}m`)] });
    await toolset.refresh();
    const gone = (await rejection(held!.execute({}))) as McpError;
    for (const { message } of [refused, gone]) expect(message.length).toBeLessThan(SERVER_TEXT_MAX + 2_000);
  });
});
