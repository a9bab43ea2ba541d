import { describe, expect, it } from 'vitest';
import { mcpTools } from '../../src/index.js';
import { CANARY_HEADERS, SECRETS } from '../support/canaries.js';
import { sleep, until } from '../support/http-host.js';
import { startRawSse } from '../support/raw-sse.js';
import { COMPATIBILITY, startWorker } from '../support/workerd-serve.js';
import { createAuth, createAuthStands, SESSION, token } from './auth-kit.js';
import { ALL_KINDS, countOf, ended, failure, HTTP_KINDS, KINDS, type Kind, sourceOf } from './faults-kit.js';
import {
  checkAway,
  isFollowed,
  POLICIES,
  type Policy,
  STATUSES,
  sendAway,
  sentAway,
  startAway,
} from './redirects-kit.js';

const { keep, server: open, watch } = createAuthStands();
const HEADERS = { ...CANARY_HEADERS, cookie: `session=${SECRETS.header}` };
const CASES = POLICIES.flatMap((policy) => STATUSES.map((status) => ({ policy, status })));
/** Over HTTP+SSE the policy is the default; the type has no such field. */
const policiesOf = (kind: Kind) => CASES.filter(({ policy }) => kind !== 'SSE transport' || policy === 'same-origin');
const withPolicy = (kind: Kind, policy: Policy) => (kind === 'SSE transport' ? {} : { redirect: policy });
/** The stream for notices, which is asked for by itself and not by a call. */
const streamOf = (kind: Kind) => (KINDS[kind].era === 'modern' ? 'subscriptions/listen' : 'GET');

describe.each(ALL_KINDS)('%s', (kind) => {
  it.each(policiesOf(kind))(
    'G4 G5 $status with `$policy`, of a call, a stream and the end of a session: the other origin sees no secret',
    async ({ policy, status }) => {
      const away = keep(await startAway());
      const home = await open(kind);
      const { auth, reasons } = createAuth();
      const source = { ...sourceOf(kind, home), headers: HEADERS, ...withPolicy(kind, policy) };
      const onSse = kind === 'SSE transport';
      if (!onSse) home.script(sendAway(`${away.origin}/taken`, status));
      const options = { session: SESSION, auth, onToolsChanged() {}, timeoutMs: 5_000, onDiagnostic() {} };
      const toolset = keep(await mcpTools([source], options));
      watch(toolset, []);
      expect(toolset.servers[0]!.state).toBe('ready');
      if (!onSse) await until(() => countOf(home, streamOf(kind)) > 0);
      home.script(sendAway(`${away.origin}/taken`, status));
      const { code } = await ended(toolset.tools.s__effect!.execute({ key: 'k' }));
      expect(code).toBe(isFollowed(policy, status, 'POST') ? 'outcome-unknown' : 'redirect-denied');
      await toolset.close();
      expect(home.effects.size).toBe(0);
      checkAway(away, home, policy, status);
      // What the rule lets be followed arrived there, and nothing else.
      const followed = sentAway(home).filter((http) => isFollowed(policy, status, http));
      expect(away.requests.map(({ http }) => http).sort()).toEqual(followed.sort());
      expect(sentAway(home)).toContain('POST');
      if (kind === 'legacy, JSON' || kind === 'legacy, SSE')
        expect(sentAway(home)).toEqual(expect.arrayContaining(['GET', 'DELETE']));
      expect(reasons()).not.toContain('unauthorized');
    },
  );

  it.each(policiesOf(kind))(
    'G4 G5 $status with `$policy`, of the first request: the other origin sees no secret',
    async ({ policy, status }) => {
      const away = keep(await startAway(401));
      const fault = { kind: 'redirect', status, location: `${away.origin}/taken` } as const;
      const home = await open(kind, [{ match: { method: '*' }, fault }]);
      const { auth, reasons } = createAuth();
      const source = { ...sourceOf(kind, home), headers: HEADERS, ...withPolicy(kind, policy) };
      const toolset = keep(await mcpTools([source], { session: SESSION, auth, onDiagnostic() {} }));
      watch(toolset, []);
      const http = kind === 'SSE transport' ? 'GET' : 'POST';
      const followed = isFollowed(policy, status, http);
      expect(toolset.servers[0]).toMatchObject({
        state: 'failed',
        error: { code: followed ? 'unauthorized' : 'redirect-denied' },
      });
      checkAway(away, home, policy, status);
      expect(away.requests.length > 0).toBe(followed);
      // That the other origin wants a token is no reason to ask for one.
      expect(reasons()).not.toContain('unauthorized');
    },
  );
});

