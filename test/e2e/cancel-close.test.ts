import { describe, expect, it } from 'vitest';
import { createMcpTools } from '../../src/index.js';
import type { FaultPlan } from '../../src/testing/faults/plan.js';
import { until } from '../support/http-host.js';
import { timers } from '../support/time.js';
import {
  ALL_KINDS,
  callsOf,
  countOf,
  createStands,
  type Ended,
  ended,
  type Kind,
  SESSION_KINDS,
  type Stand,
  type StandOptions,
  sourceOf,
} from './faults-kit.js';
import { closePool } from './random-calls-kit.js';

const stands = createStands();
const MANY = 30;

interface Stage {
  readonly kinds?: readonly Kind[];
  readonly options?: StandOptions;
  prepare?(stand: Stand): unknown;
  /** What is under way when the close comes. */
  begin?(stand: Stand): readonly Promise<unknown>[];
  reached(stand: Stand): boolean;
  /** How long a server that does not answer any more may hold the close up. */
  readonly closeMs?: number;
}

const hangs = (method: string, kind: 'silent' | 'never-answers' = 'silent'): FaultPlan => [
  { match: { method }, fault: { kind, effect: 'none' } },
];
const calls = ({ effect }: Stand) => Array.from({ length: MANY }, (_, index) => effect(`k${index}`));

const STAGES: Readonly<Record<string, Stage>> = {
  'while nothing is under way': { begin: () => [], reached: () => true },
  'while 30 calls wait for their headers': {
    options: { plan: hangs('tools/call') },
    reached: ({ server }) => callsOf(server).length === MANY,
  },
  'while 30 calls wait for their answers': {
    options: { plan: hangs('tools/call', 'never-answers') },
    reached: ({ server }) => callsOf(server).length === MANY,
  },
  'while 30 calls are on their way out': { reached: () => true },
  'while 30 calls wait for one connect': {
    kinds: SESSION_KINDS,
    prepare({ server }) {
      server.expireSessions();
      server.script(hangs('initialize'));
    },
    reached: ({ server }) => countOf(server, 'initialize') === 1,
  },
  'while a list is read again': {
    options: { plan: hangs('tools/list') },
    begin: ({ toolset }) => [toolset.refresh('s', { force: true })],
    reached: ({ server }) => countOf(server, 'tools/list') === 1,
  },
  'while a list is read again for the headers of a call': {
    options: {
      plan: [{ match: { method: 'tools/call' }, fault: { kind: 'header-mismatch' } }, ...(hangs('tools/list') as [])],
    },
    reached: ({ server }) => countOf(server, 'tools/list') >= 1,
  },
  'while a refusal is looked into': {
    options: {
      plan: [
        { match: { method: 'tools/call' }, fault: { kind: 'rpc-error', code: -32602 } },
        ...(hangs('tools/list') as []),
      ],
    },
    begin: ({ effect }) => [effect('refused')],
    reached: ({ server }) => countOf(server, 'tools/list') === 1,
  },
  'while the breaker holds a call back': {
    kinds: SESSION_KINDS,
    async prepare({ server, effect }) {
      server.expireSessions();
      server.script([{ match: { method: 'initialize' }, fault: { kind: 'http-error' } }]);
      for (let failed = 0; failed < 3; failed++)
        expect(await ended(effect('x'))).toMatchObject({ code: 'connect-failed' });
    },
    reached: () => true,
  },
  'while the server ends no session': {
    kinds: SESSION_KINDS,
    options: { plan: [...(hangs('tools/call') as []), ...(hangs('DELETE') as [])] },
    reached: ({ server }) => callsOf(server).length === MANY,
    closeMs: 2_500,
  },
};

const CASES = Object.entries(STAGES).flatMap(([about, stage]) =>
  (stage.kinds ?? ALL_KINDS).map((kind) => [about, kind, stage] as const),
);

describe.each(CASES)('a close %s, %s', (_, kind, stage) => {
  it('W4 C2 ends everything within a second with `closed`, tells the server, and leaves nothing', async () => {
    const before = timers();
    const stand = await stands.stand(kind, stage.options);
    const { server, toolset, effect } = stand;
    await stage.prepare?.(stand);
    const work = (stage.begin?.(stand) ?? calls(stand)).map(ended);
    await until(() => stage.reached(stand));

    const startedAt = performance.now();
    const closing = [toolset.close(), toolset.close()];
    // From now on nothing is sent, also while the close is still under way.
    const late = ended(effect('late'));
    const ends: readonly Ended[] = await Promise.all(work);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set(work.length === 0 ? [] : ['closed']));
    expect(await late).toMatchObject({ code: 'closed' });
    await Promise.all(closing);
    expect(performance.now() - startedAt).toBeLessThan(stage.closeMs ?? 1_000);
    expect(server.effects.has('late')).toBe(false);

    // Where the session was lost before, there is none to end.
    const hasSession = (SESSION_KINDS as readonly Kind[]).includes(kind);
    if (stage.prepare === undefined) expect(countOf(server, 'DELETE')).toBe(hasSession ? 1 : 0);
    await until(() => server.openStreams() === 0 && server.requests.every((request) => request.ended), 1_000);
    if (stage.closeMs === undefined) expect(server.openSessions()).toBe(0);
    await closePool();
    await until(() => server.openSockets() === 0);
    await until(() => timers() <= before);
    await expect(toolset.close()).resolves.toBeUndefined();
  });
});

describe.each(ALL_KINDS)('%s', (kind) => {
  it('W4 a close in the middle of 200 calls: each is answered or `closed`, none is lost, none runs twice', async () => {
    const { server, toolset, effect } = await stands.stand(kind);
    const work = Array.from({ length: 200 }, (_, index) => ended(effect(`k${index}`)));
    await Promise.race(work);
    await toolset.close();
    const ends = await Promise.all(work);
    const counts = new Set(ends.map(({ code }) => code));
    expect([...counts].filter((code) => code !== 'ok' && code !== 'closed')).toEqual([]);
    ends.forEach(({ code }, index) => {
      const ran = server.effects.get(`k${index}`) ?? 0;
      if (code === 'ok') expect(ran).toBe(1);
      else expect(ran).toBeLessThanOrEqual(1);
    });
    await until(() => server.openStreams() === 0);
    expect(server.openSessions()).toBe(0);
  });

  it('W4 W10 a lazy handle that is closed while it connects: whoever waits is told, and nothing is left', async () => {
    const { server } = await stands.stand(kind, { plan: hangs('tools/list') });
    const before = timers();
    const lazy = createMcpTools(sourceOf(kind, server));
    const waiting = [ended(lazy.tools()), ended(lazy.describeTools())];
    await until(() => countOf(server, 'tools/list') >= 1);
    const startedAt = performance.now();
    await lazy.close();
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual(['closed', 'closed']);
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    await until(() => server.requests.every((request) => request.ended || request.http === 'GET'));
    await until(() => timers() <= before);
  });
});
