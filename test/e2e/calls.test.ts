import { describe, expect, it } from 'vitest';
import { connectMcp, type ExecuteOptions } from '../../src/index.js';
import { until } from '../support/http-host.js';
import { HANDLED } from '../support/raw-server.js';
import { createRig, ERAS, rejection, tool } from './rig.js';

const rig = createRig();

async function wireTool(era: (typeof ERAS)[number], options: object = {}, raw: object = {}) {
  const server = await rig.raw({ era, tools: [tool('t')], ...raw });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }], options);
  const call = toolset.tools.s__t!;
  server.reset();
  return { server, toolset, call, sent: () => server.find('tools/call')?.params as Record<string, unknown> };
}

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 0; level < levels; level++) value = { a: value };
  return value;
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function thrower(): never {
  throw new Error('not ours');
}

describe.each(ERAS)('%s', (era) => {
  it.each([[undefined], [null], [{}]])('N6 arguments of %j are sent as no arguments', async (args) => {
    const { call, sent } = await wireTool(era);
    await call.execute(args);
    expect(sent()).toMatchObject({ name: 't', arguments: {} });
  });

  it.each([
    ['an array', []],
    ['a string', 'q: 1'],
    ['a number', 7],
    ['a boolean', true],
    ['a function', () => ({})],
    ['a symbol', Symbol('x')],
    ['a BigInt', 7n],
    ['an object with a BigInt', { q: 7n }],
    ['a value with a cycle', cyclic()],
    ['100,000 levels', nested(100_000)],
    [
      'a throwing getter',
      Object.defineProperty({}, 'q', {
        enumerable: true,
        get: () => {
          throw new Error('CANARY');
        },
      }),
    ],
    ['a toJSON that gives a string', { toJSON: () => 'x' }],
    ['a toJSON that gives nothing', { toJSON: () => undefined }],
    ['a date', new Date(0)],
  ])('G9 N6 arguments that are %s are refused and nothing is sent', async (_label, args) => {
    const { call, server } = await wireTool(era);
    const error = await rejection(call.execute(args));
    expect(error).toMatchObject({
      name: 'McpInvalidArgumentsError',
      code: 'invalid-arguments',
      server: 's',
      tool: 't',
    });
    expect(error).toHaveProperty('issues.0.path', '');
    expect(error.message + JSON.stringify(error)).not.toContain('CANARY');
    expect(server.requests).toEqual([]);
  });

  it.each<[string, string, () => readonly [unknown, unknown?]]>([
    ['arguments that are a revoked proxy', 'invalid-arguments', () => [revoked()]],
    ['options that are a revoked proxy', 'config', () => [{}, revoked()]],
    ['options whose getter throws', 'config', () => [{}, Object.defineProperty({}, 'abortSignal', { get: thrower })]],
    ['a signal that is a revoked proxy', 'config', () => [{}, { abortSignal: revoked() }]],
    [
      'a signal that nobody can stop listening to',
      'config',
      () => [{}, { abortSignal: { aborted: false, addEventListener() {} } }],
    ],
  ])('%s are refused with an error of ours, and nothing is sent', async (_, code, given) => {
    const { call, server } = await wireTool(era);
    server.reset();
    const [args, options] = given();
    expect(await rejection(call.execute(args, options as ExecuteOptions))).toMatchObject({
      code,
      server: 's',
      tool: 't',
    });
    expect(server.requests).toEqual([]);
  });

  it('G9 arguments of any depth either arrive whole or are refused with an error of ours', async () => {
    const { call, server } = await wireTool(era);
    for (const levels of [10, 500, 1_000, 2_000, 3_000, 4_000, 5_000, 6_000, 8_000, 12_000]) {
      server.reset();
      const args = nested(levels);
      const code = await call.execute(args).then(
        () => 'sent',
        (error: { code: string }) => error.code,
      );
      if (code === 'sent') expect(server.find('tools/call')?.body).toContain(`${'{"a":'.repeat(levels)}{}`);
      else {
        expect(code, `${levels} levels`).toBe('invalid-arguments');
        expect(server.requests).toEqual([]);
      }
      if (levels <= 1_000) expect(code).toBe('sent');
    }
  });

  it("N6 what is sent is a copy: the caller's later changes change nothing", async () => {
    const { call, sent, server } = await wireTool(era, {}, { latencyMs: 30 });
    const args = { list: [1, 2], inner: { a: 'before' } };
    const running = call.execute(args);
    args.inner.a = 'after';
    args.list.push(3);
    Object.assign(args, { more: true });
    await running;
    expect(sent().arguments).toEqual({ list: [1, 2], inner: { a: 'before' } });
    expect(server.count('tools/call')).toBe(1);
    expect(args).toEqual({ list: [1, 2, 3], inner: { a: 'after' }, more: true });
  });

  it('N6 an idempotency key travels in _meta; the id of the call does not', async () => {
    const { call, sent, server } = await wireTool(era);
    await call.execute({ q: 1 }, { idempotencyKey: 'key-1', toolCallId: 'CALL-CANARY' });
    expect(sent()).toMatchObject({ name: 't', arguments: { q: 1 }, _meta: { idempotencyKey: 'key-1' } });
    expect(server.find('tools/call')?.body).not.toContain('CALL-CANARY');
    server.reset();
    await call.execute({ q: 1 });
    expect(sent()._meta ?? {}).not.toHaveProperty('idempotencyKey');
  });

  it('a signal that is aborted already sends nothing and rejects with its reason', async () => {
    const { call, server } = await wireTool(era);
    const reason = new Error('changed my mind');
    const error = await rejection(call.execute({}, { abortSignal: AbortSignal.abort(reason) }));
    expect(error).toMatchObject({ name: 'McpAbortError', code: 'aborted', server: 's', tool: 't' });
    expect(error).toHaveProperty('reason', reason);
    expect(server.requests).toEqual([]);
  });

  it('an abort during the call rejects with its reason, and the server hears of it', async () => {
    const { call, server } = await wireTool(era, {}, { onCall: () => HANDLED });
    const controller = new AbortController();
    const running = rejection(call.execute({}, { abortSignal: controller.signal }));
    await until(() => server.count('tools/call') === 1);
    controller.abort('enough');
    expect(await running).toMatchObject({ code: 'aborted', reason: 'enough' });
    await until(() => server.find('tools/call')?.closedEarly === true);
    if (era === 'legacy') await until(() => server.count('notifications/cancelled') === 1);
  });

  it('a call over its time rejects with timeout, never as an abort', async () => {
    const { call, server } = await wireTool(era, { timeoutMs: 80 }, { onCall: () => HANDLED });
    const error = await rejection(call.execute({}, { abortSignal: new AbortController().signal }));
    expect(error).toMatchObject({ name: 'McpTimeoutError', code: 'timeout', server: 's', tool: 't' });
    expect(error.message).toContain('80 ms');
    await until(() => server.find('tools/call')?.closedEarly === true);
  });

  it("a server's own time counts before the toolset's", async () => {
    const server = await rig.raw({ era, tools: [tool('t')], onCall: () => HANDLED });
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url, timeoutMs: 60 }]);
    const error = await rejection(toolset.tools.s__t!.execute({}));
    expect(error).toMatchObject({ code: 'timeout', message: expect.stringContaining('60 ms') });
  });

  it('after close every call rejects with closed, before anything else is looked at', async () => {
    const { call, server, toolset } = await wireTool(era);
    await toolset.close();
    server.reset();
    for (const [args, options] of [
      [{}, {}],
      [7, {}],
      [{}, { abortSignal: AbortSignal.abort() }],
    ] as const) {
      expect(await rejection(call.execute(args, options))).toMatchObject({ name: 'McpClosedError', code: 'closed' });
    }
    expect(server.requests).toEqual([]);
  });

  it('N6 a refused call judges the name first, then the arguments', async () => {
    const { call, server, toolset } = await wireTool(era);
    server.set({ tools: [] });
    await toolset.refresh();
    expect(await rejection(call.execute(7))).toMatchObject({ code: 'unknown-tool' });
    server.set({ tools: [{ name: 't' }] });
    await toolset.refresh();
    expect(await rejection(call.execute(7))).toMatchObject({ code: 'quarantined' });
    expect(server.count('tools/call')).toBe(0);
  });

  it('N6 a hundred calls at once each get their own answer', async () => {
    const { call } = await wireTool(era, {}, { latencyMs: () => Math.random() * 20 });
    const calls = Array.from({ length: 100 }, (_, index) => call.execute({ index }));
    const answers = await Promise.all(calls);
    expect(answers.map(({ content }) => content)).toEqual(
      calls.map((_, index) => [{ type: 'text', text: JSON.stringify({ index }) }]),
    );
  });
});

