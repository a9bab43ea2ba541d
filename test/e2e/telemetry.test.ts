import { describe, expect, it, vi } from 'vitest';
import type { McpError, McpToolset, Telemetry } from '../../src/index.js';
import { mcpTools } from '../../src/index.js';
import { type RawServerOptions, rpcError } from '../support/raw-server.js';
import { namesOf } from './rig.js';
import { checkDiagnostic, createKit, custom, fakeTransport, http, rejection, tool } from './wiring-kit.js';

const kit = createKit();

interface Span {
  kind: string;
  attributes: Record<string, unknown>;
  ends: (McpError | undefined)[];
}
type Call = Parameters<NonNullable<Telemetry['onCall']>>[0];

function recorder() {
  const spans: Span[] = [];
  const calls: Call[] = [];
  const telemetry: Telemetry = {
    start(kind, attributes) {
      const span: Span = { kind, attributes: { ...attributes }, ends: [] };
      spans.push(span);
      return {
        set: (more) => void Object.assign(span.attributes, more),
        end: (error) => void span.ends.push(error),
      };
    },
    onCall: (call) => void calls.push(call),
  };
  return { telemetry, spans, calls, of: (kind: string) => spans.filter((span) => span.kind === kind) };
}

const failing = {
  tools: [tool('a'), tool('bad'), tool('rpc')],
  onCall: ({ name }: Record<string, unknown>, ctx: { fail(code: number, message: string): void }) => {
    if (name === 'bad') return { content: [{ type: 'text', text: 'no' }], isError: true };
    if (name === 'rpc') ctx.fail(-32050, 'broken');
    return { content: [] };
  },
};

describe('spans', () => {
  it('O3 follow a toolset from its connect to its close, each ended once', async () => {
    const server = await kit.raw({ era: 'modern', ...failing });
    const { telemetry, spans, of } = recorder();
    const toolset = await kit.wire([http('s', server)], { telemetry });
    await toolset.tools.s__a!.execute({});
    const error = await rejection(toolset.tools.s__bad!.execute({}));
    await toolset.close();
    await toolset.close();
    expect(spans.map(({ kind }) => kind)).toEqual(['discover', 'connect', 'call', 'call', 'close']);
    expect(of('connect')[0]).toMatchObject({
      attributes: { server: 's', era: 'modern', protocolVersion: '2026-07-28' },
      ends: [undefined],
    });
    expect(of('discover')[0]).toMatchObject({ attributes: { server: 's', tools: 3, pages: 1 }, ends: [undefined] });
    expect(of('call')[0]).toEqual({
      kind: 'call',
      attributes: { server: 's', tool: 'a', toolName: 's__a' },
      ends: [undefined],
    });
    expect(of('call')[1]!.ends).toEqual([error]);
    expect(of('close')[0]!.ends).toEqual([undefined]);
  });

  it('O3 end with the error of what failed', async () => {
    const { telemetry, of } = recorder();
    const toolset = await kit.wire([{ name: 'gone', type: 'http', url: 'http://127.0.0.1:1/' }], { telemetry });
    const { error } = toolset.servers[0]!;
    expect(error).toBeDefined();
    expect(of('connect').map(({ ends }) => ends)).toEqual([[error]]);
    expect(of('discover').map(({ ends }) => ends)).toEqual([[error]]);
  });

  it('O3 tell nothing of arguments, results and headers', async () => {
    const canary = 'canary-3c';
    const server = await kit.raw();
    const { telemetry, spans, calls } = recorder();
    const config = { ...http('s', server), url: `${server.url}?key=${canary}`, headers: { authorization: canary } };
    const toolset = await kit.wire([config], { telemetry });
    await toolset.tools.s__a!.execute({ q: canary });
    await toolset.close();
    expect(calls).toHaveLength(1);
    expect(JSON.stringify([spans, calls])).not.toContain(canary);
  });
});

