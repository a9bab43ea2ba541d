import { describe, expect, it } from 'vitest';
import type { McpServerSource } from '../../src/index.js';
import { mcpTools } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import { runProgram } from '../support/program.js';
import { timers } from '../support/time.js';
import { createKit, custom, fakeTransport, http, rejection, within } from './wiring-kit.js';

const kit = createKit();
const REASON = new Error('the user left');

/** A signal that knows how many listeners are on it. */
function countedSignal() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners += 1;
    return add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners -= 1;
    return remove(...args);
  };
  return { signal, abort: () => controller.abort(REASON), listeners: () => listeners };
}

interface Stage {
  readonly source: McpServerSource;
  /** The stage is reached. */
  reached(): boolean;
  /** Requests, streams and transports that are not over. */
  open(): number;
}

/** A server that answers everything up to `method` and lets that hang. */
async function hangingAt(method: string, era: 'legacy' | 'modern', bytes = ''): Promise<Stage> {
  const server = await kit.raw({
    era,
    onRequest: (request, response) => {
      if (request.method !== method) return false;
      if (bytes !== '') response.writeHead(200, { 'content-type': 'text/event-stream' }).write(bytes);
      return true;
    },
  });
  return {
    source: { ...http('s', server), protocol: era },
    reached: () => server.count(method) > 0,
    // Node's fetch opens a new idle socket for each one it had to cut, so sockets are not what is counted.
    open: server.pending,
  };
}

const STAGES: Readonly<Record<string, () => Promise<Stage>>> = {
  'a function source hangs': async () => {
    let asked = false;
    const source = () => {
      asked = true;
      return new Promise<never>(() => {});
    };
    return { source, reached: () => asked, open: () => 0 };
  },
  'a custom connect hangs': async () => {
    let asked = false;
    const source = custom('s', () => {
      asked = true;
      return new Promise<never>(() => {});
    });
    return { source, reached: () => asked, open: () => 0 };
  },
  'a custom transport never answers': async () => {
    const transport = fakeTransport({ answer: () => undefined });
    const source = custom('s', () => transport);
    // What is not closed counts as open.
    return { source, reached: () => transport.sent.length > 0, open: () => (transport.closes > 0 ? 0 : 1) };
  },
  'server/discover hangs': () => hangingAt('server/discover', 'modern'),
  'initialize hangs': () => hangingAt('initialize', 'legacy'),
  'initialize hangs in its stream': () => hangingAt('initialize', 'legacy', ': still thinking\n\n'),
  'notifications/initialized hangs': () => hangingAt('notifications/initialized', 'legacy'),
  'tools/list hangs (legacy)': () => hangingAt('tools/list', 'legacy'),
  'tools/list hangs (modern)': () => hangingAt('tools/list', 'modern'),
  'tools/list hangs in its stream': () => hangingAt('tools/list', 'modern', ': still thinking\n\n'),
  'SSE never names its endpoint': async () => {
    const server = await kit.sse({ silent: true });
    const source = { name: 's', type: 'sse', url: server.url } as const;
    return { source, reached: () => server.openStreams() === 1, open: server.openStreams };
  },
  'SSE never answers': async () => {
    const server = await kit.sse({
      onRequest: ({ method }, response) => method === 'initialize' && Boolean(response.writeHead(202).end()),
    });
    const source = { name: 's', type: 'sse', url: server.url } as const;
    return { source, reached: () => server.count('initialize') === 1, open: server.openStreams };
  },
};

