import { describe, expect, it } from 'vitest';
import { createGuardedFetch } from '../../../src/guard/fetch.js';
import { judgeRedirect } from '../../../src/guard/redirects.js';

const base = { server: 'docs', policy: 'follow', allowed: undefined } as const;
const question = { ...base, method: 'POST', status: 307, followed: 0, max: 5 } as const;
const limits = { responseBytes: 1_000, redirects: 5 };

describe('one hop', () => {
  it('G5 a public host cannot send the client to this machine', () => {
    const from = new URL('https://mcp.example.com/mcp');
    for (const location of ['https://localhost/x', 'https://127.0.0.1/x', 'https://[::1]/x']) {
      expect(judgeRedirect({ ...question, from, location })).toMatchObject({ code: 'redirect-denied' });
    }
    expect(judgeRedirect({ ...question, from, location: 'https://other.example.com/x' })).toBeInstanceOf(URL);
    expect(
      judgeRedirect({ ...question, from: new URL('http://127.0.0.1:1/'), location: 'http://127.0.0.1:2/' }),
    ).toBeInstanceOf(URL);
  });
});

/** A fetch that never answers and tells what signal it was given. */
function hangingFetch() {
  const signals: AbortSignal[] = [];
  const fetch = ((_: string, init: RequestInit) => {
    signals.push(init.signal as AbortSignal);
    return new Promise((_resolve, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
    });
  }) as typeof globalThis.fetch;
  return { signals, fetch };
}

describe('a resumed stream', () => {
  const url = new URL('http://127.0.0.1:1/mcp');
  const common = { server: 'docs', url, headers: {}, redirect: 'error', limits, kind: 'http' } as const;

  it('C2 ends with the call that it belongs to', async () => {
    const { signals, fetch } = hangingFetch();
    const call = new AbortController();
    const facts = { sent: false, carriedSession: false };
    const exchange = { requestId: 1, handshake: false, signal: call.signal, facts };
    const exchangeOfStream = (id: string) => (id === '7' ? exchange : undefined);
    const guard = createGuardedFetch({ ...common, fetch, exchange: () => undefined, exchangeOfStream });
    const resumed = guard.fetch(url, { headers: { 'last-event-id': '7' } });
    const deleted = guard.fetch(url, { method: 'DELETE', signal: call.signal });
    await expect.poll(() => signals.length).toBe(2);
    call.abort(new Error('ended'));
    await expect(resumed).rejects.toThrow('ended');
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    guard.close();
    await expect(deleted).rejects.toMatchObject({ code: 'closed' });
  });

  it('L7 that belongs to no call is the notice stream, and waits for its turn', async () => {
    const asked: string[] = [];
    const fetch = async (input: unknown) => {
      asked.push(String(input));
      return new Response(null, { status: 204 });
    };
    const guard = createGuardedFetch({ ...common, fetch, exchange: () => undefined });
    expect((await guard.fetch(url, { headers: { 'last-event-id': '9' } })).status).toBe(405);
    const notices = { mayOpen: async () => true, opened() {}, lost() {}, refused() {} };
    const listening = createGuardedFetch({ ...common, fetch, exchange: () => undefined, notices });
    expect((await listening.fetch(url, { headers: { 'last-event-id': '9' } })).status).toBe(204);
    expect(asked).toHaveLength(1);
  });
});

describe('the event stream of HTTP+SSE', () => {
  it('G1 what is known of it is kept, though it carries no exchange', async () => {
    const fetch = async () => new Response('no', { status: 401 });
    const url = new URL('http://127.0.0.1:1/sse');
    const options = { server: 'docs', url, headers: {}, fetch, redirect: 'error', limits, kind: 'sse' } as const;
    const guard = createGuardedFetch({ ...options, exchange: () => undefined });
    await guard.fetch(url);
    expect(guard.facts).toMatchObject({ sent: true, status: 401 });
  });
});
