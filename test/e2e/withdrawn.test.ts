import { afterEach, describe, expect, it, vi } from 'vitest';
import { McpToolUnavailableError, McpToolWithdrawnError } from '../../src/index.js';
import { type RawServer, type RawServerOptions, rpcError } from '../support/raw-server.js';
import { namesOf } from './rig.js';
import { createKit, http, rejection, tool } from './wiring-kit.js';

const kit = createKit();
afterEach(() => void vi.restoreAllMocks());

/** A server that answers a tool that it does not have as the specification says. */
async function serve(names: readonly string[], options: RawServerOptions = {}) {
  let present = names;
  let listings = 0;
  const server: RawServer = await kit.raw({
    pages: () => {
      listings += 1;
      return { tools: present.map(tool) };
    },
    onCall: ({ name }) => {
      if (present.includes(String(name))) return { content: [{ type: 'text', text: `ran ${name}` }] };
      return rpcError(-32602, `Unknown tool: ${name}`);
    },
    ...options,
  });
  return {
    server,
    listings: () => listings,
    withdraw(...gone: string[]) {
      present = present.filter((name) => !gone.includes(name));
    },
  };
}

describe.each(['legacy', 'modern'] as const)('%s', (era) => {
  it('S8 a tool that was withdrawn without notice: the error says so with the closest names, and the map is right', async () => {
    const { server, withdraw, listings } = await serve(['search', 'searches', 'other'], { era });
    const onToolsChanged = vi.fn();
    const toolset = await kit.wire([http('s', server)], { onToolsChanged });
    const { s__search: held } = toolset.tools;
    withdraw('search');
    const error = await rejection(held!.execute({ q: 'x' }));
    expect(error).toBeInstanceOf(McpToolWithdrawnError);
    expect(error).toBeInstanceOf(McpToolUnavailableError);
    expect(error).toMatchObject({
      code: 'withdrawn',
      server: 's',
      tool: 'search',
      message: 'Server `s` no longer has `search`. Did you mean `s__searches`?',
    });
    expect((error as Error).cause).toMatchObject({ code: 'protocol', rpcCode: -32602 });
    expect(namesOf(toolset.tools)).toEqual(['s__other', 's__searches']);
    expect(onToolsChanged.mock.calls).toMatchObject([[{ added: [], removed: ['s__search'] }]]);
    expect(server.count('tools/call')).toBe(1);
    expect(listings()).toBe(2);
    // From now on the refusal is local.
    expect(await rejection(held!.execute({}))).toMatchObject({ code: 'unknown-tool' });
    expect(server.count('tools/call')).toBe(1);
    await expect(toolset.tools.s__other!.execute({})).resolves.toMatchObject({ content: [{ text: 'ran other' }] });
  });

  it('S8 -32602 for a tool that is still there stays what it is, and causes one listing in 10 s', async () => {
    const { server, listings } = await serve(['a', 'b'], { era, onCall: () => rpcError(-32602, 'Bad argument: q') });
    const toolset = await kit.wire([http('s', server)]);
    const { s__a: a, s__b: b } = toolset.tools;
    for (const each of [a, b, a, a]) {
      expect(await rejection(each!.execute({}))).toMatchObject({
        code: 'protocol',
        rpcCode: -32602,
        message: expect.stringContaining('Bad argument: q'),
      });
    }
    expect(listings()).toBe(2);
    const { now } = Date;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + 10_001);
    await rejection(a!.execute({}));
    expect(listings()).toBe(3);
    expect(server.count('tools/call')).toBe(5);
  });

  it('S8 twenty calls of a withdrawn tool at once are all told so, by one listing', async () => {
    const { server, withdraw, listings } = await serve(['a', 'b'], { era, latencyMs: 30 });
    const toolset = await kit.wire([http('s', server)]);
    withdraw('a');
    const { s__a: a } = toolset.tools;
    const errors = await Promise.all(Array.from({ length: 20 }, () => rejection(a!.execute({}))));
    expect(new Set(errors.map((error) => (error as { code: string }).code))).toEqual(new Set(['withdrawn']));
    expect(listings()).toBe(2);
  });
});

it.each([
  ['fails', { status: { 'tools/list': { status: 500 } } }],
  ['is refused', { status: { 'tools/list': { status: 200, error: { code: -32603, message: 'no' } } } }],
])(
  'S8 a listing that %s leaves the original error and the tools, and is not repeated for each call',
  async (_, broken) => {
    const { server, withdraw } = await serve(['a', 'b'], { era: 'modern' });
    const toolset = await kit.wire([http('s', server)]);
    withdraw('a');
    server.set(broken);
    server.reset();
    for (let call = 0; call < 5; call++) {
      expect(await rejection(toolset.tools.s__a!.execute({}))).toMatchObject({
        name: 'McpProtocolError',
        code: 'protocol',
        rpcCode: -32602,
      });
    }
    expect(namesOf(toolset.tools)).toEqual(['s__a', 's__b']);
    expect(server.count('tools/call')).toBe(5);
    expect(server.count('tools/list')).toBe(1);
  },
);

it('S8 C2 an abort and a close during the listing are what they are; a late listing leaves the answer that came', async () => {
  const hangs = { latencyMs: (method: string) => (method === 'tools/list' ? 60_000 : 0) };
  const reason = new Error('mine');
  for (const end of ['aborted', 'timeout', 'closed'] as const) {
    const { server, withdraw } = await serve(['a'], { era: 'modern' });
    const toolset = await kit.wire([{ ...http('s', server), timeoutMs: end === 'timeout' ? 500 : 20_000 }]);
    withdraw('a');
    server.set(hangs);
    const abort = new AbortController();
    const failed = rejection(toolset.tools.s__a!.execute({}, { abortSignal: abort.signal }));
    await vi.waitFor(() => expect(server.count('tools/list')).toBe(2), { timeout: 10_000 });
    if (end === 'aborted') abort.abort(reason);
    if (end === 'closed') await toolset.close();
    const expected = { aborted: { code: end, reason }, closed: { code: end }, timeout: { rpcCode: -32602 } };
    expect(await failed).toMatchObject(expected[end]);
  }
});

it('S8 a tool that is quarantined now is no withdrawn tool', async () => {
  const { server } = await serve(['a']);
  const toolset = await kit.wire([http('s', server)]);
  server.set({ pages: [[{ name: 'a' }]], onCall: () => rpcError(-32602, 'Unknown tool: a') });
  const { s__a: a } = toolset.tools;
  expect(await rejection(a!.execute({}))).toMatchObject({ code: 'protocol', rpcCode: -32602 });
  expect(await rejection(a!.execute({}))).toMatchObject({ code: 'quarantined' });
});

it('S8 over HTTP+SSE and with -32601 alike', async () => {
  const server = await kit.sse({
    tools: [tool('a'), tool('b')],
    onCall: ({ name }) => rpcError(-32601, `No such tool: ${name}`),
  });
  const toolset = await kit.wire([{ name: 's', type: 'sse', url: server.url }]);
  server.set({ tools: [tool('b')] });
  expect(await rejection(toolset.tools.s__a!.execute({}))).toMatchObject({ code: 'withdrawn', tool: 'a' });
  expect(namesOf(toolset.tools)).toEqual(['s__b']);
});
