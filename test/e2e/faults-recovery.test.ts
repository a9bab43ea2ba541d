import { describe, expect, it } from 'vitest';
import type { Fault } from '../../src/testing/faults/plan.js';
import { sleep, until } from '../support/http-host.js';
import {
  ALL_KINDS,
  callsOf,
  countOf,
  createStands,
  doneText,
  ended,
  failure,
  HTTP_KINDS,
  handshakes,
  MODERN_KINDS,
  noneTwice,
  SESSION_KINDS,
  type Stand,
} from './faults-kit.js';
import { namesOf } from './rig.js';

const stands = createStands();
const MANY = Array.from({ length: 20 }, (_, index) => `key-${index}`);
const onEffect = (fault: Fault) => [{ match: { tool: 'effect' }, fault }];
const once = (fault: Fault) => [{ match: { tool: 'effect', nth: 1 }, fault }];
const repairs = ({ diagnostics }: Stand) =>
  diagnostics.flatMap((diagnostic) => (diagnostic.code === 'connection-repaired' ? [diagnostic.data.repair] : []));
const callAll = ({ effect }: Stand) => Promise.all(MANY.map((key) => ended(effect(key))));

const FORGOTTEN: readonly Fault[] = [
  { kind: 'session-expired' },
  { kind: 'session-expired', id: 'none' },
  { kind: 'session-expired', status: 400 },
  { kind: 'session-expired', status: 400, id: 'absent' },
];

describe.each(SESSION_KINDS)('%s: a session that is forgotten', (kind) => {
  it('C4 under 20 calls at once: one new handshake, and each call runs and is answered once', async () => {
    const stand = await stands.stand(kind);
    const { server } = stand;
    server.expireSessions();
    const ends = await callAll(stand);
    expect(ends.map((end) => end.code === 'ok' && end.value)).toEqual(MANY.map(doneText));
    expect([handshakes(kind, server), server.effects.size]).toEqual([1, 20]);
    noneTwice(server);
    expect(new Set(repairs(stand))).toEqual(new Set(['reconnect']));
    // What was refused was sent a second time, and nothing a third.
    expect(callsOf(server).length).toBeLessThanOrEqual(40);
    await stand.effect('later');
    expect(handshakes(kind, server)).toBe(1);
  });

  it.each(FORGOTTEN.map((fault) => [JSON.stringify(fault), fault] as const))(
    'C4 %s in the middle of 20 calls costs none of them',
    async (_, fault) => {
      const stand = await stands.stand(kind, { plan: [{ match: { tool: 'effect', nth: 7 }, fault }] });
      const ends = await callAll(stand);
      expect(ends.map(({ code }) => code)).toEqual(MANY.map(() => 'ok'));
      expect([handshakes(kind, stand.server), stand.server.effects.size]).toEqual([1, 20]);
      noneTwice(stand.server);
    },
  );

  it.each(FORGOTTEN.map((fault) => [JSON.stringify(fault), fault] as const))(
    'C4 %s each time: sent twice and not a third time, and the outcome says what was seen',
    async (_, fault) => {
      const stand = await stands.stand(kind, { plan: onEffect(fault) });
      const end = await ended(stand.effect('never'));
      expect(end.code).toBe('outcome-unknown');
      expect(callsOf(stand.server)).toHaveLength(2);
      expect(stand.server.effects.size).toBe(0);
    },
  );

  it('C4 while it is listed again: the listing is done once more too', async () => {
    const stand = await stands.stand(kind);
    stand.server.expireSessions();
    await stand.toolset.refresh('s', { force: true });
    expect([handshakes(kind, stand.server), countOf(stand.server, 'tools/list')]).toEqual([1, 2]);
    expect(namesOf(stand.toolset.tools)).toContain('s__effect');
  });

  it('C4 a call that goes on over the old session is left alone', async () => {
    const stand = await stands.stand(kind);
    const slow = ended(stand.call('slow', { ms: 400 }));
    await until(() => callsOf(stand.server).length === 1);
    stand.server.expireSessions();
    expect(await ended(stand.effect('other'))).toMatchObject({ code: 'ok' });
    expect(await slow).toMatchObject({ code: 'ok' });
    expect(callsOf(stand.server)).toHaveLength(3);
  });

  it('C5 a 400 that says nothing is unknown, and the next call has a new session', async () => {
    const stand = await stands.stand(kind, {
      // A server that refuses every session it does not know so, as many do.
      plan: [{ match: { tool: 'effect', nth: 1 }, fault: { kind: 'session-expired', status: 400, id: 'none' } }],
    });
    expect(await failure(stand.effect('first'))).toMatchObject({ code: 'outcome-unknown' });
    expect(await ended(stand.effect('second'))).toMatchObject({ code: 'ok' });
    expect(callsOf(stand.server)).toHaveLength(2);
    expect(handshakes(kind, stand.server)).toBe(1);
  });
});

