import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { McpErrorCode, McpOptions } from '../../src/index.js';
import { createMcpTools, mcpTools } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import { timers } from '../support/time.js';
import { createAuth, createAuthStands, SESSION, token } from './auth-kit.js';
import { ALL_KINDS, AT_ONCE_MS, callsOf, doneText, ended, failure, handshakes, sourceOf } from './faults-kit.js';

const { keep, stand, server: open, watch } = createAuthStands();
/** Half of it is for one question. */
const CONNECT_MS = 1_000;
const AT_LATEST_MS = CONNECT_MS + 1_000;
const connectMs = (what: string) => (what === 'hangs' ? { connectTimeoutMs: CONNECT_MS } : {});
const never = new Promise<never>(() => {});
const failed = (): Error => Object.assign(new Error(token('said')), { token: token('held'), status: 500 });

/** What a resolver may do instead of giving a token, and the code that a request then ends with. */
const WRONG: Readonly<Record<string, readonly [answer: () => unknown, code: McpErrorCode]>> = {
  'throws at once': [
    () => {
      throw failed();
    },
    'unauthorized',
  ],
  rejects: [() => Promise.reject(failed()), 'unauthorized'],
  'rejects with nothing': [() => Promise.reject(undefined), 'unauthorized'],
  hangs: [() => never, 'unauthorized'],
  'gives nothing': [() => undefined, 'config'],
  'gives the token itself': [() => token('bare'), 'config'],
  'gives no text': [() => ({ token: 7 }), 'config'],
  'gives an empty text': [() => ({ token: '' }), 'config'],
  'gives a line break': [() => ({ token: `${token(1)}\r\nx-injected: 1` }), 'config'],
  'gives half a line break': [() => ({ token: `${token(1)}\nx-injected: 1` }), 'config'],
  'gives a null character': [() => ({ token: `${token(1)}\0` }), 'config'],
  'gives what is beyond Latin-1': [() => ({ token: `${token(1)}–` }), 'config'],
  'gives what throws when it is read': [
    () => ({
      get token() {
        throw failed();
      },
    }),
    'config',
  ],
};
const CASES = Object.entries(WRONG).map(([what, [answer, code]]) => ({ what, answer, code }));

