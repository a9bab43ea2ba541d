import { describe, expect, it } from 'vitest';
import type { McpOptions, McpServerConfig } from '../../src/index.js';
import { mcpTools } from '../../src/index.js';
import { type BearerGate, startBearerGate } from '../support/bearer-gate.js';
import { sleep, until } from '../support/http-host.js';
import { startSdk1Server, startSdk1SseServer, startSdkServer } from '../support/sdk-servers.js';
import { createAuth, createAuthStands, OPENERS, SESSION, token } from './auth-kit.js';
import { ALL_KINDS, callsOf, countOf, doneText, ended, failure, noneTwice, sourceOf } from './faults-kit.js';

const { keep, stand, server: open, watch } = createAuthStands();
const KEYS = Array.from({ length: 10 }, (_, index) => `k${index}`);
const REFUSED = { kind: 'unauthorized' } as const;

describe.each(ALL_KINDS)('%s', (kind) => {
  it('G12 C4 a call answered with 401 asks once more, is sent again once, and its effect happens once', async () => {
    const { auth, reasons } = createAuth();
    const { server, effect } = await stand(kind, {
      auth,
      plan: [{ match: { tool: 'effect', nth: 1 }, fault: REFUSED }],
    });
    const before = reasons().length;
    expect(await effect('k')).toEqual(doneText('k'));
    expect(reasons().slice(before)).toEqual(['request', 'unauthorized']);
    const [first, second] = callsOf(server).map(({ headers }) => headers.authorization);
    expect([callsOf(server).length, server.effects.get('k')]).toEqual([2, 1]);
    expect([first, second]).toEqual([`Bearer ${token(before + 1)}`, `Bearer ${token(before + 2)}`]);
  });

  it('G12 C4 a second 401 ends it: `unauthorized`, and nothing ran', async () => {
    const { auth, reasons } = createAuth();
    const { server, effect } = await stand(kind, { auth, plan: [{ match: { tool: 'effect' }, fault: REFUSED }] });
    const before = reasons().length;
    expect(await failure(effect('never'))).toMatchObject({ code: 'unauthorized', cause: { status: 401 } });
    expect(reasons().slice(before)).toEqual(['request', 'unauthorized']);
    expect([callsOf(server).length, server.effects.size]).toEqual([2, 0]);
    // The connection goes on, and the next call asks again.
    server.script([]);
    expect(await effect('next')).toEqual(doneText('next'));
  });

  it('G12 C4 403 is not asked for again', async () => {
    const { auth, reasons } = createAuth();
    const fault = { ...REFUSED, status: 403 } as const;
    const { server, effect } = await stand(kind, { auth, plan: [{ match: { tool: 'effect' }, fault }] });
    const before = reasons().length;
    expect(await failure(effect('never'))).toMatchObject({ code: 'unauthorized', cause: { status: 403 } });
    expect(reasons().slice(before)).toEqual(['request']);
    expect([callsOf(server).length, server.effects.size]).toEqual([1, 0]);
  });

  it.each(Object.entries(OPENERS))(
    'G12 C4 %s: each request of a connect that is refused is asked for again',
    async (_, openTools) => {
      const server = await open(kind, [{ match: { method: '*', every: 2 }, fault: REFUSED }]);
      const { auth, reasons } = createAuth();
      const { tools } = keep(await openTools(sourceOf(kind, server), { session: SESSION, auth }));
      expect(await tools.s__effect!.execute({ key: 'k' })).toEqual(doneText('k'));
      expect(reasons().filter((reason) => reason === 'unauthorized').length).toBeGreaterThan(1);
      noneTwice(server);
    },
  );

  it.each(Object.entries(OPENERS))(
    'G12 C4 %s: a connect that is refused twice is `unauthorized`',
    async (_, openTools) => {
      const server = await open(kind, [{ match: { method: '*' }, fault: REFUSED }]);
      const { auth, reasons } = createAuth();
      const error = await failure(openTools(sourceOf(kind, server), { session: SESSION, auth, onDiagnostic() {} }));
      expect(error).toMatchObject({ code: 'unauthorized', cause: { status: 401 } });
      expect(reasons().filter((reason) => reason === 'unauthorized').length).toBeGreaterThanOrEqual(1);
      expect(server.requests.length).toBeLessThanOrEqual(4);
    },
  );

  it('G12 a token that cannot be renewed ends the call, and says whose fault it is', async () => {
    const { auth } = createAuth(({ reason }, nth) => {
      if (reason === 'unauthorized') throw Object.assign(new Error(token('x')), { status: 503 });
      return { token: token(nth) };
    });
    const { server, effect } = await stand(kind, {
      auth,
      plan: [{ match: { tool: 'effect', nth: 1 }, fault: REFUSED }],
    });
    const error = await failure(effect('never'));
    expect(error).toMatchObject({ code: 'unauthorized', cause: { name: 'AuthError', cause: { status: 503 } } });
    expect([callsOf(server).length, server.effects.size]).toEqual([1, 0]);
    expect(await effect('next')).toEqual(doneText('next'));
  });

  it('C4 G11 ten calls that are refused together: one renewal, none lost, each effect once', async () => {
    const { auth, reasons } = createAuth(async ({ reason }, nth) => {
      if (reason === 'unauthorized') await sleep(100);
      return { token: token(nth) };
    });
    const plan = [{ match: { tool: 'effect', times: 10 }, fault: REFUSED }];
    const { server, effect } = await stand(kind, { auth, plan });
    expect(await Promise.all(KEYS.map(effect))).toEqual(KEYS.map(doneText));
    expect(reasons().filter((reason) => reason === 'unauthorized')).toHaveLength(1);
    expect([callsOf(server).length, server.effects.size]).toEqual([20, 10]);
    noneTwice(server);
  });

  it('C4 the notice stream that is refused is opened with another token', async () => {
    const method = kind.startsWith('modern') ? 'subscriptions/listen' : 'GET';
    const server = await open(kind, [{ match: { method, nth: 1 }, fault: REFUSED }]);
    const { auth } = createAuth();
    const options: McpOptions = { session: SESSION, auth, onToolsChanged() {}, onServerError: 'throw' };
    keep(await mcpTools([sourceOf(kind, server)], options));
    await until(() => server.openStreams() === 1);
    expect(countOf(server, method)).toBe(2);
  });
});

