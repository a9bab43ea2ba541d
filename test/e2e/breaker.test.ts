import { afterEach, expect, it, vi } from 'vitest';
import type { McpError } from '../../src/index.js';
import type { RawServer, RawServerOptions } from '../support/raw-server.js';
import { clock } from '../support/time.js';
import { namesOf } from './rig.js';
import { createKit, http, rejection, tool } from './wiring-kit.js';

const kit = createKit();
afterEach(() => void vi.restoreAllMocks());

/** A server that was listed, has lost its session since, and cannot be connected to. */
async function broken(options: RawServerOptions = {}) {
  const server = await kit.raw({ era: 'legacy', tools: [tool('a'), tool('b')], ...options });
  const toolset = await kit.wire([http('s', server)]);
  server.expireSessions();
  server.set({ status: { initialize: 500 } });
  server.reset();
  const call = (abortSignal?: AbortSignal) =>
    toolset.tools.s__a!.execute({}, abortSignal === undefined ? {} : { abortSignal });
  return { server, toolset, call };
}

async function failTimes(times: number, { call }: { call(): Promise<unknown> }, time: { pass(ms: number): void }) {
  for (let failed = 0; failed < times; failed++) {
    expect(await rejection(call())).toMatchObject({ code: 'connect-failed', server: 's' });
    time.pass(2_000);
  }
}

it('C6 what one connect fails with is told to each call that waited for it, with its own tool', async () => {
  const { server, toolset } = await broken();
  const errors = await Promise.all(['a', 'b'].map((name) => rejection(toolset.tools[`s__${name}`]!.execute({}))));
  expect(errors).toMatchObject([
    { code: 'connect-failed', server: 's', tool: 'a' },
    { code: 'connect-failed', server: 's', tool: 'b' },
  ]);
  expect(connects(server)).toBe(1);
  expect(toolset.servers[0]?.error?.tool).toBeUndefined();
});

const connects = (server: RawServer) => server.count('initialize');
const mend = (server: RawServer) => server.set({ status: {} });

it('C6 after a failed connect the next call waits about 250 ms and then tries', async () => {
  const { server, call } = await broken();
  expect(await rejection(call())).toMatchObject({ code: 'connect-failed' });
  mend(server);
  const failedAt = Date.now();
  await expect(call()).resolves.toMatchObject({ content: [{ type: 'text' }] });
  const tried = server.requests.filter(({ method }) => method === 'initialize').at(-1)!;
  expect(connects(server)).toBe(2);
  expect(tried.at - failedAt).toBeGreaterThan(150);
  expect(tried.at - failedAt).toBeLessThan(5_000);
  // The connection stands again, so nothing waits.
  await call();
  expect(connects(server)).toBe(2);
});

it('C6 five failures in a row open it: calls and refreshes are refused at once, with the wait, and nothing is sent', async () => {
  const time = clock();
  const toolsetOf = await broken();
  const { server, toolset, call } = toolsetOf;
  await failTimes(5, toolsetOf, time);
  expect(connects(server)).toBe(5);
  const sent = server.requests.length;
  const errors = [await rejection(call()), await rejection(toolset.refresh('s'))] as McpError[];
  for (const error of errors) {
    expect(error).toMatchObject({ name: 'McpConnectError', code: 'breaker-open', server: 's' });
    expect(error.message).toMatch(/^Server `s` failed 5 times in a row; it is tried again in (2[5-9]|30) s\.$/);
    expect(error.cause).toMatchObject({ code: 'connect-failed' });
  }
  await toolset.refresh();
  expect(kit.diagnostics).toMatchObject([{ code: 'server-failed', data: { errorCode: 'breaker-open' } }]);
  expect(server.requests).toHaveLength(sent);
  expect(toolset.servers).toMatchObject([{ state: 'failed', tools: { active: 2 } }]);
  // Another server of the same toolset would not notice; nor does the map.
  expect(namesOf(toolset.tools)).toEqual(['s__a', 's__b']);
});

it('C6 a forced refresh tries at once past an open breaker, and its success closes it', async () => {
  const time = clock();
  const given = await broken();
  const { server, toolset, call } = given;
  await failTimes(5, given, time);
  mend(server);
  expect(await rejection(call())).toMatchObject({ code: 'breaker-open' });
  await toolset.refresh('s', { force: true });
  expect(connects(server)).toBe(6);
  await expect(call()).resolves.toMatchObject({ content: [{ type: 'text' }] });
  expect(toolset.servers).toMatchObject([{ state: 'ready' }]);
});

