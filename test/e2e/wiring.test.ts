import { describe, expect, it } from 'vitest';
import { McpConnectError, type McpServerSource, mcpTools } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import { namesOf } from './rig.js';
import { callText, createKit, custom, fakeTransport, http, rejection, tool, within } from './wiring-kit.js';

const kit = createKit();

/** A port that nothing listens on. */
const nowhere = (name: string) => ({ name, type: 'http', url: 'http://127.0.0.1:1/mcp' }) as const;

describe('servers side by side', () => {
  it('W1 connects ten servers at once and lists each', async () => {
    const servers = await Promise.all(
      Array.from({ length: 10 }, () => kit.raw({ era: 'modern', latencyMs: 150, tools: [tool('a')] })),
    );
    const toolset = await kit.wire(servers.map((server, index) => http(`s${index}`, server)));
    expect(namesOf(toolset.tools)).toEqual(servers.map((_, index) => `s${index}__a`));
    // Every server had its first request before any of them had sent its first answer.
    const firstAnswer = Math.min(...servers.map(({ requests }) => requests[0]!.closedAt!));
    for (const { requests } of servers) expect(requests[0]!.at).toBeLessThanOrEqual(firstAnswer);
  });

  it('W1 waits for the slowest server, and its siblings are done by then', async () => {
    const slow = await kit.raw({ era: 'modern', latencyMs: 400 });
    const quick = await kit.raw({ era: 'modern' });
    const toolset = await kit.wire([http('slow', slow), http('quick', quick)]);
    expect(namesOf(toolset.tools)).toEqual(['slow__a', 'quick__a']);
    const quickDone = quick.find('tools/list')!.closedAt!;
    expect(quickDone).toBeLessThan(slow.find('tools/list')!.at);
  });

  it('W1 asks function sources at once', async () => {
    const server = await kit.raw();
    let asked = 0;
    let release: () => void = () => {};
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    const source = (name: string) => async () => {
      asked += 1;
      if (asked === 3) release();
      // None of them goes on before all were asked.
      await all;
      return http(name, server);
    };
    const toolset = await kit.wire([source('x'), source('y'), source('z')]);
    expect(toolset.servers.map(({ name, state }) => [name, state])).toEqual([
      ['x', 'ready'],
      ['y', 'ready'],
      ['z', 'ready'],
    ]);
  });
});