/** Real servers, and a gate before each that wants a bearer token. */
const REAL = {
  'the 2.x package, modern': () => startSdkServer({ mode: 'modern-only' }),
  'the 2.x package, legacy with sessions': () => startSdkServer({ mode: 'legacy-only' }),
  'the 2.x package, both eras': () => startSdkServer({ mode: 'dual' }),
  'the 1.x package': () => startSdk1Server(),
  'the 1.x package over HTTP+SSE': () => startSdk1SseServer(),
} as const;

describe.each(Object.entries(REAL))('%s behind a gate', (name, start) => {
  const source = (gate: BearerGate): McpServerConfig => ({
    name: 's',
    type: name.endsWith('HTTP+SSE') ? 'sse' : 'http',
    url: gate.url,
  });

  it('C4 G11 G12 ten calls at a rotation of the token: one is renewed, none lost, each runs once', async () => {
    const server = keep(await start());
    const gate = keep(await startBearerGate(server));
    let held = token('old');
    let renewals = 0;
    const { auth } = createAuth(async ({ reason }) => {
      if (reason !== 'unauthorized') return { token: held };
      renewals += 1;
      await sleep(50);
      held = token(`new-${renewals}`);
      return { token: held };
    });
    gate.accept(token('old'));
    const toolset = keep(await mcpTools([source(gate)], { session: SESSION, auth, onServerError: 'throw' }));
    watch(toolset, []);
    for (let round = 1; round <= 3; round++) {
      gate.accept(token(`new-${round}`));
      gate.reset();
      const messages = KEYS.map((key) => `${round}-${key}`);
      const answers = await Promise.all(messages.map((message) => ended(toolset.tools.s__echo!.execute({ message }))));
      expect(answers.map((answer) => answer.code === 'ok' && answer.value)).toEqual(
        messages.map((message) => ({ content: [{ type: 'text', text: message }] })),
      );
      expect(renewals).toBe(round);
      expect(gate.requests.length).toBeLessThanOrEqual(20);
      for (const one of new Set(gate.tokens()))
        expect([token(`new-${round - 1}`), token('old'), token(`new-${round}`)]).toContain(one);
    }
    expect(server.executed('echo')).toBe(30);
  });

  it('G12 no token is right: nothing reaches the server', async () => {
    const server = keep(await start());
    const gate = keep(await startBearerGate(server, { accepts: () => false }));
    const { auth } = createAuth();
    const toolset = keep(await mcpTools([source(gate)], { session: SESSION, auth, onDiagnostic() {} }));
    expect(toolset.servers[0]).toMatchObject({ state: 'failed', error: { code: 'unauthorized' } });
    expect(server.requests).toEqual([]);
    expect(gate.requests.length).toBeGreaterThan(0);
  });
});