it('N6 connectMcp passes signal and key on, and is closed after its close', async () => {
  const server = await rig.raw({ tools: [tool('t')] });
  const client = await connectMcp({ name: 's', type: 'http', url: server.url });
  await client.callTool('t', { q: 1 }, { idempotencyKey: 'k' });
  expect(server.find('tools/call')?.params).toMatchObject({ arguments: { q: 1 }, _meta: { idempotencyKey: 'k' } });
  const aborted = client.callTool('t', {}, { abortSignal: AbortSignal.abort('no') });
  expect(await rejection(aborted)).toMatchObject({ code: 'aborted', reason: 'no' });
  await client.close();
  expect(await rejection(client.callTool('t'))).toMatchObject({ code: 'closed' });
  expect(await rejection(client.listTools())).toMatchObject({ code: 'closed' });
});

it('O1 telemetry tells what was refused from what was sent', async () => {
  const server = await rig.raw({ tools: [tool('t')] });
  const outcomes: string[] = [];
  const telemetry = {
    start: () => ({ set() {}, end() {} }),
    onCall: ({ outcome }: { outcome: string }) => void outcomes.push(outcome),
  };
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }], { telemetry });
  const { s__t: call } = toolset.tools;
  await call!.execute({});
  await rejection(call!.execute(7));
  server.set({ onCall: () => ({ isError: true }) });
  await rejection(call!.execute({}));
  server.set({ onCall: () => ({ content: 7 }) });
  await rejection(call!.execute({}));
  expect(outcomes).toEqual(['ok', 'refused', 'tool-error', 'failed']);
});

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