describe('a server that fails', () => {
  it('W2 O1 leaves the others serving, says why, and is reported once', async () => {
    const good = await kit.raw();
    const refusing = await kit.raw({ status: { 'server/discover': 401, initialize: 401 } });
    const toolset = await kit.wire([http('refusing', refusing), http('good', good), nowhere('gone')]);
    expect(namesOf(toolset.tools)).toEqual(['good__a']);
    expect(await callText(toolset, 'good__a', { q: 'x' })).toBe('{"q":"x"}');
    expect(toolset.servers).toMatchObject([
      { name: 'refusing', state: 'failed', tools: { active: 0 }, error: { code: 'unauthorized', server: 'refusing' } },
      { name: 'good', state: 'ready', tools: { active: 1 } },
      { name: 'gone', state: 'failed', error: { code: 'connect-failed', server: 'gone' } },
    ]);
    expect(kit.diagnostics.map(({ code, server, data }) => [code, server, data])).toEqual([
      ['server-failed', 'refusing', { errorCode: 'unauthorized', required: false }],
      ['server-failed', 'gone', { errorCode: 'connect-failed', required: false }],
    ]);
    expect(toolset.inspect().servers[2]!.error).toEqual({
      name: 'McpConnectError',
      code: 'connect-failed',
      message: toolset.servers[2]!.error!.message,
    });
  });

  it.each([
    ['required', (bad: McpServerSource) => [{ ...(bad as object), required: true } as McpServerSource, {}] as const],
    ['onServerError', (bad: McpServerSource) => [bad, { onServerError: 'throw' }] as const],
  ])('W2 rejects with `%s`, after closing what it opened', async (_, make) => {
    const legacy = await kit.raw({ era: 'legacy', keepAlive: false });
    const sse = await kit.sse();
    const transport = fakeTransport();
    const [bad, options] = make(nowhere('bad'));
    const error = await rejection(
      mcpTools(
        [http('legacy', legacy), { name: 'sse', type: 'sse', url: sse.url }, custom('mine', () => transport), bad],
        { onDiagnostic: kit.listen, ...options },
      ),
    );
    expect(error).toMatchObject({ code: 'connect-failed', server: 'bad' });
    // Already, and not some time later: the session is ended and the transport closed when the call rejects.
    expect(legacy.count('DELETE')).toBe(1);
    expect(legacy.sessions.size).toBe(0);
    expect(transport.closes).toBe(1);
    await until(() => sse.openStreams() === 0);
    await until(() => legacy.openSockets() === 0);
    expect(kit.diagnostics.map(({ code, server }) => [code, server])).toEqual([['server-failed', 'bad']]);
  });

  it('W2 a required server whose list is cut short rejects too', async () => {
    const server = await kit.raw({ pages: (cursor) => ({ tools: [], nextCursor: `${cursor ?? ''}x` }) });
    const wiring = mcpTools([{ ...http('cut', server), required: true }], {
      limits: { listPages: 3 },
      onDiagnostic: kit.listen,
    });
    expect(await rejection(wiring)).toMatchObject({ code: 'limit', limit: 'listPages', max: 3, server: 'cut' });
  });

  it('W2 an answer with an error of its own is not called an unsupported protocol', async () => {
    const toolset = await kit.wire([
      custom('broken', () =>
        fakeTransport({
          answer: (method) =>
            method === 'initialize'
              ? { error: { code: -32603, message: 'database down' } }
              : { error: { code: -32601, message: 'no' } },
        }),
      ),
    ]);
    expect(toolset.servers[0]!.error).toMatchObject({ code: 'protocol', rpcCode: -32603, server: 'broken' });
    expect(toolset.servers[0]!.error!.message).toContain('database down');
  });
});

describe('function sources', () => {
  it('W2 one that throws or hangs is reported by its place, and its siblings serve', async () => {
    const server = await kit.raw();
    const canary = 'canary-7f3a';
    const toolset = await kit.wire(
      [
        () => {
          throw new Error(`vault said ${canary}`);
        },
        async () => Promise.reject(new Error(canary)),
        () => new Promise<never>(() => {}),
        () => http('good', server),
      ],
      { connectTimeoutMs: 300 },
    );
    expect(toolset.servers).toMatchObject([
      { name: 'servers[0]', state: 'failed', error: { code: 'connect-failed' } },
      { name: 'servers[1]', state: 'failed', error: { code: 'connect-failed' } },
      { name: 'servers[2]', state: 'failed', error: { code: 'timeout' } },
      { name: 'good', state: 'ready' },
    ]);
    expect(new Set(toolset.servers.map(({ identity }) => identity)).size).toBe(4);
    expect(namesOf(toolset.tools)).toEqual(['good__a']);
    expect(kit.diagnostics.map(({ code, server: name }) => [code, name])).toEqual([
      ['server-failed', 'servers[0]'],
      ['server-failed', 'servers[1]'],
      ['server-failed', 'servers[2]'],
    ]);
    expect(JSON.stringify(toolset.inspect())).not.toContain(canary);
  });

  it('W2 rejects for one that throws with `onServerError: throw`', async () => {
    const failing = () => {
      throw new Error('no');
    };
    const wiring = mcpTools([failing], { onServerError: 'throw', onDiagnostic: kit.listen });
    expect(await rejection(wiring)).toBeInstanceOf(McpConnectError);
  });

  it('W3 one that describes no valid server rejects before anything is connected, and its siblings are told', async () => {
    const server = await kit.raw();
    const signals: AbortSignal[] = [];
    const invalid = () => ({ name: 'bad', type: 'http', url: 'not a url' }) as const;
    const waiting = ({ signal }: { signal?: AbortSignal }) => {
      signals.push(signal!);
      return new Promise<never>(() => {});
    };
    const wiring = mcpTools([http('good', server), waiting, invalid], { onDiagnostic: kit.listen });
    expect(await within(5_000, rejection(wiring))).toMatchObject({ code: 'config' });
    expect(signals[0]!.aborted).toBe(true);
    expect(server.requests).toEqual([]);
  });

  it('W2 each is asked once, with the session and a signal', async () => {
    const server = await kit.raw();
    const seen: unknown[] = [];
    const session = { id: 'alice' };
    const toolset = await kit.wire(
      [
        (context) => {
          seen.push(context);
          return http('s', server);
        },
      ],
      { session },
    );
    await toolset.refresh();
    expect(seen).toEqual([{ session, signal: expect.any(AbortSignal) }]);
    expect((seen[0] as { session: unknown }).session).toBe(session);
  });
});