describe.each(ALL_KINDS)('%s', (kind) => {
  it.each(CASES)(
    'G12 C6 one that $what at the connect: nothing is sent, and the next use asks at once',
    async ({ what, answer, code }) => {
      const server = await open(kind);
      let broken = true;
      const { auth, asked } = createAuth((_, nth) => (broken ? answer() : { token: token(nth) }));
      const options: McpOptions = { session: SESSION, auth, ...connectMs(what), onDiagnostic() {} };
      const toolset = keep(await mcpTools([sourceOf(kind, server)], options));
      watch(toolset, []);
      expect(toolset.servers[0]).toMatchObject({ state: 'failed', error: { code, server: 's' } });
      // More often than the breaker allows, and without its pauses.
      for (let tries = 2; tries <= 6; tries++) {
        const end = await ended(toolset.refresh('s', { force: true }));
        expect(end.code).toBe(code);
        expect(end.ms).toBeLessThan(AT_LATEST_MS);
        expect(asked.length).toBe(tries);
      }
      expect(server.requests).toEqual([]);
      broken = false;
      await toolset.refresh('s');
      expect(await toolset.tools.s__effect!.execute({ key: 'k' })).toEqual(doneText('k'));
    },
  );

  it.each(CASES)(
    'G12 C6 one that $what at a call: nothing is sent, and the next call asks at once',
    async ({ what, answer, code }) => {
      let broken = false;
      const { auth, asked } = createAuth((_, nth) => (broken ? answer() : { token: token(nth) }));
      const { server, toolset, effect } = await stand(kind, { auth, ...connectMs(what) });
      const sent = server.requests.length;
      const before = asked.length;
      broken = true;
      for (let tries = 1; tries <= 6; tries++) {
        const end = await ended(effect('never'));
        expect(end.code).toBe(code);
        expect(end.ms).toBeLessThan(AT_LATEST_MS);
        expect(asked.length).toBe(before + tries);
      }
      expect([server.requests.length, server.effects.size]).toEqual([sent, 0]);
      broken = false;
      expect(await effect('k')).toEqual(doneText('k'));
      // Nobody took the connection for lost.
      expect([handshakes(kind, server), toolset.servers[0]!.state]).toEqual([1, 'ready']);
    },
  );

  it.each(CASES)(
    'G12 W10 createMcpTools with one that $what rejects, and is served at the next use',
    async ({ what, answer, code }) => {
      const server = await open(kind);
      const { auth } = createAuth((_, nth) => (nth < 3 ? answer() : { token: token(nth) }));
      const options = { session: SESSION, auth, ...connectMs(what), onDiagnostic() {} };
      const handle = keep(createMcpTools(sourceOf(kind, server), options));
      for (let tries = 0; tries < 2; tries++) expect(await failure(handle.tools())).toMatchObject({ code });
      expect(server.requests).toEqual([]);
      expect(await (await handle.tools()).s__effect!.execute({ key: 'k' })).toEqual(doneText('k'));
    },
  );

  it('G12 C2 a call that is aborted while it hangs ends at once; nothing is sent, no timer and no listener stays', async () => {
    let hanging = false;
    const { auth, asked } = createAuth((_, nth) => (hanging ? never : { token: token(nth) }));
    const { server, effect, toolset } = await stand(kind, { auth });
    await effect('first');
    await until(() => callsOf(server).every((call) => call.ended));
    const [sent, before] = [server.requests.length, timers()];
    hanging = true;
    const asks = asked.length;
    const controllers = Array.from({ length: 20 }, () => new AbortController());
    const calls = controllers.map(({ signal }, index) =>
      ended(toolset.tools.s__effect!.execute({ key: `k${index}` }, { abortSignal: signal })),
    );
    await until(() => asked.length > asks);
    const question = asked.at(-1)!;
    await sleep(50);
    for (const controller of controllers) controller.abort('enough');
    for (const end of await Promise.all(calls)) {
      expect(end).toMatchObject({ code: 'aborted', error: { reason: 'enough' } });
      expect(end.ms).toBeLessThan(AT_ONCE_MS);
    }
    await until(() => question.signal.aborted);
    expect(controllers.map(({ signal }) => getEventListeners(signal, 'abort').length)).toEqual(
      controllers.map(() => 0),
    );
    await until(() => timers() <= before);
    expect(server.requests.length).toBe(sent);
    hanging = false;
    expect(await effect('k')).toEqual(doneText('k'));
  });

  it('G12 one call that is aborted takes nothing from those that wait for the same answer', async () => {
    let answer: Promise<void> | undefined;
    const { auth, asked } = createAuth(async (_, nth) => {
      await answer;
      return { token: token(nth) };
    });
    const { effect, toolset, server } = await stand(kind, { auth });
    let give = () => {};
    answer = new Promise((resolve) => {
      give = resolve;
    });
    const asks = asked.length;
    const controller = new AbortController();
    const aborted = ended(toolset.tools.s__effect!.execute({ key: 'a' }, { abortSignal: controller.signal }));
    const waiting = ended(effect('b'));
    await until(() => asked.length > asks);
    await sleep(20);
    controller.abort('enough');
    expect(await aborted).toMatchObject({ code: 'aborted' });
    give();
    expect(await waiting).toMatchObject({ code: 'ok' });
    expect(asked.length).toBe(asks + 1);
    expect([...server.effects]).toEqual([['b', 1]]);
  });

  it('G12 W4 a close while it hangs ends every call as closed; nothing is sent, and no timer stays', async () => {
    let hanging = false;
    const { auth, asked } = createAuth((_, nth) => (hanging ? never : { token: token(nth) }));
    const before = timers();
    const { server, effect, toolset } = await stand(kind, { auth });
    const sent = server.requests.length;
    hanging = true;
    const asks = asked.length;
    const calls = ['a', 'b', 'c'].map((key) => ended(effect(key)));
    await until(() => asked.length > asks);
    const startedAt = performance.now();
    await toolset.close();
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    for (const end of await Promise.all(calls)) expect(end.code).toBe('closed');
    await until(() => timers() <= before);
    expect([server.requests.length, server.effects.size]).toEqual([sent, 0]);
    expect(asked.slice(asks).every(({ signal }) => signal.aborted)).toBe(true);
  });

  it('G12 W6 wiring that is aborted while it hangs rejects at once, and leaves nothing', async () => {
    const server = await open(kind);
    const { auth, asked } = createAuth(() => never);
    const before = timers();
    const controller = new AbortController();
    const { signal } = controller;
    const wiring = ended(mcpTools([sourceOf(kind, server)], { session: SESSION, auth, signal }));
    await until(() => asked.length === 1);
    controller.abort('enough');
    expect(await wiring).toMatchObject({ code: 'aborted' });
    expect(asked[0]!.signal.aborted).toBe(true);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    await until(() => timers() <= before);
    expect(server.requests).toEqual([]);
  });
});

it('G12 W1 W2 one server’s resolver that hangs holds no sibling back', async () => {
  const server = await open('modern, JSON');
  const other = await open('legacy, SSE');
  const { auth } = createAuth(({ server: name }, nth) => (name === 'hangs' ? never : { token: token(nth) }));
  const sources = [sourceOf('modern, JSON', server, 'hangs'), sourceOf('legacy, SSE', other, 's')];
  const options = { session: SESSION, auth, connectTimeoutMs: CONNECT_MS, onDiagnostic() {} };
  const toolset = keep(await mcpTools(sources, options));
  expect(toolset.servers).toMatchObject([{ state: 'failed', error: { code: 'unauthorized' } }, { state: 'ready' }]);
  const { ms } = await ended(toolset.tools.s__effect!.execute({ key: 'k' }));
  expect(ms).toBeLessThan(AT_ONCE_MS);
});

it('G12 C6 a connect whose time is taken by several slow answers is not the server’s failure', async () => {
  const server = await open('legacy, JSON');
  const { auth } = createAuth(async (_, nth) => {
    await sleep(0.45 * CONNECT_MS);
    return { token: token(nth) };
  });
  const options = { session: SESSION, auth, connectTimeoutMs: CONNECT_MS, onDiagnostic() {} };
  const toolset = keep(await mcpTools([sourceOf('legacy, JSON', server)], options));
  for (let tries = 0; tries < 6; tries++) {
    await until(() => toolset.servers[0]!.error?.code === 'unauthorized');
    expect(['timeout', 'unauthorized']).toContain((await failure(toolset.refresh('s'))).code);
  }
});
