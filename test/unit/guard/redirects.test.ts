import { describe, expect, it } from 'vitest';
import { McpConnectError } from '../../../src/core/errors.js';
import type { RedirectPolicy } from '../../../src/core/servers.js';
import { judgeRedirect } from '../../../src/guard/redirects.js';
import { exchangeOf, failureOf, guardFor, json, openOrigin, post, soon } from './fixtures.js';

const CANARY = 'canary-4711';
const SECRETS = {
  authorization: `Bearer ${CANARY}`,
  cookie: `a=${CANARY}`,
  'mcp-session-id': CANARY,
  'x-anything': CANARY,
  'mcp-param-q': CANARY,
};
const KEPT = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'search' };

/** Two origins: home answers `/mcp` with the redirect, and both answer everything else with 200. */
async function twoOrigins(status: number, to: 'home' | 'away') {
  const away = await openOrigin((_, response) => json(response, 200, { from: 'away' }));
  const home = await openOrigin((_, response, { path }) => {
    if (!path.startsWith('/mcp')) return json(response, 200, { from: 'home' });
    const location = to === 'home' ? '/moved?x=1' : new URL('/moved', away.url).href;
    response.writeHead(status, { location, 'content-type': 'text/plain' }).end('go on');
  });
  return { home, away };
}

/** Whether a redirect is followed, by the rule. */
function isFollowed(policy: RedirectPolicy, status: number, method: string, to: 'home' | 'away'): boolean {
  if (policy === 'error' || (policy === 'same-origin' && to === 'away')) return false;
  return method === 'GET' || status === 307 || status === 308;
}

const cases = (['error', 'same-origin', 'follow'] as const).flatMap((policy) =>
  [301, 302, 303, 307, 308].flatMap((status) =>
    ['GET', 'POST', 'DELETE'].flatMap((method) =>
      (['home', 'away'] as const).map((to) => ({
        policy,
        status,
        method,
        to,
        followed: isFollowed(policy, status, method, to),
      })),
    ),
  ),
);

describe('redirects over the network', () => {
  it.each(cases)(
    'G5 $policy, $status, $method to $to: followed $followed',
    async ({ policy, status, method, to, followed }) => {
      const { home, away } = await twoOrigins(status, to);
      await using _home = home;
      await using _away = away;
      const guard = guardFor(home.url, { redirect: policy, headers: { 'X-API-Key': CANARY } });
      const headers = {
        ...KEPT,
        ...SECRETS,
        accept: 'application/json',
        ...(method === 'GET' ? { 'last-event-id': CANARY } : {}),
      };
      const body = method === 'POST' ? { body: '{"a":1}' } : {};
      const sent = guard.fetch(home.url, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...body,
      });
      if (!followed) {
        const error = await failureOf(sent);
        expect(error).toBeInstanceOf(McpConnectError);
        expect(error).toMatchObject({ code: 'redirect-denied', server: 'shop' });
        expect((error as Error).message).not.toMatch(/moved|canary/);
        expect(home.seen).toHaveLength(1);
        expect(away.seen).toHaveLength(0);
        return;
      }
      expect(await (await sent).json()).toEqual({ from: to });
      const last = (to === 'home' ? home : away).seen.at(-1);
      expect(last).toMatchObject({ method, body: method === 'POST' ? '{"a":1}' : '', headers: KEPT });
      expect(last?.headers).toMatchObject({ accept: 'application/json', 'content-type': 'application/json' });
      if (to === 'home') expect(last?.headers).toMatchObject({ ...SECRETS, 'x-api-key': CANARY });
      else expect(JSON.stringify(last)).not.toContain(CANARY);
    },
  );

  it('G5 sends a body given as a stream again after 307', async () => {
    const { home, away } = await twoOrigins(307, 'home');
    await using _home = home;
    await using _away = away;
    const request = new Request(home.url, { method: 'POST', body: 'streamed' });
    await guardFor(home.url).fetch(request);
    expect(home.seen.map(({ path, body }) => [path, body])).toEqual([
      ['/mcp', 'streamed'],
      ['/moved?x=1', 'streamed'],
    ]);
  });

  it('G4 brings no credentials back home once a redirect led away', async () => {
    await using away = await openOrigin((_, response) => {
      response.writeHead(307, { location: new URL('/chosen', home.url).href }).end();
    });
    await using home = await openOrigin((_, response, { path }) => {
      if (path === '/mcp') response.writeHead(307, { location: away.url.href }).end();
      else json(response, 200, {});
    });
    const guard = guardFor(home.url, { redirect: 'follow', headers: { 'x-api-key': CANARY } });
    await guard.fetch(home.url, post(SECRETS));
    expect(home.seen[0]?.headers).toMatchObject({ 'x-api-key': CANARY });
    expect(home.seen[1]?.path).toBe('/chosen');
    expect(JSON.stringify(home.seen[1])).not.toContain(CANARY);
    expect(JSON.stringify(away.seen)).not.toContain(CANARY);
  });

  it('G5 ends a loop after limits.redirects hops', async () => {
    await using home = await openOrigin((_, response) => response.writeHead(307, { location: '/mcp' }).end());
    const guard = guardFor(home.url, { limits: { responseBytes: 1_000, redirects: 3 } });
    expect(await failureOf(guard.fetch(home.url, post()))).toMatchObject({ code: 'redirect-denied' });
    expect(home.seen).toHaveLength(4);
  });

  it.each([
    ['http://10.0.0.1/', 'host-denied'],
    ['http://169.254.169.254/latest', 'host-denied'],
    ['http://u:p@localhost:1/', 'host-denied'],
    ['file:///etc/passwd', 'host-denied'],
    ['http://[bad', 'redirect-denied'],
  ])('G1 judges every hop: follow to %s is %s', async (location, code) => {
    await using home = await openOrigin((_, response) => response.writeHead(307, { location }).end());
    const on = exchangeOf();
    const guard = guardFor(home.url, { redirect: 'follow', on });
    const error = await failureOf(guard.fetch(home.url, post()));
    expect(error).toMatchObject({ code, server: 'shop' });
    expect(on.facts).toMatchObject({ sent: true, failure: error });
    expect(on.facts.status).toBeUndefined();
  });

  it('G5 closes the body of a redirect that is not followed', async () => {
    await using home = await openOrigin((_, response) => {
      response.writeHead(302, { location: '/x' });
      response.write('never ends');
    });
    await failureOf(guardFor(home.url).fetch(home.url, post()));
    await soon(home.socketClosed);
  });

  it('G5 closes the body of a redirect that is followed', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const answers = [
      new Response(body, { status: 307, headers: { location: '/x' } }),
      new Response(null, { status: 202 }),
    ];
    const url = new URL('https://a.example.com/');
    const guard = guardFor(url, { fetch: async () => answers.shift() ?? Response.error() });
    expect((await guard.fetch(url, post())).status).toBe(202);
    expect(cancelled).toBe(true);
  });

  it('G5 passes on a redirect status that has no location', async () => {
    await using home = await openOrigin((_, response) => response.writeHead(307).end());
    expect((await guardFor(home.url).fetch(home.url, post())).status).toBe(307);
  });
});