describe('an abort of the wiring', () => {
  it.each(Object.entries(STAGES))('W6 while %s ends everything at once', async (_, make) => {
    const { source, reached, open } = await make();
    // The package behind it is loaded once and for all, with whatever it keeps.
    await import('@modelcontextprotocol/client');
    const before = timers();
    const { signal, abort, listeners } = countedSignal();
    const wiring = rejection(mcpTools([source], { signal, onDiagnostic: kit.listen }));
    await until(reached);
    expect(listeners()).toBeGreaterThan(0);
    abort();
    const error = await within(3_000, wiring);
    expect(error).toMatchObject({ name: 'McpAbortError', code: 'aborted' });
    expect((error as { reason: unknown }).reason).toBe(REASON);
    expect(listeners()).toBe(0);
    await until(() => open() === 0);
    await until(() => timers() <= before);
    // An abort is the caller's own doing and no fault of a server.
    expect(kit.diagnostics).toEqual([]);
  });

  it('W6 beforehand asks nobody and opens nothing', async () => {
    const server = await kit.raw();
    const touched: string[] = [];
    const source = () => {
      touched.push('source');
      return http('f', server);
    };
    const connect = () => {
      touched.push('connect');
      return fakeTransport();
    };
    const wiring = mcpTools([http('s', server), source, custom('c', connect)], { signal: AbortSignal.abort(REASON) });
    const error = await rejection(wiring);
    expect(error).toMatchObject({ code: 'aborted' });
    expect((error as { reason: unknown }).reason).toBe(REASON);
    await sleep(20);
    expect(touched).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('W6 closes a transport that opens after it', async () => {
    const late = fakeTransport();
    let told: AbortSignal | undefined;
    let open: (transport: typeof late) => void = () => {};
    const source = custom('late', ({ signal }) => {
      told = signal;
      return new Promise((resolve) => {
        open = resolve;
      });
    });
    const { signal, abort } = countedSignal();
    const wiring = rejection(mcpTools([source], { signal }));
    await until(() => told !== undefined);
    abort();
    await within(3_000, wiring);
    expect(told!.aborted).toBe(true);
    open(late);
    await until(() => late.closes > 0);
    expect(late.sent).toEqual([]);
  });

  it('W6 ends the session of a server that had connected, and closes the others', async () => {
    const done = await kit.raw({ era: 'legacy' });
    const transport = fakeTransport();
    const stage = await hangingAt('tools/list', 'legacy');
    const { signal, abort } = countedSignal();
    const wiring = rejection(
      mcpTools([{ ...http('done', done), protocol: 'legacy' }, custom('c', () => transport), stage.source], { signal }),
    );
    await until(() => stage.reached() && done.count('tools/list') === 1);
    abort();
    await within(3_000, wiring);
    expect(done.sessions.size).toBe(0);
    expect(transport.closes).toBe(1);
    await until(() => done.pending() + stage.open() === 0);
  });

  it('W6 after the wiring does nothing, and no listener was left for it', async () => {
    const server = await kit.raw();
    const { signal, abort, listeners } = countedSignal();
    const toolset = await kit.wire([http('s', server)], { signal });
    expect(listeners()).toBe(0);
    abort();
    await toolset.tools.s__a!.execute({});
    expect(toolset.servers[0]).toMatchObject({ state: 'ready' });
  });
});

describe('the process', () => {
  it('W6 ends after an abort while requests hang, although the timeouts are far away', async () => {
    const modern = await hangingAt('server/discover', 'modern');
    const legacy = await hangingAt('tools/list', 'legacy');
    const sources = JSON.stringify([modern.source, { ...(legacy.source as object), name: 'l' }]);
    const text = await runProgram(`
      const hanging = { name: 'c', type: 'custom', connect: () => new Promise(() => {}) };
      const options = { signal: AbortSignal.timeout(500), connectTimeoutMs: 60_000, timeoutMs: 60_000 };
      try { await mcpTools([...${sources}, hanging], options); } catch (error) { console.log(error.code); }
    `);
    expect(text).toBe('aborted');
  });

  it('W6 ends after a close, and after a server failed', async () => {
    const server = await kit.raw({ era: 'legacy', format: 'sse' });
    const text = await runProgram(`
      const options = { onDiagnostic: ({ code }) => console.log(code), connectTimeoutMs: 60_000 };
      const toolset = await mcpTools([
        { name: 's', type: 'http', url: '${server.url}' },
        { name: 'gone', type: 'http', url: 'http://127.0.0.1:1/' },
      ], options);
      await toolset.tools.s__a.execute({});
      await toolset.close();
      console.log('closed');
    `);
    expect(text.split('\n')).toEqual(['server-failed', 'closed']);
  });
});
