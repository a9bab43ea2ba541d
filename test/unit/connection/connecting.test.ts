import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ResolvedOptions } from '../../../src/config/resolve-options.js';
import { ready } from '../../../src/connection/connecting.js';
import { openLink } from '../../../src/connection/handshake.js';
import type { Link } from '../../../src/connection/link.js';
import { type ConnectionState, createState } from '../../../src/connection/state.js';
import { createClosing, createDeadline } from '../../../src/core/deadline.js';
import { McpClosedError, McpConfigError, McpConnectError, type McpError } from '../../../src/core/errors.js';

vi.mock('../../../src/connection/handshake.js', () => ({ openLink: vi.fn() }));
const opening = vi.mocked(openLink);

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  opening.mockReset();
});
afterEach(() => void vi.useRealTimers());

const CONNECT_MS = 10_000;
const failed = () => new McpConnectError('connect-failed', 'down', { server: 's' });

function makeLink(): Link & { closed: boolean } {
  return { kind: 'http', era: 'modern', closed: false, prior: {}, close: vi.fn(async () => {}) } as never;
}

function create() {
  const closing = createClosing();
  const options = { connectTimeoutMs: CONNECT_MS, telemetry: undefined } as unknown as ResolvedOptions;
  return { closing, state: createState({ name: 's', options, closing: closing.signal, server: {} } as never) };
}

/** What a use within `ms` comes to, and when. */
function use(state: ConnectionState, ms = 600_000, signal?: AbortSignal) {
  const deadline = createDeadline({ ms, signal });
  const startedAt = Date.now();
  const ended = ready(state, deadline)
    .then(
      (link) => ({ link, ms: Date.now() - startedAt }),
      (error: McpError) => ({ error, ms: Date.now() - startedAt }),
    )
    .finally(() => deadline.dispose());
  return ended as Promise<{ link?: Link; error?: McpError; ms: number }>;
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

async function fail(state: ConnectionState, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    opening.mockRejectedValueOnce(failed());
    const used = use(state);
    await pass(2_000);
    expect((await used).error).toMatchObject({ code: 'connect-failed' });
  }
}

