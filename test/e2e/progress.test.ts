import { describe, expect, it } from 'vitest';
import { type McpOptions, mcpTools, type ToolProgress } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import { freshTurn } from '../support/time.js';
import { ALL_KINDS, callsOf, createStands, ended, failure, SESSION_KINDS } from './faults-kit.js';
import { custom, fakeTransport } from './wiring-kit.js';

const stands = createStands();
const tokenOf = ({ params }: { readonly params?: unknown }) =>
  (params as { _meta?: { progressToken?: unknown } } | undefined)?._meta?.progressToken;

describe.each(SESSION_KINDS)('%s: one deadline', (kind) => {
  it('C3 is over the wait for the connection, the call and its second try', async () => {
    const { server, effect } = await stands.stand(kind, { source: { timeoutMs: 2_100 } });
    server.expireSessions();
    server.script([
      { match: { method: 'initialize' }, fault: { kind: 'delay', ms: 1_200 } },
      { match: { tool: 'effect', nth: 2 }, fault: { kind: 'delay', ms: 1_800 } },
    ]);
    await freshTurn();
    const end = await ended(effect('late'));
    expect(end).toMatchObject({ code: 'timeout' });
    expect(end.ms).toBeGreaterThanOrEqual(2_090);
    expect(end.ms).toBeLessThan(2_800);
    expect(callsOf(server)).toHaveLength(2);
  });
});

describe.each(ALL_KINDS)('%s', (kind) => {
  const steps = { steps: 8, everyMs: 100 };

  it.each([
    ['`onProgress`', { onProgress: () => {} }],
    ['`maxTotalMs`', { maxTotalMs: 5_000 }],
  ] as const)('C3 with %s progress is asked for, and each step gives the call its time anew', async (_, options) => {
    const { server, call } = await stands.stand(kind, { source: { timeoutMs: 400 }, ...options });
    expect(await ended(call('progress', steps))).toMatchObject({ code: 'ok' });
    expect(tokenOf(callsOf(server)[0]!)).toEqual(expect.any(String));
  });

  it('C3 without either it is not asked for, and what comes all the same extends nothing', async () => {
    const { server, call } = await stands.stand(kind, { source: { timeoutMs: 400 } });
    const end = await ended(call('progress', steps));
    expect(end).toMatchObject({ code: 'timeout' });
    expect(end.ms).toBeLessThan(1_400);
    expect(tokenOf(callsOf(server)[0]!)).toBeUndefined();
  });

  it('C3 steps without end are ended at `maxTotalMs`, whose name is said', async () => {
    const { call } = await stands.stand(kind, { source: { timeoutMs: 300 }, maxTotalMs: 900 });
    await freshTurn();
    const end = await ended(call('progress', { steps: 1_000, everyMs: 50 }));
    expect(end).toMatchObject({ code: 'timeout', error: { message: expect.stringContaining('`maxTotalMs`') } });
    expect(end.ms).toBeGreaterThanOrEqual(890);
    expect(end.ms).toBeLessThan(1_900);
  });

  it('C3 C5 a connection that dies after a step ends the call at once', async () => {
    const seen: number[] = [];
    const { call } = await stands.stand(kind, {
      source: { timeoutMs: 400 },
      onProgress: () => void seen.push(performance.now()),
      plan: [{ match: { tool: 'progress' }, fault: { kind: 'dead-after-event', effect: 'none', events: 1 } }],
    });
    // The connection dies after one step: nothing more will come, and that is known at once.
    expect(await ended(call('progress', steps))).toMatchObject({ code: 'outcome-unknown' });
    expect(seen).toHaveLength(1);
  });

  it('C3 each call hears of its own progress alone, under its own id', async () => {
    const seen: ToolProgress[] = [];
    const { toolset } = await stands.stand(kind, { onProgress: (progress) => void seen.push(progress) });
    const run = (toolCallId: string, count: number) =>
      toolset.tools.s__progress!.execute({ steps: count, everyMs: 5 }, { toolCallId });
    await Promise.all([run('three', 3), run('five', 5), toolset.tools.s__progress!.execute({ steps: 2, everyMs: 5 })]);
    const of = (id: string) => seen.filter(({ toolCallId }) => toolCallId === id);
    expect(of('three')).toEqual(
      [1, 2, 3].map((progress) => ({ server: 's', tool: 'progress', toolCallId: 'three', progress, total: 3 })),
    );
    expect([of('five').length, of('').length]).toEqual([5, 2]);
  });

  it('C3 10,000 steps at once: all are heard, the call is answered, the loop goes on turning', async () => {
    let heard = 0;
    const { effect } = await stands.stand(kind, {
      onProgress: () => void heard++,
      plan: [{ match: { tool: 'effect' }, fault: { kind: 'progress-flood', count: 10_000 } }],
    });
    let last = performance.now();
    let longest = 0;
    const turning = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 5);
    const end = await ended(effect('flooded'));
    clearInterval(turning);
    expect(end).toMatchObject({ code: 'ok' });
    expect(heard).toBe(10_000);
    // The server is in this process and shares its loop.
    expect(longest).toBeLessThan(1_500);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('the host’s own fault');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the host’s own fault'))],
  ])('C3 a listener that %s costs the call nothing', async (_, onProgress) => {
    const { call } = await stands.stand(kind, { onProgress });
    expect(await ended(call('progress', { steps: 3, everyMs: 1 }))).toMatchObject({ code: 'ok' });
  });

  it('C2 C3 a listener may abort the call that it hears of', async () => {
    const controller = new AbortController();
    const { call, server } = await stands.stand(kind, { onProgress: () => controller.abort('seen enough') });
    const end = await ended(call('progress', { steps: 100, everyMs: 20 }, { abortSignal: controller.signal }));
    expect(end).toMatchObject({ code: 'aborted', error: { reason: 'seen enough' } });
    await until(() => server.cancelled.length > 0);
  });

  it('W4 C3 a listener may close the toolset', async () => {
    const closing: Promise<void>[] = [];
    const { call, toolset } = await stands.stand(kind, { onProgress: () => void closing.push(toolset.close()) });
    expect(await failure(call('progress', { steps: 100, everyMs: 20 }))).toMatchObject({ code: 'closed' });
    await Promise.all(closing);
  });
});

