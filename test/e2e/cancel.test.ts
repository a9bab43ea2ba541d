import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createMcpTools, isMcpError, type McpAbortError, type McpToolset } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import { freshTurn, timers } from '../support/time.js';
import {
  ALL_KINDS,
  AT_ONCE_MS,
  callsOf,
  countOf,
  createStands,
  doneText,
  ended,
  failure,
  HTTP_KINDS,
  KINDS,
  type Kind,
  SESSION_KINDS,
  type Stand,
  type StandOptions,
  sourceOf,
} from './faults-kit.js';

const stands = createStands();
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

interface Stage {
  readonly options?: StandOptions;
  readonly kinds?: readonly Kind[];
  readonly tool?: string;
  prepare?(stand: Stand): Promise<void> | void;
  reached(stand: Stand): boolean;
  recover?(toolset: McpToolset): Promise<unknown>;
  /** Whether the call was on its way: the server has then to hear of its end. */
  readonly sent: boolean;
}

const plan = (method: string, kind: 'silent' | 'never-answers') => [{ match: { method }, fault: { kind } as const }];

/** A connect belongs to all who may need it, and is not given up with the one call that began it. */
async function connectEnds(toolset: McpToolset): Promise<void> {
  await until(() => toolset.servers[0]!.state === 'failed');
  await toolset.refresh('s', { force: true });
}

const STAGES: Readonly<Record<string, Stage>> = {
  'while it connects again': {
    kinds: SESSION_KINDS,
    options: { connectTimeoutMs: 1_000 },
    prepare({ server }) {
      server.expireSessions();
      server.script([{ match: { method: 'initialize' }, fault: { kind: 'silent', effect: 'none' } }]);
    },
    reached: ({ server }) => countOf(server, 'initialize') === 1,
    recover: connectEnds,
    sent: false,
  },
  'while the handshake is at its last step': {
    kinds: SESSION_KINDS,
    options: { connectTimeoutMs: 1_000 },
    prepare({ server }) {
      server.expireSessions();
      server.script(plan('notifications/initialized', 'silent'));
    },
    reached: ({ server }) => countOf(server, 'notifications/initialized') === 1,
    recover: connectEnds,
    sent: false,
  },
  'while it waits for the headers': {
    options: { plan: plan('tools/call', 'silent') },
    reached: ({ server }) => callsOf(server).length === 1,
    sent: true,
  },
  'while it waits for the answer on the stream': {
    options: { plan: plan('tools/call', 'never-answers') },
    reached: ({ server }) => callsOf(server).length === 1,
    sent: true,
  },
  // Over HTTP+SSE half an event would spoil what follows it on the shared stream.
  'while the answer arrives in pieces': {
    kinds: HTTP_KINDS,
    options: {
      plan: [{ match: { method: 'tools/call' }, fault: { kind: 'slow-drip', everyMs: 50 } }],
    },
    reached: ({ server }) => callsOf(server).length === 1,
    sent: true,
  },
  'while an endless line arrives': {
    kinds: HTTP_KINDS,
    options: {
      plan: [{ match: { method: 'tools/call' }, fault: { kind: 'endless-line', chunkBytes: 10, everyMs: 20 } }],
    },
    reached: ({ server }) => callsOf(server).length === 1,
    sent: true,
  },
  'while it is listed again for its headers': {
    options: {
      plan: [
        { match: { method: 'tools/call', nth: 1 }, fault: { kind: 'header-mismatch' } },
        ...plan('tools/list', 'silent'),
      ],
    },
    reached: ({ server }) => countOf(server, 'tools/list') === 1,
    sent: false,
  },
  'while it is on its way for the second time': {
    kinds: SESSION_KINDS,
    options: {
      plan: [
        { match: { method: 'tools/call', nth: 1 }, fault: { kind: 'session-expired' } },
        { match: { method: 'tools/call', nth: 2 }, fault: { kind: 'never-answers' } },
      ],
    },
    reached: ({ server }) => callsOf(server).length === 2,
    sent: true,
  },
  'while the breaker holds it back': {
    kinds: SESSION_KINDS,
    async prepare({ server, effect }) {
      server.expireSessions();
      server.script([{ match: { method: 'initialize' }, fault: { kind: 'http-error' } }]);
      // Each waits longer than the one before it.
      for (let failed = 0; failed < 2; failed++) {
        expect(await failure(effect('never'))).toMatchObject({ code: 'connect-failed' });
      }
      server.reset();
    },
    reached: () => true,
    recover: (toolset) => toolset.refresh('s', { force: true }),
    sent: false,
  },
};