it('C6 a forced refresh that fails says why', async () => {
  const time = clock();
  const given = await broken();
  await failTimes(5, given, time);
  const error = await rejection(given.toolset.refresh('s', { force: true }));
  expect(error).toMatchObject({ code: 'connect-failed' });
  expect(connects(given.server)).toBe(6);
});

it('C6 after 30 s one call tries, for all of them; when it fails it is open for 30 s again', async () => {
  const time = clock();
  const given = await broken({ latencyMs: 20 });
  const { server, call } = given;
  await failTimes(5, given, time);
  time.pass(30_000);
  const half = await Promise.all(Array.from({ length: 20 }, () => rejection(call())));
  expect(new Set(half.map((error) => (error as McpError).code))).toEqual(new Set(['connect-failed']));
  expect(connects(server)).toBe(6);
  expect(await rejection(call())).toMatchObject({ code: 'breaker-open' });
  time.pass(30_000);
  mend(server);
  await call();
  expect(connects(server)).toBe(7);
});

it('C6 twenty calls at once make one connect, whether it fails or not', async () => {
  const { server, call } = await broken({ latencyMs: 20 });
  // The first one finds the session gone; from then on there is no connection.
  await rejection(call());
  const errors = await Promise.all(Array.from({ length: 20 }, () => rejection(call())));
  expect(errors.every((error) => (error as McpError).code === 'connect-failed')).toBe(true);
  expect(connects(server)).toBe(2);
  expect(server.count('tools/call')).toBe(1);
  mend(server);
  await Promise.all(Array.from({ length: 20 }, () => call()));
  expect(connects(server)).toBe(3);
  expect(server.count('tools/call')).toBe(21);
});

it('C6 calls that are aborted while it holds back are not counted and open nothing', async () => {
  const time = clock();
  const given = await broken();
  const { server, call } = given;
  await failTimes(4, given, time);
  time.pass(-2_000);
  for (let aborted = 0; aborted < 8; aborted++) {
    const abort = new AbortController();
    const failed = rejection(call(abort.signal));
    setTimeout(() => abort.abort(), 5);
    expect(await failed).toMatchObject({ code: 'aborted' });
  }
  expect(connects(server)).toBe(4);
  time.pass(4_000);
  mend(server);
  await expect(call()).resolves.toMatchObject({ content: [{ type: 'text' }] });
});

it('C6 a close while it holds back is a close', async () => {
  const given = await broken();
  expect(await rejection(given.call())).toMatchObject({ code: 'connect-failed' });
  const failed = rejection(given.call());
  await given.toolset.close();
  expect(await failed).toMatchObject({ code: 'closed' });
  expect(connects(given.server)).toBe(1);
});

it('C6 wrong credentials are counted, and stay the cause when it is open', async () => {
  const time = clock();
  const server = await kit.raw({ status: { POST: 401, initialize: 401, 'server/discover': 401 } });
  const toolset = await kit.wire([http('s', server)]);
  expect(toolset.servers).toMatchObject([{ state: 'failed', error: { code: 'unauthorized' } }]);
  for (let failed = 1; failed < 5; failed++) {
    time.pass(2_000);
    expect(await rejection(toolset.refresh('s'))).toMatchObject({ code: 'unauthorized' });
  }
  const sent = server.requests.length;
  const error = (await rejection(toolset.refresh('s'))) as McpError;
  expect(error).toMatchObject({ code: 'breaker-open' });
  expect(error.cause).toMatchObject({ code: 'unauthorized' });
  expect(server.requests).toHaveLength(sent);
});

it('C6 an address that the guard refuses is refused each time, at once, for what it is', async () => {
  const fetch = vi.fn();
  const toolset = await kit.wire([{ name: 's', type: 'http', url: 'https://10.0.0.1/mcp' }], { fetch });
  const startedAt = performance.now();
  for (let failed = 0; failed < 7; failed++) {
    expect(await rejection(toolset.refresh('s'))).toMatchObject({ code: 'host-denied' });
  }
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(fetch).not.toHaveBeenCalled();
});

it('C6 one server that is down holds no other back', async () => {
  const time = clock();
  const given = await broken();
  const other = await kit.raw();
  const toolset = await kit.wire([http('down', given.server), http('up', other)]);
  for (let failed = 1; failed < 5; failed++) {
    time.pass(2_000);
    await rejection(toolset.refresh('down'));
  }
  expect(await rejection(toolset.refresh('down'))).toMatchObject({ code: 'breaker-open' });
  await expect(toolset.tools.up__a!.execute({ q: '1' })).resolves.toMatchObject({ content: [{ text: '{"q":"1"}' }] });
});