describe.each(MODERN_KINDS)('%s: a revision of 2026', (kind) => {
  it('C4 -32020 lists again and sends with the headers of the new list', async () => {
    const marked = (header: string) => [
      {
        name: 'where',
        description: 'Marked.',
        inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': header } } },
      },
    ];
    const stand = await stands.stand(kind, { server: { tools: marked('Region') } });
    stand.server.setTools(marked('Place'));
    stand.server.script([{ match: { tool: 'where', nth: 1 }, fault: { kind: 'header-mismatch' } }]);
    expect(await ended(stand.call('where', { region: 'eu' }))).toMatchObject({ code: 'ok' });
    const headers = callsOf(stand.server).map((request) => request.headers);
    expect(headers.map((sent) => [sent['mcp-param-region'], sent['mcp-param-place']])).toEqual([
      ['eu', undefined],
      [undefined, 'eu'],
    ]);
    expect(countOf(stand.server, 'tools/list')).toBe(1);
    expect(repairs(stand)).toEqual(['relist']);
  });

  it('C4 -32020 each time: sent twice, listed once, and the error is the server’s own', async () => {
    const stand = await stands.stand(kind, { plan: onEffect({ kind: 'header-mismatch' }) });
    expect(await failure(stand.effect('never'))).toMatchObject({ code: 'protocol', rpcCode: -32020 });
    expect([callsOf(stand.server).length, countOf(stand.server, 'tools/list')]).toEqual([2, 1]);
  });

  it('C4 -32020 for 20 calls at once: they share listings, and each is sent twice', async () => {
    const stand = await stands.stand(kind, { plan: onEffect({ kind: 'header-mismatch' }) });
    const ends = await callAll(stand);
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set(['protocol']));
    expect(callsOf(stand.server)).toHaveLength(40);
    expect(countOf(stand.server, 'tools/list')).toBeLessThan(20);
  });

  it('C4 W7 -32022 asks for the era again, once for 20 calls', async () => {
    const stand = await stands.stand(kind, { plan: once({ kind: 'unsupported-version' }) });
    const ends = await callAll(stand);
    expect(ends.map(({ code }) => code)).toEqual(MANY.map(() => 'ok'));
    expect([handshakes(kind, stand.server), stand.server.effects.size]).toEqual([1, 20]);
    noneTwice(stand.server);
    expect(repairs(stand)).toEqual(['reprobe']);
  });

  it('C4 -32022 each time: sent twice, and the error is the server’s own', async () => {
    const stand = await stands.stand(kind, { plan: onEffect({ kind: 'unsupported-version' }) });
    expect(await failure(stand.effect('never'))).toMatchObject({ code: 'protocol', rpcCode: -32022 });
    expect([callsOf(stand.server).length, handshakes(kind, stand.server)]).toEqual([2, 1]);
  });
});

describe.each(SESSION_KINDS)('%s: the codes of 2026 from an older server', (kind) => {
  it.each([-32020, -32022])(
    'C5 %i as an ordinary answer is the tool’s own error, and nothing is sent again',
    async (code) => {
      const stand = await stands.stand(kind, { plan: once({ kind: 'rpc-error', code, effect: 'before' }) });
      expect(await failure(stand.effect('ran'))).toMatchObject({ code: 'protocol', rpcCode: code });
      expect(callsOf(stand.server)).toHaveLength(1);
      noneTwice(stand.server);
    },
  );

  it('C4 W7 -32022 with HTTP 400 is a server that was replaced by a newer one', async () => {
    const stand = await stands.stand(kind, { plan: once({ kind: 'unsupported-version' }) });
    expect(await ended(stand.effect('moved'))).toMatchObject({ code: 'ok' });
    expect([handshakes(kind, stand.server), callsOf(stand.server).length]).toEqual([1, 2]);
    expect(repairs(stand)).toEqual(['reprobe']);
  });
});

describe.each(ALL_KINDS)('%s: a server that goes away', (kind) => {
  it('C4 C5 a restart: calls on their way are unknown, later ones are served', async () => {
    const stand = await stands.stand(kind);
    const { server } = stand;
    const underway = [ended(stand.call('slow', { ms: 5_000 })), ended(stand.call('slow', { ms: 5_000 }))];
    await until(() => callsOf(server).length === 2);
    await server.restart();
    for (const end of await Promise.all(underway)) expect(end).toMatchObject({ code: 'outcome-unknown' });
    const ends = await callAll(stand);
    expect(ends.map(({ code }) => code)).toEqual(MANY.map(() => 'ok'));
    expect(server.effects.size).toBe(20);
    noneTwice(server);
    expect(handshakes(kind, server)).toBe(kind.startsWith('modern') ? 0 : 1);
  });

  it('C4 C6 refused connections: connect-failed, nothing is claimed to have run, and later it works', async () => {
    const stand = await stands.stand(kind);
    const { server } = stand;
    const back = server.restart({ downMs: 700 });
    await sleep(100);
    for (const end of await callAll(stand)) {
      expect(end).toMatchObject({ code: 'connect-failed', error: { server: 's' } });
      expect(end.ms).toBeLessThan(1_500);
    }
    await back;
    expect(server.effects.size).toBe(0);
    expect(await ended(stand.effect('back'))).toMatchObject({ code: 'ok' });
    noneTwice(server);
  });
});