const STAGE_CASES = Object.entries(STAGES).flatMap(([about, stage]) =>
  (stage.kinds ?? ALL_KINDS).map((kind) => [about, kind, stage] as const),
);

/** C2, G6: a legacy server is told, and a stream of the call's own is closed, within a second. */
async function heard(kind: Kind, { server }: Stand): Promise<void> {
  const call = callsOf(server).at(-1)!;
  const told = () => server.cancelled.some(({ id, by }) => id === call.id && by === 'notification');
  if (KINDS[kind].era === 'legacy') await until(told, 1_000);
  else expect(told()).toBe(false);
  // A legacy server that obeys the notice may be quicker than the stream's end.
  if (kind !== 'SSE transport') await until(() => call.ended, 1_000);
  if (KINDS[kind].era === 'modern') expect(call.closedEarly).toBe(true);
  expect(server.cancelled.every(({ id }) => id === call.id)).toBe(true);
}

describe.each(STAGE_CASES)('%s, %s', (_, kind, stage) => {
  it('C2 an abort ends it at once with the reason, the server hears it, and nothing is left', async () => {
    const stand = await stands.stand(kind, stage.options);
    await stage.prepare?.(stand);
    const controller = new AbortController();
    const { signal } = controller;
    const reason = { any: 'thing' };
    const calling = ended(stand.effect('given-up', { abortSignal: signal }));
    await until(() => stage.reached(stand));
    await sleep(30);
    const abortedAt = performance.now();
    controller.abort(reason);
    const end = await calling;
    expect(performance.now() - abortedAt).toBeLessThan(1_000);
    expect(end).toMatchObject({ code: 'aborted', error: { name: 'McpAbortError', server: 's' } });
    expect('error' in end && (end.error as McpAbortError).reason).toBe(reason);
    expect(listeners(signal)).toBe(0);
    if (stage.sent) await heard(kind, stand);
    await nextIsServed(stand, stage);
  });

  it('C2 G6 a deadline ends it with `timeout`, the server hears it, and nothing is left', async () => {
    const timeoutMs = 400;
    const stand = await stands.stand(kind, { ...stage.options, timeoutMs: 20_000, source: { timeoutMs } });
    // A deadline is in force during the preparation too, which takes its time.
    await stage.prepare?.(stand);
    const { signal } = new AbortController();
    await freshTurn();
    const end = await ended(stand.effect('given-up', { abortSignal: signal }));
    expect(end).toMatchObject({ code: 'timeout', error: { name: 'McpTimeoutError', server: 's' } });
    expect(end.ms).toBeGreaterThanOrEqual(timeoutMs - 5);
    expect(end.ms).toBeLessThan(timeoutMs + 1_000);
    expect(listeners(signal)).toBe(0);
    if (stage.sent) await heard(kind, stand);
    await nextIsServed(stand, stage);
  });
});

/** The next call works, and a close leaves nothing. */
async function nextIsServed({ server, toolset, effect }: Stand, { recover }: Stage): Promise<void> {
  server.script([]);
  await recover?.(toolset);
  const next = await ended(effect('next'));
  expect(next).toMatchObject({ code: 'ok', value: doneText('next') });
  expect(next.ms).toBeLessThan(AT_ONCE_MS);
  await toolset.close();
  await until(() => server.openStreams() === 0);
  expect(server.openSessions()).toBe(0);
}