describe('the breaker', () => {
  it('C6 a use after a failed connect waits until 250 ms after it, and then tries', async () => {
    const { state } = create();
    opening.mockRejectedValueOnce(failed());
    expect((await use(state)).error).toMatchObject({ code: 'connect-failed' });
    const link = makeLink();
    opening.mockResolvedValueOnce(link);
    const used = use(state);
    await pass(249);
    expect(opening).toHaveBeenCalledTimes(1);
    await pass(1);
    expect(await used).toEqual({ link, ms: 250 });
    expect(state.breaker.failures).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('C6 opens after five failures: refused at once, with the wait and the cause, and nothing is opened', async () => {
    const { state } = create();
    await fail(state, 5);
    expect(opening).toHaveBeenCalledTimes(5);
    const cause = state.error;
    // The last failure was seen within its 2 s, so some of the 30 are over.
    const { error, ms } = await use(state);
    expect(ms).toBe(0);
    expect(error).toMatchObject({ code: 'breaker-open', server: 's', name: 'McpConnectError', cause });
    expect(error!.message).toMatch(/^Server `s` failed 5 times in a row; it is tried again in (2\d|30) s\.$/);
    expect(opening).toHaveBeenCalledTimes(5);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('C6 lets one try after 30 s, and opens again for 30 s when that fails', async () => {
    const { state } = create();
    await fail(state, 5);
    await pass(30_000);
    opening.mockRejectedValueOnce(failed());
    const half = await Promise.all(Array.from({ length: 20 }, () => use(state)));
    expect(half.map(({ error }) => error?.code)).toEqual(Array.from({ length: 20 }, () => 'connect-failed'));
    expect(opening).toHaveBeenCalledTimes(6);
    expect((await use(state)).error).toMatchObject({ code: 'breaker-open' });
    await pass(30_000);
    opening.mockResolvedValueOnce(makeLink());
    expect((await use(state)).link).toBeDefined();
    expect(state.breaker.failures).toBe(0);
  });

  it('C6 a success ends the count', async () => {
    const { state } = create();
    await fail(state, 4);
    const link = makeLink();
    opening.mockResolvedValueOnce(link);
    const used = use(state);
    await pass(2_000);
    expect((await used).link).toBe(link);
    link.closed = true;
    await fail(state, 4);
    expect(state.breaker.failures).toBe(4);
  });

  it.each([
    ['config', () => new McpConfigError('no')],
    ['closed', () => new McpClosedError('no')],
    ['host-denied', () => new McpConnectError('host-denied', 'no')],
    // A token that could not be had: the server was not asked.
    ['unauthorized', () => new McpConnectError('unauthorized', 'no', { cause: { name: 'AuthError' } })],
  ] as const)('C6 %s says nothing about the server and is not counted', async (code, make) => {
    const { state } = create();
    for (let time = 0; time < 7; time++) {
      opening.mockRejectedValueOnce(make());
      expect(await use(state)).toMatchObject({ error: { code }, ms: 0 });
    }
    expect(state.breaker.failures).toBe(0);
    expect(opening).toHaveBeenCalledTimes(7);
  });

  it.each(['unauthorized', 'protocol-unsupported', 'redirect-denied'] as const)(
    'C6 %s is counted, and stays the cause when the breaker is open',
    async (code) => {
      const { state } = create();
      for (let time = 0; time < 5; time++) {
        opening.mockRejectedValueOnce(new McpConnectError(code, 'no', { cause: { name: 'HttpError', status: 401 } }));
        const used = use(state);
        await pass(2_000);
        expect((await used).error).toMatchObject({ code });
      }
      expect((await use(state)).error).toMatchObject({ code: 'breaker-open', cause: { code } });
    },
  );

  it('C6 a use that is aborted or times out while it waits is not counted, opens nothing and leaves no timer', async () => {
    const { state } = create();
    await fail(state, 4);
    opening.mockClear();
    opening.mockRejectedValueOnce(failed());
    const first = use(state);
    await pass(2_000);
    await first;
    state.breaker = { failures: 3, lastFailureAt: Date.now() };
    opening.mockClear();
    const abort = new AbortController();
    const aborted = use(state, 600_000, abort.signal);
    const late = use(state, 300);
    await pass(100);
    abort.abort();
    expect(await aborted).toMatchObject({ error: { code: 'aborted' }, ms: 100 });
    await pass(200);
    expect(await late).toMatchObject({ error: { code: 'timeout' }, ms: 300 });
    expect(opening).not.toHaveBeenCalled();
    expect(state.breaker.failures).toBe(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('C6 a use that gives up during the connect leaves it to the others', async () => {
    const { state } = create();
    let open: (link: Link) => void = () => {};
    opening.mockReturnValueOnce(
      new Promise((resolve) => {
        open = resolve;
      }),
    );
    const abort = new AbortController();
    const aborted = use(state, 600_000, abort.signal);
    const patient = use(state);
    await pass(50);
    abort.abort();
    expect((await aborted).error).toMatchObject({ code: 'aborted' });
    const link = makeLink();
    open(link);
    await pass(0);
    expect((await patient).link).toBe(link);
    expect(opening).toHaveBeenCalledTimes(1);
    expect(state.breaker.failures).toBe(0);
  });
});

describe('single flight', () => {
  it('C6 twenty concurrent uses share one connect, also after the wait', async () => {
    const { state } = create();
    opening.mockRejectedValueOnce(failed());
    const first = await Promise.all(Array.from({ length: 20 }, () => use(state)));
    expect(new Set(first.map(({ error }) => error))).toEqual(new Set([state.error]));
    expect(opening).toHaveBeenCalledTimes(1);
    const link = makeLink();
    opening.mockResolvedValueOnce(link);
    const second = Array.from({ length: 20 }, () => use(state));
    await pass(250);
    expect(new Set((await Promise.all(second)).map(({ link: made }) => made))).toEqual(new Set([link]));
    expect(opening).toHaveBeenCalledTimes(2);
  });

  it('C6 a link that has ended is replaced at once: its end is no failed connect', async () => {
    const { state } = create();
    const [first, second] = [makeLink(), makeLink()];
    opening.mockResolvedValueOnce(first).mockResolvedValueOnce(second);
    await use(state);
    first.closed = true;
    expect(await use(state)).toEqual({ link: second, ms: 0 });
  });

  it('W4 a connect that comes back after the close is closed again', async () => {
    const { state, closing } = create();
    let open: (link: Link) => void = () => {};
    opening.mockReturnValueOnce(
      new Promise((resolve) => {
        open = resolve;
      }),
    );
    const used = use(state);
    await pass(0);
    state.closed = Promise.resolve();
    closing.abort();
    const link = makeLink();
    open(link);
    await pass(0);
    expect((await used).error).toMatchObject({ code: 'closed' });
    expect(link.close).toHaveBeenCalledTimes(1);
    expect(state.link).toBeUndefined();
    expect((await use(state)).error).toMatchObject({ code: 'closed' });
    expect(opening).toHaveBeenCalledTimes(1);
  });
});
