import { describe, expect, it } from 'vitest';
import type { McpOptions, McpServerConfig } from '../../src/index.js';
import { createMcpTools, mcpTools } from '../../src/index.js';
import { createAuth, createAuthStands, SESSION } from './auth-kit.js';
import { ALL_KINDS, doneText, ended, failure, HTTP_KINDS, KINDS, sourceOf } from './faults-kit.js';

const { keep, stand, server: open } = createAuthStands();

/** Ways of not naming 127.0.0.1 and its port. */
const LISTS = {
  'an empty list': [],
  'another host': ['mcp.example.com'],
  'the host without its port': ['127.0.0.1'],
  'another port': ['127.0.0.1:1'],
  'another name of this machine': ['localhost:*', '[::1]:*', '127.0.0.2:*'],
  'names below one': ['*.example.com'],
} as const satisfies Record<string, readonly string[]>;

describe.each(ALL_KINDS)('%s', (kind) => {
  it.each(Object.entries(LISTS))(
    'G2 G12 %s: no request is sent, and no token is asked for',
    async (_, allowedHosts) => {
      const { auth, asked } = createAuth();
      const { server, toolset } = await stand(kind, { allowedHosts, auth });
      expect(toolset.servers[0]).toMatchObject({ state: 'failed', error: { code: 'host-denied', server: 's' } });
      expect(await failure(toolset.refresh('s'))).toMatchObject({ code: 'host-denied' });
      expect([server.requests, asked]).toEqual([[], []]);
    },
  );

  it.each([['127.0.0.1:*'], ['mcp.example.com', '127.0.0.1:*']])('G2 %s: it is served', async (...allowedHosts) => {
    const { effect } = await stand(kind, { allowedHosts });
    expect(await effect('k')).toEqual(doneText('k'));
  });

  it('G2 G12 createMcpTools is refused each time, at once, and nothing is sent or asked', async () => {
    const server = await open(kind);
    const { auth, asked } = createAuth();
    const handle = keep(
      createMcpTools(sourceOf(kind, server), { session: SESSION, allowedHosts: [], auth, onDiagnostic() {} }),
    );
    for (let tries = 0; tries < 7; tries++) {
      expect(await failure(handle.tools())).toMatchObject({ code: 'host-denied' });
    }
    expect([server.requests, asked]).toEqual([[], []]);
  });
});

describe.each(HTTP_KINDS)('%s: redirects', (kind) => {
  /** A server that sends every call of `effect` to another one of the same kind. */
  async function leading(options: (home: string, away: string) => McpOptions) {
    const away = await open(kind);
    const fault = { kind: 'redirect', location: away.url } as const;
    const home = await open(kind, [{ match: { tool: 'effect' }, fault }]);
    const [homeHost, awayHost] = [home, away].map(({ url }) => new URL(url).host);
    const source: McpServerConfig = { ...sourceOf(kind, home), redirect: 'follow' };
    const toolset = keep(
      await mcpTools([source], { ...options(homeHost!, awayHost!), session: SESSION, onServerError: 'throw' }),
    );
    return { home, away, effect: () => toolset.tools.s__effect!.execute({ key: 'k' }) };
  }

  it('G2 G5 to a host that is not named: refused, and that host sees nothing', async () => {
    const { home, away, effect } = await leading((homeHost) => ({ allowedHosts: [homeHost] }));
    expect(await failure(effect())).toMatchObject({ code: 'host-denied' });
    expect([away.requests, home.effects.size]).toEqual([[], 0]);
  });

  it('G2 G4 C5 to a host that is named: followed, without headers, token and session', async () => {
    const { auth } = createAuth();
    const { away, effect } = await leading((...allowedHosts) => ({ allowedHosts, auth }));
    const { code } = await ended(effect());
    // A server that insists on sessions refuses one who names none; that says nothing of the session at home.
    expect(code).toBe(KINDS[kind].era === 'legacy' ? 'outcome-unknown' : 'ok');
    expect(away.requests).toHaveLength(1);
    expect(JSON.stringify(away.requests)).not.toContain('canary');
    expect(away.requests[0]).toMatchObject({ tool: 'effect', headers: { 'content-type': 'application/json' } });
  });
});

describe('a function', () => {
  it('G2 W3 is asked for each server by its configured name, with the session', async () => {
    const [one, other] = [await open('modern, JSON'), await open('legacy, SSE')];
    const seen: unknown[] = [];
    const toolset = keep(
      await mcpTools([sourceOf('modern, JSON', one, 'one'), sourceOf('legacy, SSE', other, 'other')], {
        session: SESSION,
        allowedHosts(server, context) {
          seen.push([server, context]);
          return server === 'one' ? ['127.0.0.1:*'] : [];
        },
        onDiagnostic() {},
      }),
    );
    expect(seen).toEqual(['one', 'other'].map((server) => [server, { session: SESSION }]));
    expect(toolset.servers).toMatchObject([{ state: 'ready' }, { state: 'failed', error: { code: 'host-denied' } }]);
    expect(other.requests).toEqual([]);
  });

  it.each<[string, () => unknown]>([
    ['throws', () => JSON.parse('{')],
    ['promises', async () => []],
    ['gives no list', () => 'mcp.example.com'],
    ['gives a URL', () => ['https://mcp.example.com/']],
  ])('W3 that %s is a mistake, found before anything is sent', async (_, allowedHosts) => {
    const server = await open('modern, JSON');
    const options = { session: SESSION, allowedHosts: allowedHosts as () => string[] };
    const source = sourceOf('modern, JSON', server);
    expect(await failure(mcpTools([source], options))).toMatchObject({ code: 'config' });
    expect(await failure(mcpTools([() => source], options))).toMatchObject({ code: 'config' });
    expect(() => createMcpTools(source, options)).toThrow(expect.objectContaining({ code: 'config' }));
    expect(server.requests).toEqual([]);
  });
});