describe.each(ALL_KINDS)('%s', (kind) => {
  it('C2 aborted beforehand: nothing is sent', async () => {
    const { server, effect } = await stands.stand(kind);
    const reason = Symbol('before');
    const error = (await failure(effect('never', { abortSignal: AbortSignal.abort(reason) }))) as McpAbortError;
    expect([error.code, error.reason]).toEqual(['aborted', reason]);
    expect(server.requests).toEqual([]);
  });

  it('C2 aborted after the answer: nothing happens, and nothing is sent', async () => {
    const { server, effect, toolset } = await stands.stand(kind);
    const controller = new AbortController();
    expect(await effect('done', { abortSignal: controller.signal })).toEqual(doneText('done'));
    expect(listeners(controller.signal)).toBe(0);
    controller.abort();
    await sleep(50);
    expect([server.cancelled, countOf(server, 'notifications/cancelled')]).toEqual([[], 0]);
    await toolset.close();
    await until(() => server.openStreams() === 0);
  });

  const REASONS: readonly (readonly [string, (controller: AbortController) => void])[] = [
    ['nothing', (controller) => controller.abort()],
    ['undefined', (controller) => controller.abort(undefined)],
    ['null', (controller) => controller.abort(null)],
    ['a text', (controller) => controller.abort('enough')],
    ['an empty text', (controller) => controller.abort('')],
    ['zero', (controller) => controller.abort(0)],
    ['an error', (controller) => controller.abort(new Error('enough'))],
    ['a frozen object', (controller) => controller.abort(Object.freeze({ code: 'timeout' }))],
    ['a promise', (controller) => controller.abort(Promise.resolve())],
  ];
  it.each(REASONS)('C2 aborted with %s: the reason is the signal’s own', async (_, abort) => {
    const { server, effect } = await stands.stand(kind, { plan: plan('tools/call', 'silent') });
    const controller = new AbortController();
    const calling = failure(effect('never', { abortSignal: controller.signal }));
    await until(() => callsOf(server).length === 1);
    abort(controller);
    const error = (await calling) as McpAbortError;
    expect(error.code).toBe('aborted');
    expect(Object.is(error.reason, controller.signal.reason)).toBe(true);
  });

  it('C2 30 calls on one signal: no warning, each ends with the reason, the server hears of each', async () => {
    const warnings: string[] = [];
    const warn = ({ name }: Error) => void warnings.push(name);
    process.on('warning', warn);
    const { server, effect, toolset } = await stands.stand(kind, { plan: plan('tools/call', 'never-answers') });
    const controller = new AbortController();
    const calls = Array.from({ length: 30 }, (_, index) =>
      failure(effect(`k${index}`, { abortSignal: controller.signal })),
    );
    await until(() => callsOf(server).length === 30);
    expect(listeners(controller.signal)).toBe(1);
    controller.abort('all of you');
    const errors = (await Promise.all(calls)) as McpAbortError[];
    expect(new Set(errors.map(({ code, reason }) => `${code} ${reason}`))).toEqual(new Set(['aborted all of you']));
    expect(listeners(controller.signal)).toBe(0);
    const ids = callsOf(server).map(({ id }) => id);
    await until(() => ids.every((id) => server.cancelled.some((one) => one.id === id)));
    await toolset.close();
    await until(() => server.openStreams() === 0);
    await sleep(20);
    process.off('warning', warn);
    expect(warnings).toEqual([]);
  });

  it('C2 one of 30 calls is aborted: the others are answered', async () => {
    const { server, call } = await stands.stand(kind);
    const controller = new AbortController();
    const others = Array.from({ length: 29 }, () => ended(call('slow', { ms: 300 })));
    const one = ended(call('slow', { ms: 300 }, { abortSignal: controller.signal }));
    await until(() => callsOf(server).length === 30);
    controller.abort();
    expect(await one).toMatchObject({ code: 'aborted' });
    for (const end of await Promise.all(others)) expect(end).toMatchObject({ code: 'ok' });
    expect(new Set(server.cancelled.map(({ id }) => id)).size).toBe(1);
  });

  it('C2 a late answer goes to nobody: not to the one who left, not to the next', async () => {
    const { server, effect } = await stands.stand(kind, {
      plan: [{ match: { tool: 'effect', nth: 1 }, fault: { kind: 'late-answer', afterMs: 1 } }],
    });
    const controller = new AbortController();
    const first = ended(effect('first', { abortSignal: controller.signal }));
    await until(() => server.effects.get('first') === 1);
    controller.abort();
    expect(await first).toMatchObject({ code: 'aborted' });
    const next = await Promise.all([0, 1, 2, 3].map((index) => effect(`next-${index}`)));
    expect(next).toEqual([0, 1, 2, 3].map((index) => doneText(`next-${index}`)));
  });
});

