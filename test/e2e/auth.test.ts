import { describe, expect, it } from 'vitest';
import type { McpOptions, McpServerConfig } from '../../src/index.js';
import { createMcpTools, mcpTools } from '../../src/index.js';
import { SECRETS } from '../support/canaries.js';
import { until } from '../support/http-host.js';
import { type Asked, createAuth, createAuthStands, OPENERS, SESSION, token, tokensOf } from './auth-kit.js';
import { ALL_KINDS, callsOf, countOf, doneText, type Kind, sourceOf } from './faults-kit.js';

const { keep, stand, server: open } = createAuthStands();
const HTTP_SESSIONS: readonly Kind[] = ['legacy, JSON', 'legacy, SSE'];

/** What each kind of connection asks of a server that announces changes, from its first request to its close. */
const ALL_REQUESTS: Readonly<Record<Kind, readonly string[]>> = {
  'legacy, JSON': [
    'server/discover',
    'initialize',
    'notifications/initialized',
    'GET',
    'tools/list',
    'tools/call',
    'DELETE',
  ],
  'legacy, SSE': [
    'server/discover',
    'initialize',
    'notifications/initialized',
    'GET',
    'tools/list',
    'tools/call',
    'DELETE',
  ],
  'modern, JSON': ['server/discover', 'subscriptions/listen', 'tools/list', 'tools/call'],
  'modern, SSE': ['server/discover', 'subscriptions/listen', 'tools/list', 'tools/call'],
  'SSE transport': ['GET', 'initialize', 'notifications/initialized', 'tools/list', 'tools/call'],
};