describe.each(ALL_KINDS)('%s: what may run twice', (kind) => {
  const cut: Fault = { kind: 'dead-after-headers' };

  it('C5 `idempotent` sends once more, and the answer is the second one’s', async () => {
    const asked: unknown[] = [];
    const idempotent = (call: unknown) => {
      asked.push(call);
      return true;
    };
    const stand = await stands.stand(kind, { plan: once(cut), idempotent });
    expect(await ended(stand.effect('twice'))).toMatchObject({ code: 'ok', value: doneText('twice') });
    expect([callsOf(stand.server).length, stand.server.effects.get('twice')]).toEqual([2, 2]);
    expect(asked).toEqual([{ server: 's', tool: 'effect' }]);
  });

  it('C5 `idempotent` sends once more and never a third time', async () => {
    const stand = await stands.stand(kind, { plan: onEffect(cut), idempotent: () => true });
    expect(await failure(stand.effect('twice'))).toMatchObject({ code: 'outcome-unknown' });
    expect(callsOf(stand.server)).toHaveLength(2);
  });

  it('C5 after the second try nothing but the truth: it may have run, whatever came of that try', async () => {
    const stand = await stands.stand(kind, {
      plan: [
        { match: { tool: 'effect', nth: 1 }, fault: cut },
        { match: { tool: 'effect', nth: 2 }, fault: { kind: 'http-error', status: 403 } },
      ],
      idempotent: () => true,
    });
    expect(await failure(stand.effect('once'))).toMatchObject({ code: 'outcome-unknown' });
    expect(callsOf(stand.server)).toHaveLength(2);
  });

  const NOT = {
    'no policy': undefined,
    'a policy that says no': () => false,
    'a policy that throws': () => {
      throw new Error('no idea');
    },
    'a policy that says something else': () => 'yes' as unknown as boolean,
    'a policy that promises': () => Promise.resolve(true) as unknown as boolean,
    'a policy that rejects': () => Promise.reject(new Error('no idea')) as unknown as boolean,
  } as const;
  it.each(Object.entries(NOT))('C5 %s: nothing is sent twice', async (_, idempotent) => {
    const stand = await stands.stand(kind, { plan: once(cut), ...(idempotent === undefined ? {} : { idempotent }) });
    expect(await failure(stand.effect('once'))).toMatchObject({ code: 'outcome-unknown' });
    expect(callsOf(stand.server)).toHaveLength(1);
    noneTwice(stand.server);
  });
});

describe.each(HTTP_KINDS)('%s: what is settled', (kind) => {
  it.each([401, 403] as const)('C4 %i without a token to ask for is said at once, for 20 calls', async (status) => {
    const stand = await stands.stand(kind, { plan: onEffect({ kind: 'unauthorized', status }) });
    const ends = await callAll(stand);
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set(['unauthorized']));
    expect([callsOf(stand.server).length, stand.server.effects.size]).toEqual([20, 0]);
  });

  it('C4 a redirect in a circle ends at the limit, and nothing ran', async () => {
    const stand = await stands.stand(kind, { plan: onEffect({ kind: 'redirect', location: '/mcp' }) });
    expect(await failure(stand.effect('never'))).toMatchObject({ code: 'redirect-denied' });
    expect([callsOf(stand.server).length, stand.server.effects.size]).toEqual([6, 0]);
  });
});

describe('SSE transport: the one stream', () => {
  it.each(['end', 'destroy'] as const)(
    'C5 W4 when it is lost (%s), what is under way over it ends too',
    async (how) => {
      const { server, call, effect } = await stands.stand('SSE transport', {
        plan: [{ match: { tool: 'slow' }, fault: { kind: 'silent' } }],
      });
      const underway = [1, 2, 3].map((ms) => ended(call('slow', { ms })));
      await until(() => callsOf(server).length === 3);
      server.dropStreams(how);
      for (const end of await Promise.all(underway)) expect(end).toMatchObject({ code: 'outcome-unknown' });
      // The requests themselves were never answered, and nobody waits for them any more.
      await until(() => callsOf(server).every((request) => request.ended), 1_000);
      expect(await ended(effect('next'))).toMatchObject({ code: 'ok' });
    },
  );

  it('C5 nobody is told of a close that was none', async () => {
    const { server, effect } = await stands.stand('SSE transport');
    const dropping = setInterval(() => server.dropStreams('destroy'), 15);
    const codes = new Set<string>();
    const work = async (worker: number) => {
      for (let index = 0; index < 30; index++) codes.add((await ended(effect(`${worker}-${index}`))).code);
    };
    await Promise.all(Array.from({ length: 10 }, (_, worker) => work(worker)));
    clearInterval(dropping);
    expect(
      [...codes].filter((code) => !['ok', 'outcome-unknown', 'connect-failed', 'breaker-open'].includes(code)),
    ).toEqual([]);
    noneTwice(server);
  });
});
