import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpServer, McpOptions } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import { HANDLED, type RawServer, type RawServerOptions, startRawServer } from '../support/raw-server.js';
import type { Answer } from '../support/worker.js';
import { COMPATIBILITY, type RunningWorker, startWorker } from '../support/workerd-serve.js';
import { ERAS, tool } from './rig.js';

const SOURCE = `export { default } from './test/support/worker.js';`;
const KINDS = ['lazy', 'kept'] as const;

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function raw(options: RawServerOptions): Promise<RawServer> {
  const server = await startRawServer({ tools: ['good', 'hang', 'big'].map((name) => tool(name)), onCall, ...options });
  opened.push(server);
  return server;
}

/** `good` answers with its argument after a while, `hang` never, and `big` with 3 MB. */
const onCall: NonNullable<RawServerOptions['onCall']> = async ({ name, arguments: args }) => {
  if (name === 'hang') return HANDLED;
  if (name === 'big') return { content: [{ type: 'text', text: 'x'.repeat(3 * 1024 * 1024) }] };
  await sleep(100);
  return { content: [{ type: 'text', text: JSON.stringify(args) }] };
};

interface Wired {
  readonly compatibility: (typeof COMPATIBILITY)[number];
  readonly server: { readonly url: string };
  readonly config?: Partial<HttpServer>;
  readonly options?: McpOptions;
}

async function deploy({ compatibility, server, config, options }: Wired): Promise<RunningWorker> {
  const described = { name: 'raw', type: 'http', url: server.url, ...config };
  const env = { SERVER: JSON.stringify(described), OPTIONS: JSON.stringify(options ?? {}) };
  const worker = await startWorker({ source: SOURCE, compatibility, env });
  opened.push(worker);
  return worker;
}

async function ask(worker: RunningWorker, path: string, query: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${worker.origin}${path}?${new URLSearchParams(query)}`);
  const text = await response.text();
  // A request that the runtime gave up on is answered with 500 and a page.
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}\n${worker.output()}`);
  return JSON.parse(text) as Answer;
}

/** A client that goes away: the runtime then ends the Worker's request, wherever its code is. */
function askAndLeave(worker: RunningWorker, path: string, query: Record<string, string>): () => void {
  const sent = request(`${worker.origin}${path}?${new URLSearchParams(query)}`);
  sent.on('error', () => {});
  sent.end();
  return () => sent.socket?.resetAndDestroy();
}

const call = (
  worker: RunningWorker,
  kind: string,
  name: string,
  args: object = {},
  rest: Record<string, string> = {},
) => ask(worker, '/call', { kind, tool: `raw__${name}`, args: JSON.stringify(args), ...rest });
const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const callsOf = (server: RawServer, name: string) =>
  server.requests.filter(({ method, params }) => method === 'tools/call' && (params as { name: string }).name === name);
const handshakes = (server: RawServer, era: (typeof ERAS)[number]) =>
  server.count(era === 'legacy' ? 'initialize' : 'server/discover');

const matrix = COMPATIBILITY.flatMap((compatibility) =>
  ERAS.flatMap((era) => (['json', 'sse'] as const).map((format) => ({ ...compatibility, compatibility, era, format }))),
);

describe.each(matrix)('a Worker of $date, a $era server that answers in $format', ({ compatibility, era, format }) => {
  it.each(KINDS)(
    'W9 C2 a %s toolset at module scope serves 50 overlapping requests; two that are aborted end alone',
    async (kind) => {
      const server = await raw({ era, format });
      const worker = await deploy({ compatibility, server });
      expect(await ask(worker, '/platform')).toMatchObject({ value: ['undefined', 'undefined', 'undefined'] });
      expect(await ask(worker, '/names', { kind })).toMatchObject({
        value: ['raw__big', 'raw__good', 'raw__hang', 'mcp__read_result'],
      });

      const aborted = call(worker, kind, 'hang', { who: 'signal' }, { abortMs: '300' });
      const leave = askAndLeave(worker, '/call', { kind, tool: 'raw__hang', args: '{"who":"client"}' });
      const others = Array.from({ length: 48 }, (_, q) => call(worker, kind, 'good', { q: String(q) }));
      await until(() => callsOf(server, 'hang').length === 2, 10_000);
      leave();

      expect((await Promise.all(others)).map(({ value }) => value)).toEqual(
        others.map((_, q) => text({ q: String(q) })),
      );
      expect(await aborted).toMatchObject({ error: { name: 'McpAbortError', code: 'aborted' } });
      await until(() => callsOf(server, 'hang').every(({ closedEarly }) => closedEarly));
      expect(server.requests.filter(({ closedEarly }) => closedEarly)).toHaveLength(2);
      expect(handshakes(server, era)).toBe(1);
      // Long after the request that connected has ended, which was the first.
      expect(await call(worker, kind, 'good', { q: 'late' })).toMatchObject({ value: text({ q: 'late' }) });
      expect(handshakes(server, era)).toBe(1);
      expect(await ask(worker, '/unhandled')).toMatchObject({ value: [] });
    },
  );
});