describe.each(ALL_KINDS)('%s', (kind) => {
  it.each(Object.entries(OPENERS))(
    'G12 %s: no request without a token, from the first to the last',
    async (_, openTools) => {
      const server = await open(kind);
      const { auth, asked, reasons } = createAuth();
      const seen: number[] = [];
      const counting: typeof auth = (...question) => {
        seen.push(server.requests.length);
        return auth(...question);
      };
      const options: McpOptions = { session: SESSION, auth: counting, onToolsChanged() {} };
      const { tools, close } = keep(await openTools(sourceOf(kind, server), options));
      const stream = ALL_REQUESTS[kind].includes('subscriptions/listen') ? 'subscriptions/listen' : 'GET';
      await until(() => countOf(server, stream) > 0);
      expect(await tools.s__effect!.execute({ key: 'k' })).toEqual(doneText('k'));
      await close();
      expect(new Set(server.requests.map(({ method, http }) => method ?? http))).toEqual(new Set(ALL_REQUESTS[kind]));
      expect(tokensOf(server).filter((one) => !one.startsWith(SECRETS.token))).toEqual([]);
      // It was asked before anything had reached the server, as for the first request, and as for a later one ever after.
      expect(seen[0]).toBe(0);
      expect(reasons()).toEqual(reasons().map((reason, index) => (index === 0 ? 'connect' : reason)));
      expect(new Set(reasons().slice(1))).toEqual(new Set(['request']));
      for (const { server: name, session, url, signal } of asked) {
        expect([name, session, url.href]).toEqual(['s', SESSION, sourceOf(kind, server).url]);
        expect(signal.aborted).toBe(false);
      }
    },
  );

  it('G12 each call asks anew, and carries what it was given', async () => {
    let current = 'first';
    const { auth, asked } = createAuth(() => ({ token: token(current) }));
    const { server, effect } = await stand(kind, { auth });
    for (const name of ['a', 'b', 'c']) {
      current = name;
      const before = asked.length;
      await effect(name);
      expect(asked.length).toBe(before + 1);
    }
    expect(callsOf(server).map(({ headers }) => headers.authorization)).toEqual(
      ['a', 'b', 'c'].map((name) => `Bearer ${token(name)}`),
    );
  });

  it('G12 ten calls at once ask once', async () => {
    const { auth, asked } = createAuth(async (_, nth) => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { token: token(nth) };
    });
    const { server, effect } = await stand(kind, { auth });
    const before = asked.length;
    const keys = Array.from({ length: 10 }, (_, index) => `k${index}`);
    expect(await Promise.all(keys.map(effect))).toEqual(keys.map(doneText));
    expect(asked.length).toBe(before + 1);
    expect(new Set(callsOf(server).map(({ headers }) => headers.authorization)).size).toBe(1);
  });

  it.each(['authorization', 'Authorization', 'AUTHORIZATION'])(
    'G12 the token wins over a configured `%s`, which is reported once',
    async (name) => {
      const { auth } = createAuth();
      const headers = { [name]: `Basic ${SECRETS.header}`, 'x-tenant': SECRETS.header };
      const { server, diagnostics, effect } = await stand(kind, {
        auth,
        source: { headers } as Partial<McpServerConfig>,
      });
      for (const key of ['a', 'b', 'c']) await effect(key);
      for (const { headers: sent } of server.requests) {
        expect(sent).toMatchObject({ authorization: expect.stringMatching(/^Bearer /), 'x-tenant': SECRETS.header });
      }
      expect(diagnostics).toEqual([
        expect.objectContaining({ code: 'authorization-overridden', level: 'warn', server: 's', data: { by: 'auth' } }),
      ]);
    },
  );

  it('G12 without `auth` a configured `Authorization` is sent', async () => {
    const { server, diagnostics } = await stand(kind, {
      source: { headers: { Authorization: `Basic ${SECRETS.header}` } } as Partial<McpServerConfig>,
    });
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Basic ${SECRETS.header}`]),
    );
    expect(diagnostics).toEqual([]);
  });

  it('G12 what looks like a secret in the query of the URL is reported once, by its name', async () => {
    const server = await open(kind);
    const url = `${server.url}?api_key=${SECRETS.query}&page=1`;
    const { diagnostics, effect } = await stand(kind, { source: { url } as Partial<McpServerConfig> });
    await effect('k').catch(() => {});
    expect(diagnostics.filter(({ code }) => code === 'secret-in-url')).toEqual([
      expect.objectContaining({ level: 'warn', server: 's', data: { parameters: ['api_key'] } }),
    ]);
  });

  it('G12 createMcpTools reports both once, however often it connects', async () => {
    const server = await open(kind, [{ match: { method: '*', times: 2 }, fault: { kind: 'http-error', status: 503 } }]);
    const codes: string[] = [];
    const { auth } = createAuth();
    const source = { ...sourceOf(kind, server), url: `${server.url}?token=${SECRETS.query}` };
    const handle = keep(
      createMcpTools(
        { ...source, headers: { authorization: SECRETS.header } },
        {
          session: SESSION,
          auth,
          onDiagnostic: ({ code }) => void codes.push(code),
        },
      ),
    );
    let connected = false;
    for (let tries = 0; tries < 3 && !connected; tries++) {
      connected = await handle.tools().then(
        () => true,
        () => false,
      );
    }
    expect(connected).toBe(true);
    expect(codes.filter((code) => code !== 'server-failed').sort()).toEqual([
      'authorization-overridden',
      'secret-in-url',
    ]);
  });
});

describe.each(HTTP_SESSIONS)('%s', (kind) => {
  it('G12 a connection that is made again is asked for as a new one', async () => {
    const { auth, reasons } = createAuth();
    const { server, effect } = await stand(kind, { auth });
    server.expireSessions();
    expect(await effect('k')).toEqual(doneText('k'));
    expect(reasons().filter((reason) => reason === 'connect')).toHaveLength(2);
  });
});

it('G12 one who falls back to HTTP+SSE asks for that too before anything is sent', async () => {
  const server = await open('SSE transport');
  const { auth, reasons } = createAuth();
  const { tools } = keep(
    await mcpTools([{ name: 's', type: 'http', url: server.url }], { session: SESSION, auth, onServerError: 'throw' }),
  );
  expect(await tools.s__effect!.execute({ key: 'k' })).toEqual(doneText('k'));
  expect(tokensOf(server).every((one) => one.startsWith(SECRETS.token))).toBe(true);
  expect(reasons()[0]).toBe('connect');
});

it('G12 a change to the URL that a resolver is shown moves nothing', async () => {
  const server = await open('modern, JSON');
  const { auth } = createAuth(({ url }: Asked) => {
    url.href = 'https://mcp.example.com/';
    return { token: token(1) };
  });
  const { effect } = await stand('modern, JSON', { auth, source: { url: server.url } as Partial<McpServerConfig> });
  expect(await effect('k')).toEqual(doneText('k'));
  expect(server.effects.get('k')).toBe(1);
});

it('G12 transports of the host’s own are not asked for', async () => {
  const { auth, asked } = createAuth();
  const { fakeTransport } = await import('./wiring-kit.js');
  const source: McpServerConfig = { name: 'c', type: 'custom', connect: () => fakeTransport() };
  const toolset = keep(await mcpTools([source], { session: SESSION, auth }));
  await toolset.tools.c__a!.execute({});
  expect(asked).toEqual([]);
});