describe('custom servers', () => {
  it('W2 connect gets the session and a signal, once for each connection', async () => {
    const session = { id: 'bob' };
    const contexts: unknown[] = [];
    const transports: ReturnType<typeof fakeTransport>[] = [];
    const server = custom('mine', (context) => {
      contexts.push(context);
      transports.push(fakeTransport());
      return transports.at(-1)!;
    });
    const toolset = await kit.wire([server], { session });
    expect(await callText(toolset, 'mine__a', { q: 1 })).toBe('{"q":1}');
    expect(contexts).toEqual([{ session, signal: expect.any(AbortSignal) }]);
    // A transport that ended is made anew at the next call.
    transports[0]!.onclose?.();
    expect(await callText(toolset, 'mine__a', { q: 2 })).toBe('{"q":2}');
    expect(contexts).toHaveLength(2);
    await toolset.close();
    expect(transports[1]!.closes).toBe(1);
  });

  const nonsense: readonly [string, () => unknown, string][] = [
    ['throws', () => Promise.reject(new Error('secret-91')), 'connect-failed'],
    [
      'throws what is no error',
      () => {
        throw 'secret-91';
      },
      'connect-failed',
    ],
    ['hangs', () => new Promise(() => {}), 'timeout'],
    ['returns nothing', () => undefined, 'config'],
    ['returns null', () => null, 'config'],
    ['returns a text', () => 'transport', 'config'],
    ['returns half a transport', () => ({ start() {}, send() {} }), 'config'],
    [
      'returns one that does not start',
      () => fakeTransport({ start: () => Promise.reject(new Error('secret-91')) }),
      'connect-failed',
    ],
    ['returns one that never starts', () => fakeTransport({ start: () => new Promise(() => {}) }), 'timeout'],
    ['returns one that never answers', () => fakeTransport({ answer: () => undefined }), 'timeout'],
    [
      'returns one that throws at once from everything',
      () => ({
        start() {
          throw new Error('secret-91');
        },
        send() {
          throw new Error('secret-91');
        },
        close() {
          throw new Error('secret-91');
        },
      }),
      'connect-failed',
    ],
    [
      'returns one whose close returns nothing',
      () => ({ start: async () => Promise.reject(new Error('secret-91')), send: async () => {}, close() {} }),
      'connect-failed',
    ],
  ];

  it.each(nonsense)('W2 one whose connect %s fails alone', async (_, connect, code) => {
    const good = await kit.raw();
    const toolset = await kit.wire([custom('bad', connect as never), http('good', good)], { connectTimeoutMs: 300 });
    expect(toolset.servers).toMatchObject([
      { name: 'bad', state: 'failed', error: { code } },
      { name: 'good', state: 'ready' },
    ]);
    expect(toolset.servers[0]!.error!.message).not.toContain('secret-91');
    expect(kit.diagnostics).toHaveLength(1);
    await within(5_000, toolset.close());
  });

  it('W2 a connect that opens after its time is closed all the same', async () => {
    const late = fakeTransport();
    const slow = custom('late', async () => {
      await sleep(400);
      return late;
    });
    const toolset = await kit.wire([slow], { connectTimeoutMs: 100 });
    expect(toolset.servers[0]).toMatchObject({ state: 'failed', error: { code: 'timeout' } });
    await until(() => late.closes > 0);
    expect(late.sent).toEqual([]);
  });
});

it('an empty list of servers is a toolset without tools', async () => {
  const toolset = await kit.wire([]);
  expect(namesOf(toolset.tools)).toEqual([]);
  expect(toolset.servers).toEqual([]);
  await toolset.close();
});