describe('redirects that no local server can give', () => {
  const question = {
    server: 'shop',
    policy: 'follow' as const,
    allowed: undefined,
    method: 'GET',
    from: new URL('https://a.example.com/mcp'),
    status: 307,
    followed: 0,
    max: 5,
  };

  it('G5 never leaves https', () => {
    const verdict = judgeRedirect({ ...question, location: 'http://a.example.com/mcp' });
    expect(verdict).toMatchObject({ code: 'redirect-denied' });
  });

  it('G5 follows http to https only with follow', () => {
    const from = new URL('http://a.example.com/mcp');
    const location = 'https://a.example.com/mcp';
    expect(judgeRedirect({ ...question, from, location })).toEqual(new URL(location));
    expect(judgeRedirect({ ...question, from, location, policy: 'same-origin' })).toMatchObject({
      code: 'redirect-denied',
    });
  });

  it('G5 does not take a blob URL for its inner origin', () => {
    const verdict = judgeRedirect({ ...question, policy: 'same-origin', location: 'blob:https://a.example.com/x' });
    expect(verdict).toMatchObject({ code: 'redirect-denied' });
  });

  it('G5 refuses a redirect that a browser hides', async () => {
    const hidden = new Response(null);
    Object.defineProperty(hidden, 'type', { value: 'opaqueredirect' });
    const url = new URL('https://a.example.com/mcp');
    const guard = guardFor(url, { fetch: () => Promise.resolve(hidden) });
    expect(await failureOf(guard.fetch(url, post()))).toMatchObject({ code: 'redirect-denied' });
  });

  it('G1 does not use the answer of a fetch that followed away by itself', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const strayed = new Response(body);
    Object.defineProperty(strayed, 'url', { value: 'https://evil.example.com/' });
    const url = new URL('https://a.example.com/mcp');
    const guard = guardFor(url, { fetch: () => Promise.resolve(strayed) });
    expect(await failureOf(guard.fetch(url, post()))).toMatchObject({ code: 'redirect-denied' });
    expect(cancelled).toBe(true);
  });

  it('G5 asks for a manual redirect, with a signal of its own and nothing else of the init', async () => {
    let seen: RequestInit | undefined;
    const url = new URL('https://a.example.com/mcp');
    const guard = guardFor(url, {
      fetch(_, init) {
        seen = init;
        return Promise.resolve(new Response(null, { status: 202 }));
      },
    });
    const foreign = AbortSignal.abort();
    await guard.fetch(url, { ...post(), redirect: 'follow', mode: 'cors', cache: 'no-store', signal: foreign });
    expect(Object.keys(seen ?? {}).sort()).toEqual(['body', 'headers', 'method', 'redirect', 'signal']);
    expect(seen?.redirect).toBe('manual');
    expect(seen?.signal).not.toBe(foreign);
  });
});