describe('onCall', () => {
  it('O3 hears of each call how it came out', async () => {
    const server = await kit.raw({ era: 'modern', ...failing });
    const { telemetry, calls } = recorder();
    const toolset = await kit.wire([http('s', server)], { telemetry });
    const { s__a: a, s__bad: bad, s__rpc: rpc } = toolset.tools;
    await a!.execute({});
    await rejection(bad!.execute({}));
    await rejection(rpc!.execute({}));
    await rejection(a!.execute([]));
    await rejection(a!.execute({}, { abortSignal: AbortSignal.abort() }));
    server.set({ tools: [] });
    await toolset.refresh();
    await rejection(a!.execute({}));
    await toolset.close();
    await rejection(a!.execute({}));
    expect(calls.map(({ toolName, outcome }) => [toolName, outcome])).toEqual([
      ['s__a', 'ok'],
      ['s__bad', 'tool-error'],
      ['s__rpc', 'failed'],
      ['s__a', 'refused'],
      ['s__a', 'refused'],
      ['s__a', 'refused'],
      ['s__a', 'refused'],
    ]);
    for (const { server: name, durationMs } of calls) {
      expect(name).toBe('s');
      expect(durationMs).toBeGreaterThanOrEqual(0);
    }
    expect(server.count('tools/call')).toBe(3);
  });
});

describe('what a call came to', () => {
  type Raw = Awaited<ReturnType<typeof kit.raw>>;
  type Execute = (args?: unknown, options?: { abortSignal?: AbortSignal }) => Promise<unknown>;
  interface Case {
    readonly code: string;
    readonly outcome: Call['outcome'];
    /** Ends in the call that counts. */
    run(given: { server: Raw; toolset: McpToolset; execute: Execute }): Promise<unknown>;
  }
  const lose = (server: Raw, status: NonNullable<RawServerOptions['status']>) => {
    server.expireSessions();
    server.set({ status });
  };
  const ignore = (work: Promise<unknown>) => work.catch(() => {});
  const private_ = { status: 307, headers: { location: 'http://10.0.0.1/mcp' } };
  const cases: Readonly<Record<string, Case>> = {
    'a closed toolset': {
      code: 'closed',
      outcome: 'refused',
      async run({ toolset, execute }) {
        await toolset.close();
        return execute();
      },
    },
    'a tool that is gone': {
      code: 'unknown-tool',
      outcome: 'refused',
      async run({ server, toolset, execute }) {
        server.set({ tools: [] });
        await toolset.refresh();
        return execute();
      },
    },
    'a tool that is quarantined': {
      code: 'quarantined',
      outcome: 'refused',
      async run({ server, toolset, execute }) {
        server.set({ tools: [{ name: 'a' }] });
        await toolset.refresh();
        return execute();
      },
    },
    'bad arguments': { code: 'invalid-arguments', outcome: 'refused', run: ({ execute }) => execute([]) },
    'a signal that is aborted already': {
      code: 'aborted',
      outcome: 'refused',
      run: ({ execute }) => execute({}, { abortSignal: AbortSignal.abort() }),
    },
    'a connect that fails': {
      code: 'connect-failed',
      outcome: 'refused',
      async run({ server, execute }) {
        lose(server, { initialize: 500 });
        // The first finds the session gone; from then on nothing can be sent.
        await ignore(execute());
        return execute();
      },
    },
    'a connect that the guard refuses': {
      code: 'host-denied',
      outcome: 'refused',
      async run({ server, execute }) {
        lose(server, { initialize: private_ });
        // The first finds the session gone; from then on nothing can be sent.
        await ignore(execute());
        return execute();
      },
    },
    'a connect that is refused for its credentials': {
      code: 'unauthorized',
      outcome: 'refused',
      async run({ server, execute }) {
        lose(server, { initialize: 401 });
        await ignore(execute());
        return execute();
      },
    },
    'a deadline while it connects': {
      code: 'timeout',
      outcome: 'refused',
      async run({ server, execute }) {
        lose(server, {});
        server.set({ latencyMs: (method) => (method === 'initialize' ? 60_000 : 0) });
        await ignore(execute());
        return execute();
      },
    },
    'an open breaker': {
      code: 'breaker-open',
      outcome: 'refused',
      async run({ server, execute }) {
        const { now } = Date;
        let ahead = 0;
        const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
        lose(server, { initialize: 500 });
        for (let failed = 0; failed < 5; failed++) {
          await ignore(execute());
          ahead += 2_000;
        }
        try {
          return await execute();
        } finally {
          spy.mockRestore();
        }
      },
    },
    'a tool that fails': {
      code: 'tool-error',
      outcome: 'tool-error',
      run({ server, execute }) {
        server.set({ onCall: () => ({ isError: true, content: [] }) });
        return execute();
      },
    },
    'a protocol error': {
      code: 'protocol',
      outcome: 'failed',
      run({ server, execute }) {
        server.set({ onCall: () => rpcError(-32050, 'no') });
        return execute();
      },
    },
    'a withdrawn tool': {
      code: 'withdrawn',
      outcome: 'failed',
      run({ server, execute }) {
        server.set({ tools: [], onCall: () => rpcError(-32602, 'no') });
        return execute();
      },
    },
    'an unknown outcome': {
      code: 'outcome-unknown',
      outcome: 'failed',
      run({ server, execute }) {
        server.set({ status: { 'tools/call': 500 } });
        return execute();
      },
    },
    'an answer that is no result': {
      code: 'protocol',
      outcome: 'failed',
      run({ server, execute }) {
        server.set({ onCall: () => ({ content: 5 }) });
        return execute();
      },
    },
    'an abort after it was sent': {
      code: 'aborted',
      outcome: 'failed',
      async run({ server, execute }) {
        server.set({ onCall: () => new Promise(() => {}) });
        const abort = new AbortController();
        const work = execute({}, { abortSignal: abort.signal });
        work.catch(() => {});
        await vi.waitFor(() => expect(server.count('tools/call')).toBe(1), { timeout: 10_000 });
        abort.abort();
        return work;
      },
    },
    'a deadline after it was sent': {
      code: 'timeout',
      outcome: 'failed',
      run({ server, execute }) {
        server.set({ onCall: () => new Promise(() => {}) });
        return execute();
      },
    },
  };

  it.each(Object.entries(cases))('O3 %s', async (_, { code, outcome, run }) => {
    const server = await kit.raw({ era: 'legacy' });
    const { telemetry, calls, of } = recorder();
    const timeoutMs = code === 'timeout' ? 200 : 10_000;
    const config = { ...http('s', server), redirect: 'follow', timeoutMs } as const;
    const toolset = await kit.wire([config], { telemetry });
    const { s__a: a } = toolset.tools;
    const error = await rejection(run({ server, toolset, execute: (args = {}, rest) => a!.execute(args, rest) }));
    expect(error).toMatchObject({ code });
    expect(calls.at(-1)).toEqual({ toolName: 's__a', server: 's', durationMs: expect.any(Number), outcome });
    expect(calls.at(-1)!.durationMs).toBeGreaterThanOrEqual(0);
    expect(of('call').at(-1)!.ends).toEqual([error]);
    expect(calls).toHaveLength(of('call').length);
  });
});