describe.each(COMPATIBILITY.flatMap((compatibility) => ERAS.map((era) => ({ ...compatibility, compatibility, era }))))(
  'a Worker of $date, a $era server',
  ({ compatibility, era }) => {
    it('W9 W10 the client of the request that connects goes away: those that wait for it connect again and are served', async () => {
      const server = await raw({ era, latencyMs: 400 });
      const worker = await deploy({ compatibility, server });
      const leave = askAndLeave(worker, '/names', { kind: 'lazy' });
      await until(() => server.requests.length > 0);
      const waiting = ['a', 'b', 'c'].map((q) => call(worker, 'lazy', 'good', { q }));
      await sleep(100);
      leave();
      server.set({ latencyMs: 0 });
      const answers = await Promise.all(waiting);
      expect(answers.map(({ value }) => value)).toEqual(['a', 'b', 'c'].map((q) => text({ q })));
      expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(5_000);
      // One connect was lost, and one serves all. Both begin with the question which era this is.
      expect(server.count('server/discover')).toBe(2);
      expect(await ask(worker, '/close', { kind: 'lazy' })).toMatchObject({ value: null });
    });

    it('W9 W10 a connect that only takes long is waited for by all and begun once', async () => {
      const server = await raw({ era, latencyMs: (method) => (method === 'tools/list' ? 3_000 : 0) });
      const worker = await deploy({ compatibility, server });
      const waiting = ['a', 'b', 'c'].map((q) => call(worker, 'lazy', 'good', { q }));
      expect((await Promise.all(waiting)).map(({ value }) => value)).toEqual(['a', 'b', 'c'].map((q) => text({ q })));
      expect(handshakes(server, era)).toBe(1);
      expect(server.count('tools/list')).toBe(1);
    });

    it.each(KINDS)(
      'W4 W9 a %s toolset is closed by another request while calls are under way: they end as closed, nothing hangs',
      async (kind) => {
        const server = await raw({ era, format: 'sse' });
        const worker = await deploy({ compatibility, server });
        await ask(worker, '/names', { kind });
        const under = [call(worker, kind, 'hang'), call(worker, kind, 'hang')];
        const leave = askAndLeave(worker, '/call', { kind, tool: 'raw__hang' });
        await until(() => callsOf(server, 'hang').length === 3);
        leave();
        const [first, second] = await Promise.all([ask(worker, '/close', { kind }), ask(worker, '/close', { kind })]);
        expect([first.value, second.value]).toEqual([null, null]);
        expect(Math.max(first.ms, second.ms)).toBeLessThan(2_000);
        for (const answer of await Promise.all(under)) expect(answer.error).toMatchObject({ code: 'closed' });
        expect((await call(worker, kind, 'good')).error).toMatchObject({ code: 'closed' });
        await until(() => server.pending() === 0);
        expect(server.count('DELETE')).toBe(era === 'legacy' ? 1 : 0);
        expect(await ask(worker, '/unhandled')).toMatchObject({ value: [] });
        expect(worker.output()).not.toContain('Cannot perform I/O');
      },
    );

    it.each(KINDS)(
      'W9 a %s toolset whose server restarted fails with its own errors or is served, and never hangs',
      async (kind) => {
        const server = await raw({ era });
        const worker = await deploy({ compatibility, server, options: { timeoutMs: 5_000 } });
        expect(await call(worker, kind, 'good')).toMatchObject({ value: text({}) });
        server.expireSessions();
        for (const answer of await Promise.all(['a', 'b', 'c'].map((q) => call(worker, kind, 'good', { q })))) {
          if (answer.error === undefined) expect(answer.value).toMatchObject({ content: [{ type: 'text' }] });
          else expect(answer.error.code).toBe('outcome-unknown');
        }
        await server.close();
        const { error } = await call(worker, kind, 'good');
        expect(['connect-failed', 'outcome-unknown']).toContain(error?.code);
        expect(await ask(worker, '/close', { kind })).toMatchObject({ value: null });
      },
    );

    it('G5 a redirect within the origin is followed; one to another origin is refused and sends nothing there', async () => {
      const elsewhere = await raw({ era });
      const target: RawServer = await raw({
        era,
        onRequest(entry, response) {
          if (entry.url === '/near') response.writeHead(307, { location: `${target.origin}/mcp` }).end();
          else if (entry.url === '/far') response.writeHead(307, { location: elsewhere.url }).end();
          return response.headersSent;
        },
      });
      const near = await deploy({ compatibility, server: { url: `${target.origin}/near` } });
      expect(await call(near, 'kept', 'good', { q: 'near' })).toMatchObject({ value: text({ q: 'near' }) });
      const far = await deploy({ compatibility, server: { url: `${target.origin}/far` } });
      expect((await ask(far, '/names', { kind: 'kept' })).error).toMatchObject({ code: 'redirect-denied' });
      const strict = await deploy({
        compatibility,
        server: { url: `${target.origin}/near` },
        config: { redirect: 'error' },
      });
      expect((await ask(strict, '/names', { kind: 'kept' })).error).toMatchObject({ code: 'redirect-denied' });
      expect(elsewhere.requests).toHaveLength(0);
    });

    it.each(['json', 'sse'] as const)(
      'G6 a body of 3 MB in %s is cut at a limit of 1 MB, and the next call is served',
      async (format) => {
        const server = await raw({ era, format });
        const limits = { responseBytes: 1024 * 1024 };
        const worker = await deploy({ compatibility, server, options: { limits } });
        expect((await call(worker, 'kept', 'big')).error).toMatchObject({ name: 'McpLimitError', code: 'limit' });
        expect(await call(worker, 'kept', 'good', { q: 'after' })).toMatchObject({ value: text({ q: 'after' }) });
        const roomy = await deploy({ compatibility, server, options: { limits: { resultTokens: 10_000_000 } } });
        expect(JSON.stringify((await call(roomy, 'kept', 'big')).value).length).toBeGreaterThan(3 * 1024 * 1024);
      },
    );
  },
);