describe('which end came first', () => {
  /** Nothing else runs meanwhile: whatever is due then is due at once. */
  const block = (ms: number) => {
    for (const end = performance.now() + ms; performance.now() < end; );
  };
  const hanging = (timeoutMs: number) =>
    stands.stand('legacy, SSE', { plan: plan('tools/call', 'never-answers'), source: { timeoutMs } });

  it('C2 an abort, and then the deadline in the same turn: aborted', async () => {
    const { server, effect } = await hanging(300);
    const controller = new AbortController();
    const calling = failure(effect('never', { abortSignal: controller.signal }));
    await until(() => callsOf(server).length === 1);
    controller.abort('me first');
    block(400);
    expect(await calling).toMatchObject({ code: 'aborted', reason: 'me first' });
  });

  it('C2 the deadline, and then an abort in the same turn: timeout', async () => {
    const { server, effect } = await hanging(300);
    const controller = new AbortController();
    const calling = failure(effect('never', { abortSignal: controller.signal }));
    setTimeout(() => controller.abort('too late'), 350);
    await until(() => callsOf(server).length === 1);
    block(400);
    expect(await calling).toMatchObject({ code: 'timeout' });
    expect(listeners(controller.signal)).toBe(0);
  });

  it('C2 W4 an abort and a close: the first of them', async () => {
    const { server, effect, toolset } = await hanging(20_000);
    const [one, other] = [new AbortController(), new AbortController()];
    const first = failure(effect('a', { abortSignal: one.signal }));
    const second = failure(effect('b', { abortSignal: other.signal }));
    await until(() => callsOf(server).length === 2);
    one.abort('left');
    const closing = toolset.close();
    other.abort('too late');
    expect(await first).toMatchObject({ code: 'aborted', reason: 'left' });
    expect(await second).toMatchObject({ code: 'closed' });
    await closing;
    expect([listeners(one.signal), listeners(other.signal)]).toEqual([0, 0]);
  });

  it('C2 an answer and an abort in the same turn: one of the two, and the effect is not in doubt', async () => {
    const { server, effect } = await stands.stand('legacy, JSON');
    for (let round = 0; round < 40; round++) {
      const controller = new AbortController();
      const calling = ended(effect(`k${round}`, { abortSignal: controller.signal }));
      setTimeout(() => controller.abort(), round % 8);
      const { code } = await calling;
      expect(['ok', 'aborted']).toContain(code);
      if (code === 'ok') expect(server.effects.get(`k${round}`)).toBe(1);
      expect(listeners(controller.signal)).toBe(0);
    }
  });

  const refusing = (timeoutMs: number) =>
    stands.stand('legacy, JSON', {
      plan: [
        { match: { tool: 'effect' }, fault: { kind: 'rpc-error', code: -32602 } },
        ...plan('tools/list', 'silent'),
      ],
      source: { timeoutMs },
    });

  it('C2 S8 an abort while a refusal is looked into: aborted, at once', async () => {
    const { server, effect } = await refusing(20_000);
    const controller = new AbortController();
    const calling = ended(effect('never', { abortSignal: controller.signal }));
    await until(() => countOf(server, 'tools/list') === 1);
    const abortedAt = performance.now();
    controller.abort('left');
    expect(await calling).toMatchObject({ code: 'aborted', error: { reason: 'left' } });
    expect(performance.now() - abortedAt).toBeLessThan(1_000);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('C3 S8 the deadline while a refusal is looked into: the refusal stands', async () => {
    const { effect } = await refusing(300);
    const end = await ended(effect('never'));
    expect(end).toMatchObject({ code: 'protocol', error: { rpcCode: -32602 } });
    expect(end.ms).toBeLessThan(1_300);
  });
});

describe.each(HTTP_KINDS)('%s: what waits for one connect', (kind) => {
  it('C2 W10 whoever leaves while a lazy handle connects takes nothing from the others', async () => {
    const { server } = await stands.stand(kind);
    const before = timers();
    const lazy = stands.keep(createMcpTools(sourceOf(kind, server)));
    const { s__effect } = await lazy.tools();
    const controller = new AbortController();
    const calls = [0, 1].map((index) => ended(s__effect!.execute({ key: `k${index}` })));
    const left = s__effect!
      .execute({ key: 'left' }, { abortSignal: controller.signal })
      .catch((error: unknown) => error);
    controller.abort('bye');
    const error = await left;
    expect(isMcpError(error) && error.code).toBe('aborted');
    for (const end of await Promise.all(calls)) expect(end).toMatchObject({ code: 'ok' });
    await lazy.close();
    await until(() => timers() <= before);
  });
});