it('O3 a reconnect has its connect span, and only what happened has one', async () => {
  const server = await kit.raw({ era: 'legacy' });
  const { telemetry, spans, of } = recorder();
  const toolset = await kit.wire([http('s', server)], { telemetry });
  server.expireSessions();
  await toolset.tools.s__a!.execute({});
  await toolset.refresh();
  await toolset.close();
  expect(spans.map(({ kind }) => kind)).toEqual(['discover', 'connect', 'call', 'connect', 'discover', 'close']);
  expect(of('connect').every(({ attributes }) => attributes.server === 's' && attributes.era === 'legacy')).toBe(true);
  for (const { ends } of spans) expect(ends).toEqual([undefined]);
});

it('O3 without telemetry no clock is read for it', async () => {
  const clock = vi.spyOn(performance, 'now');
  try {
    const count = async (options: { telemetry?: Telemetry }) => {
      const toolset = await kit.wire([custom('s', () => fakeTransport())], options);
      clock.mockClear();
      await toolset.tools.s__a!.execute({});
      await rejection(toolset.tools.s__a!.execute([]));
      return clock.mock.calls.length;
    };
    expect(await count({})).toBe(0);
    // The spy sees what is read.
    expect(await count({ telemetry: recorder().telemetry })).toBe(4);
  } finally {
    clock.mockRestore();
  }
});