describe.each(COMPATIBILITY)(
  'a Worker of $date whose session is lost after its first requests have ended',
  (compatibility) => {
    it.each(KINDS)('W9 a %s toolset connects again, and the runtime warns of nothing', async (kind) => {
      const server = await raw({ era: 'legacy', format: 'sse' });
      const worker = await deploy({ compatibility, server });
      for (const q of ['a', 'b', 'c']) await call(worker, kind, 'good', { q });
      server.expireSessions();
      expect(await call(worker, kind, 'good', { q: 'late' })).toMatchObject({ value: text({ q: 'late' }) });
      expect(server.count('initialize')).toBe(2);
      expect(worker.output()).not.toContain('Warning');
    });
  },
);

describe.each(COMPATIBILITY)('a Worker of $date whose request is left by its client', (compatibility) => {
  /** `path` is asked for and left once `method` is under way, which takes long; then others ask for it. */
  async function leaveDuring(method: string, path: string, prepare: (server: RawServer) => void = () => {}) {
    const server = await raw({ era: 'legacy', latencyMs: (called) => (called === method ? 1_000 : 0) });
    const worker = await deploy({ compatibility, server });
    await call(worker, 'kept', 'good');
    server.reset();
    prepare(server);
    const query = { kind: 'kept', tool: 'raw__good', args: '{}' };
    const leave = askAndLeave(worker, path, query);
    await until(() => server.count(method) === 1);
    const waiting = [ask(worker, path, query), ask(worker, path, query)];
    await sleep(100);
    leave();
    const answers = await Promise.all(waiting);
    expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(5_000);
    return { server, answers };
  }

  it('W9 while it connects again: the others do so in its place', async () => {
    const { server, answers } = await leaveDuring('initialize', '/call', (lost) => lost.expireSessions());
    expect(answers.map(({ value }) => value)).toEqual([text({}), text({})]);
    expect(server.count('initialize')).toBe(2);
  });

  it('W9 while it lists the tools again: the others do so in its place', async () => {
    const { answers } = await leaveDuring('tools/list', '/refresh');
    for (const { value } of answers) expect(value).toMatchObject({ added: [], removed: [], changed: [] });
  });

  it('W4 W9 while it closes the toolset: the others see it closed', async () => {
    const { answers } = await leaveDuring('DELETE', '/close');
    expect(answers.map(({ value }) => value)).toEqual([null, null]);
  });
});