describe('what a server may say of progress', () => {
  /** A server in this process that says `notices` about the call, and then answers it, or does not. */
  async function saying(notices: (token: unknown) => readonly object[], options: McpOptions, answers = true) {
    let token: unknown;
    const transport = fakeTransport({
      answer(method, params) {
        if (method !== 'tools/call') {
          return method === 'initialize'
            ? { result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'f', version: '1' } } }
            : { result: { tools: [{ name: 'a', inputSchema: { type: 'object' } }] } };
        }
        token = (params._meta as { progressToken?: unknown }).progressToken;
        for (const notice of notices(token)) say(notice);
        return answers ? { result: { content: [] } } : undefined;
      },
    });
    const say = (params: object) =>
      transport.onmessage?.({ jsonrpc: '2.0', method: 'notifications/progress', params } as never);
    const toolset = stands.keep(await mcpTools([custom('s', () => transport)], { onServerError: 'throw', ...options }));
    return { call: () => ended(toolset.tools.s__a!.execute({})), say, token: () => token };
  }

  it('C3 R7 only what is of its type is handed on', async () => {
    const seen: ToolProgress[] = [];
    const { call } = await saying(
      (progressToken) => [
        { progressToken },
        { progressToken, progress: '1' },
        { progressToken, progress: null },
        { progressToken, progress: Number.NaN },
        { progressToken, progress: Number.POSITIVE_INFINITY },
        { progressToken, progress: { valueOf: () => 1 } },
        { progressToken, progress: 1, total: '2', message: 3 },
        { progressToken, progress: 2, total: Number.POSITIVE_INFINITY, message: null },
        { progressToken, progress: 3, total: 4, message: 'on', server: 'x', tool: 'x', toolCallId: 'x', extra: 'x' },
      ],
      { onProgress: (progress) => void seen.push(progress) },
    );
    expect(await call()).toMatchObject({ code: 'ok' });
    const own = { server: 's', tool: 'a', toolCallId: '' };
    expect(seen).toEqual([
      { ...own, progress: 1 },
      { ...own, progress: 2 },
      { ...own, progress: 3, total: 4, message: 'on' },
    ]);
  });

  it('C3 what is no progress, or somebody else’s, gives no time', async () => {
    const seen: ToolProgress[] = [];
    const { call, say, token } = await saying(
      () => [],
      { onProgress: (progress) => void seen.push(progress), timeoutMs: 300 },
      false,
    );
    const talking = setInterval(() => {
      const progressToken = token();
      if (progressToken === undefined) return;
      say({ progressToken, progress: 'half' });
      for (const other of [`${progressToken}x`, Number(progressToken), null, undefined, {}, [progressToken]]) {
        say({ progressToken: other, progress: 1 });
      }
    }, 20);
    await freshTurn();
    const end = await call();
    clearInterval(talking);
    expect(end).toMatchObject({ code: 'timeout' });
    expect(end.ms).toBeLessThan(1_300);
    expect(seen).toEqual([]);
  });

  it('C3 what comes after the answer, or after the deadline, is noise', async () => {
    const seen: ToolProgress[] = [];
    const onProgress = (progress: ToolProgress) => void seen.push(progress);
    const answered = await saying(() => [], { onProgress });
    await answered.call();
    answered.say({ progressToken: answered.token(), progress: 1 });
    const late = await saying(() => [], { onProgress, timeoutMs: 100 }, false);
    expect(await late.call()).toMatchObject({ code: 'timeout' });
    late.say({ progressToken: late.token(), progress: 1 });
    await sleep(20);
    expect(seen).toEqual([]);
  });

  it('C3 when the steps stop, the time is counted from the last one', async () => {
    const { call, say, token } = await saying(() => [], { onProgress: () => {}, timeoutMs: 400 }, false);
    let last = 0;
    for (const ms of [100, 200, 300]) {
      setTimeout(() => {
        last = performance.now();
        say({ progressToken: token(), progress: ms });
      }, ms);
    }
    expect(await call()).toMatchObject({
      code: 'timeout',
      error: { message: expect.stringContaining('within 400 ms') },
    });
    expect(performance.now() - last).toBeGreaterThanOrEqual(390);
    expect(performance.now() - last).toBeLessThan(1_400);
  });

  it('C3 `maxTotalMs` is ten times `timeoutMs` where it is not given', async () => {
    const { call, say, token } = await saying(() => [], { onProgress: () => {}, timeoutMs: 80 }, false);
    let step = 0;
    const talking = setInterval(() => say({ progressToken: token(), progress: step++ }), 20);
    await freshTurn();
    const end = await call();
    clearInterval(talking);
    expect(end).toMatchObject({ code: 'timeout', error: { message: expect.stringContaining('within 800 ms') } });
    expect(end.ms).toBeGreaterThanOrEqual(790);
    expect(end.ms).toBeLessThan(1_800);
  });
});