describe('a telemetry or listener that fails', () => {
  const fail = () => {
    throw new Error('telemetry is down');
  };
  const reject = () => Promise.reject(new Error('telemetry is down'));
  const broken: readonly [string, unknown][] = [
    ['throws from start', { start: fail, onCall: fail }],
    ['gives no span', { start: () => undefined }],
    ['gives a span that throws', { start: () => ({ set: fail, end: fail }), onCall: fail }],
    ['gives half a span', { start: () => ({}) }],
    ['rejects', { start: () => ({ set: reject, end: reject }), onCall: reject }],
    ['is asynchronous where it must not be', { start: reject, onCall: reject }],
  ];

  it.each(broken)('O3 one that %s changes nothing', async (_, telemetry) => {
    const server = await kit.raw({ era: 'legacy', ...failing });
    const toolset = await kit.wire([http('s', server)], { telemetry: telemetry as Telemetry });
    expect(await toolset.tools.s__a!.execute({})).toEqual({ content: [] });
    expect(await rejection(toolset.tools.s__bad!.execute({}))).toMatchObject({ code: 'tool-error' });
    await toolset.close();
    expect(server.sessions.size).toBe(0);
  });

  it.each([
    ['throws', fail],
    ['rejects', reject],
  ])('O1 an onDiagnostic that %s changes nothing', async (_, onDiagnostic) => {
    const server = await kit.raw();
    const gone = { name: 'gone', type: 'http', url: 'http://127.0.0.1:1/' } as const;
    const toolset = kit.keep(await mcpTools([gone, http('s', server)], { onDiagnostic: onDiagnostic as () => void }));
    expect(namesOf(toolset.tools)).toEqual(['s__a']);
    expect(toolset.inspect().diagnostics.map(({ code }) => code)).toEqual(['server-failed']);
  });
});

describe('diagnostics', () => {
  it('O1 hold a code, a level, a message and the documented data, and nothing of a secret', async () => {
    const canary = 'canary-d1';
    const server = await kit.raw({
      tools: [tool('fine'), tool('twice'), tool('twice'), tool('needs.rewriting'), { name: 'broken', inputSchema: 5 }],
    });
    const other = await kit.raw({ pages: (cursor) => ({ tools: [tool(`p${cursor ?? ''}`)], nextCursor: 'again' }) });
    const headers = { authorization: canary };
    const toolset = await kit.wire([
      { ...http('s', server), headers, tools: { allow: ['fine', 'twice', 'needs.rewriting', 'broken', 'missing'] } },
      { ...http('s', other), url: `${other.url}?key=${canary}`, headers },
      { name: 'gone', type: 'http', url: `http://127.0.0.1:1/?key=${canary}`, headers },
    ]);
    expect(new Set(kit.diagnostics.map(({ code }) => code))).toEqual(
      new Set([
        'secret-in-url',
        'server-failed',
        'server-name-collision',
        'name-rewritten',
        'tool-quarantined',
        'duplicate-tool',
        'discovery-truncated',
        'filter-unmatched',
        'secret-in-url',
      ]),
    );
    for (const diagnostic of kit.diagnostics) checkDiagnostic(diagnostic);
    expect(JSON.stringify([kit.diagnostics, toolset.inspect()])).not.toContain(canary);
    expect(toolset.inspect().diagnostics).toEqual(kit.diagnostics);
  });

  it('O1 go to console.warn once each without a listener, with controls escaped', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    try {
      const server = await kit.raw({ tools: [tool('a\u001b[31m'), tool('a\u001b[31m')] });
      const gone = custom('gone', () => fakeTransport({ start: () => Promise.reject(new Error('no')) }));
      const toolset = kit.keep(await mcpTools([http('s', server), gone]));
      await toolset.refresh();
      await toolset.refresh();
      const lines = warn.mock.calls.map((args) => String(args[0]));
      expect(warn.mock.calls.every((args) => args.length === 1)).toBe(true);
      expect(lines.filter((line) => line.startsWith('mcp-toolset [server-failed] '))).toHaveLength(1);
      expect(lines.filter((line) => line.startsWith('mcp-toolset [duplicate-tool] '))).toHaveLength(1);
      expect(new Set(lines).size).toBe(lines.length);
      expect(lines.join('\n')).not.toContain('\u001b');
    } finally {
      warn.mockRestore();
    }
  });
});