describe('the endpoint event of HTTP+SSE', () => {
  /** Where a server says that messages go, given another origin and its own. */
  const ENDPOINTS: Readonly<Record<string, (away: URL, home: URL) => string>> = {
    'another origin': ({ origin }) => `${origin}/message`,
    'another origin without a scheme': ({ host }) => `//${host}/message`,
    'another origin behind backslashes': ({ host }) => `\\\\${host}\\message`,
    'another origin behind mixed slashes': ({ host }) => `/\\${host}/message`,
    'another scheme': ({ host }) => `https://${host}/message`,
    'a user name that looks like home': (away, home) => `http://${home.hostname}:${home.port}@${away.host}/message`,
    'another port': (away, home) => `http://${home.hostname}:${away.port}/message`,
    'another name of this machine': (away) => `http://localhost:${away.port}/message`,
  };
  const open = async (endpoint?: (home: string) => string) => {
    const home = keep(await startRawSse({ tools: [{ name: 'a', inputSchema: { type: 'object' } }] }));
    if (endpoint !== undefined) home.set({ endpoint: endpoint(home.origin) });
    const { auth } = createAuth();
    const source = { name: 's', type: 'sse', url: home.url, headers: HEADERS } as const;
    const options = { session: SESSION, auth, connectTimeoutMs: 2_000, timeoutMs: 2_000, onDiagnostic() {} };
    const toolset = keep(await mcpTools([source], options));
    watch(toolset, []);
    return { home, toolset };
  };

  it.each(Object.entries(ENDPOINTS))(
    'G7 G4 at %s: the connect fails, and that origin sees nothing',
    async (_, where) => {
      const away = keep(await startAway());
      const { toolset, home } = await open((origin) => where(new URL(away.origin), new URL(origin)));
      expect(toolset.servers[0]!.state).toBe('failed');
      expect([away.requests, home.requests.filter(({ http }) => http === 'POST')]).toEqual([[], []]);
    },
  );

  it('G7 with a user name: the connect fails, and nothing is posted', async () => {
    const { toolset, home } = await open((origin) => `${origin.replace('//', `//${SECRETS.user}:x@`)}/message`);
    expect(toolset.servers[0]!.state).toBe('failed');
    expect(home.requests.filter(({ http }) => http === 'POST')).toEqual([]);
  });

  it.each([...Object.entries(ENDPOINTS), ['another path at home', () => '/other?session=x'] as const])(
    'G7 a second one at %s moves nothing there',
    async (_, where) => {
      const away = keep(await startAway());
      const { toolset, home } = await open();
      expect(toolset.servers[0]!.state).toBe('ready');
      home.reset();
      home.moveEndpoint(where(new URL(away.origin), new URL(home.origin)));
      await sleep(50);
      await toolset.tools.s__a!.execute({}).catch(() => {});
      expect(away.requests).toEqual([]);
      for (const { http, url } of home.requests) if (http === 'POST') expect(url).toMatch(/^\/message\?session=/);
    },
  );
});

const SOURCE = `export { default } from './test/support/worker-redirects.js';`;

describe.each(
  COMPATIBILITY.flatMap((compatibility) => HTTP_KINDS.map((kind) => ({ ...compatibility, compatibility, kind }))),
)('a Worker of $date, $kind', ({ compatibility, kind }) => {
  it('G4 G5 each status with each policy, of a call, a stream and the end of a session: the other origin sees no secret', async () => {
    const [away, home] = [keep(await startAway()), await open(kind)];
    const env = { SERVER: JSON.stringify({ ...sourceOf(kind, home), headers: HEADERS }), TOKEN: token('') };
    const worker = keep(await startWorker({ source: SOURCE, compatibility, env }));
    for (const { policy, status } of CASES) {
      for (const server of [home, away]) server.reset();
      home.script(sendAway(`${away.origin}/taken`, status));
      const response = await fetch(`${worker.origin}/?policy=${policy}`);
      const { state, code } = (await response.json()) as { state: string; code: string };
      const followed = isFollowed(policy, status, 'POST');
      expect([status, policy, state, code]).toEqual([
        status,
        policy,
        'ready',
        followed ? 'outcome-unknown' : 'redirect-denied',
      ]);
      checkAway(away, home, policy, status);
      const arrived = sentAway(home).filter((http) => isFollowed(policy, status, http));
      expect(away.requests.map(({ http }) => http).sort()).toEqual(arrived.sort());
      expect(home.effects.size).toBe(0);
      for (const { headers } of home.requests) expect(headers.authorization).toContain(SECRETS.token);
    }
  });
});

it('G5 a call that was sent away may have run', async () => {
  const away = keep(await startAway(500));
  const home = await open('modern, JSON', sendAway(away.origin, 307));
  const source = { ...sourceOf('modern, JSON', home), redirect: 'follow' } as const;
  const toolset = keep(await mcpTools([source], { onDiagnostic() {} }));
  expect(await failure(toolset.tools.s__effect!.execute({ key: 'k' }))).toMatchObject({ code: 'outcome-unknown' });
});
