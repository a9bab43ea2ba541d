import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import type { HttpServer, McpOptions, OAuthClientProvider } from '../../src/index.js';
import { memoryProvider } from '../support/oauth-provider.js';
import { ISSUED, type OAuthServerOptions } from '../support/oauth-server.js';
import { createOAuthRig, type Kind, pageOf, reachable, type Stand, session } from './oauth-kit.js';
import { rejection, type Wired } from './rig.js';

const rig = createOAuthRig();

const HEADER = 'canary-header';
const QUERY = 'canary-query';
const STORED = 'canary-stored';
/** What a code, token or secret of the authorization server begins with is one too. */
const CANARIES = [HEADER, QUERY, STORED, ISSUED];

let warned: MockInstance;
beforeEach(() => {
  warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterEach(() => {
  expectClean(warned.mock.calls);
  warned.mockRestore();
});

function expectClean(...values: unknown[]): void {
  for (const value of values) {
    const text = reachable(value);
    for (const canary of CANARIES) expect(text).not.toContain(canary);
  }
}

/** A toolset whose every request is written down, with secrets wherever a server may have some. */
async function wire(stand: Stand, provider: OAuthClientProvider, options: McpOptions = {}) {
  const asked: string[] = [];
  const config = {
    ...stand.config,
    url: `${stand.config.url}?key=${QUERY}`,
    headers: { 'x-api-key': HEADER, cookie: `session=${HEADER}` },
  } as HttpServer;
  const fetch: typeof globalThis.fetch = (input, init) => {
    asked.push(String(input));
    return globalThis.fetch(input, init);
  };
  const wired = await rig.wire([config], { session, oauth: () => provider, fetch, ...options });
  return { ...wired, asked };
}

/** What a failed authorization leaves: an error, and no secret in anything that is shown. */
function expectRefused({ toolset, diagnostics }: Wired, code: string): void {
  const [status] = toolset.servers;
  expect(status).toMatchObject({ state: 'failed', error: { code } });
  expect(status?.authorizationUrl).toBeUndefined();
  expectClean(toolset.servers, toolset.inspect(), diagnostics);
}

/** A provider that has everything stored that could be stolen. */
const rich = (issuer?: string, more: Partial<OAuthClientProvider> = {}) => {
  const stamp = issuer === undefined ? {} : { issuer };
  return memoryProvider({
    ...more,
    stored: {
      client: { client_id: 'pre', client_secret: `${STORED}-cs`, ...stamp },
      tokens: { access_token: `${STORED}-at`, token_type: 'Bearer', refresh_token: `${STORED}-rt`, ...stamp },
    },
  });
};

describe('resource metadata', () => {
  const places: readonly [string, string][] = [
    ['a file', 'file:///etc/passwd'],
    ['data', 'data:application/json,{}'],
    ['a private address', 'http://10.0.0.1/metadata'],
    ['cloud metadata', 'http://169.254.169.254/latest'],
    ['userinfo', `https://${STORED}@a.example/metadata`],
    ['another public host', 'https://evil.example/metadata'],
  ];
  it.each(places)('G11 G1 that is said to be at %s is not asked for', async (_, resourceMetadata) => {
    for (const kind of ['dual', 'sse'] as const) {
      const stand = await rig.stand(kind, {}, { resourceMetadata });
      const wired = await wire(stand, rich(stand.as.origin));
      expectRefused(wired, 'host-denied');
      expect(wired.asked.every((url) => new URL(url).origin === stand.rs.origin)).toBe(true);
      expect(stand.as.requests).toEqual([]);
    }
  });

  it('G11 on another origin is asked for where its host is named, and gets no secret', async () => {
    const other = await rig.stand();
    const resourceMetadata = `${other.rs.origin}/.well-known/oauth-protected-resource/mcp`;
    const stand = await rig.stand('dual', {}, { resourceMetadata });
    const refused = await wire(stand, rich(stand.as.origin));
    expectRefused(refused, 'host-denied');
    expect(other.rs.requests).toEqual([]);
    const allowed = await wire(stand, rich(stand.as.origin), { allowedHosts: ['127.0.0.1:*'] });
    expect(other.rs.requests).toHaveLength(1);
    expectClean(other.rs.requests);
    // It is that of another resource.
    expectRefused(allowed, 'unauthorized');
  });
});

describe('metadata that cannot be read for a while', () => {
  it.each([
    ['of the resource', '/.well-known/oauth-protected-resource'],
    ['of the authorization server', '/.well-known/oauth-authorization-server'],
  ])('G11 %s is not taken for metadata that is not there, and is asked for again', async (_, path) => {
    for (const status of [429, 500, 502, 503]) {
      const stand = await rig.stand();
      let down = true;
      const wired = await wire(stand, memoryProvider(), {
        fetch: async (input, init) =>
          down && String(input).includes(path) ? new Response('later', { status }) : fetch(input as string, init),
      });
      expectRefused(wired, 'unauthorized');
      expect(wired.toolset.servers[0]?.error?.message).toContain(`HTTP ${status}`);
      // Nowhere is anything asked for at the places of old, which metadata would have replaced.
      const posted = [...stand.as.requests, ...stand.rs.requests].filter(
        ({ http, url }) => http === 'POST' && !url.startsWith('/mcp'),
      );
      expect(posted).toEqual([]);
      down = false;
      await wired.toolset.refresh('crm', { force: true }).catch(() => {});
      expect(pageOf(wired.toolset).origin).toBe(stand.as.origin);
    }
  });
});

describe('redirects', () => {
  const STATUSES = [301, 302, 303, 307, 308];
  const away = (path: string, status: number, target: string): OAuthServerOptions => ({
    onRequest: (request, response) => {
      if (!request.url.startsWith(path)) return false;
      response.writeHead(status, { location: target }).end();
      return true;
    },
  });

  it.each(STATUSES)('G11 of metadata, registration and tokens are not followed elsewhere (%i)', async (status) => {
    const evil = await rig.authorizationServer();
    for (const path of ['/.well-known', '/register', '/token']) {
      const stand = await rig.stand('dual', away(path, status, `${evil.origin}${path}`));
      const provider = path === '/token' ? rich(stand.as.origin) : memoryProvider();
      const wired = await wire(stand, provider);
      expectRefused(wired, path === '/.well-known' ? 'redirect-denied' : 'unauthorized');
      expect(stand.as.at('/authorize')).toEqual([]);
    }
    expect(evil.requests).toEqual([]);
  });

  it.each(STATUSES)('G11 of resource metadata neither (%i)', async (status) => {
    const evil = await rig.authorizationServer();
    for (const make of [(issuer: string) => rich(issuer), () => memoryProvider()]) {
      const stand = await rig.stand();
      const wired = await wire(stand, make(stand.as.origin), {
        fetch: async (input, init) => {
          const isMetadata = String(input).includes('oauth-protected-resource');
          const location = `${evil.origin}/metadata`;
          return isMetadata ? new Response(null, { status, headers: { location } }) : globalThis.fetch(input, init);
        },
      });
      // It does not say that there is none: the server is not taken for its own authorization server.
      expectRefused(wired, 'redirect-denied');
      expect(stand.rs.requests.map(({ http, url }) => `${http} ${url.split('?')[0]}`)).toEqual(['POST /mcp']);
      expect([...evil.requests, ...stand.as.requests]).toEqual([]);
    }
  });
});

describe('another authorization server', () => {
  it.each(['dual', 'legacy-only', 'sse'] as const)(
    'G11 that a server names later is asked nothing (%s)',
    async (kind: Kind) => {
      const evil = await rig.authorizationServer();
      const stand = await rig.stand(kind);
      const provider = memoryProvider();
      const wired = await wire(stand, provider);
      await wired.toolset.finishAuth('crm', await stand.as.visit(pageOf(wired.toolset)));
      stand.as.expire();
      stand.rules = { ...stand.rules, metadata: { authorization_servers: [evil.origin] } };
      const error = await rejection(wired.toolset.tools.crm__echo!.execute({ message: 'x' }));
      expect(error).toMatchObject({ code: 'unauthorized' });
      expect(error.message).toContain(evil.origin);
      expect(evil.requests).toEqual([]);
      expectClean(error, wired.toolset.inspect(), wired.diagnostics);
      // A list that has the old one among others is not another server.
      stand.rules = { ...stand.rules, metadata: { authorization_servers: [evil.origin, stand.as.origin] } };
      await wired.toolset.tools.crm__echo!.execute({ message: 'x' });
      expect(evil.requests).toEqual([]);
    },
  );

  it('G11 than the one whose name the stored client, the stored tokens or the earlier discovery has is asked nothing', async () => {
    const stand = await rig.stand();
    const good = 'https://as.example';
    const providers = [
      rich(good),
      memoryProvider({ stored: { tokens: { access_token: 'a', token_type: 'Bearer', issuer: good } } }),
      memoryProvider({ discoveryState: () => ({ authorizationServerUrl: good }) }),
    ];
    for (const provider of providers) {
      expectRefused(await wire(stand, provider), 'unauthorized');
      expect(provider.pages).toEqual([]);
    }
    expect(stand.as.requests).toEqual([]);
  });

  it('G11 gets no stored secret whose owner is not known', async () => {
    const stand = await rig.stand();
    // A client that registers does so again, and the user is asked.
    const provider = rich();
    const wired = await wire(stand, provider);
    expect(wired.toolset.servers[0]?.state).toBe('needs-auth');
    expect(stand.as.at('/register')).toHaveLength(1);
    expect(stand.as.at('/token')).toEqual([]);
    expect(reachable(stand.as.requests)).not.toContain(STORED);
    // One that cannot register has nothing else to show.
    const fixed = rich();
    delete (fixed as { saveClientInformation?: unknown }).saveClientInformation;
    const refused = await wire(stand, fixed);
    expectRefused(refused, 'config');
    expect(refused.toolset.servers[0]?.error?.message).toContain('issuer');
    expect(reachable(stand.as.requests)).not.toContain(STORED);
  });

  it('G11 gets no assertion of a client whose owner is not known', async () => {
    const stand = await rig.stand();
    const more = {
      redirectUrl: undefined,
      addClientAuthentication: (_: Headers, params: URLSearchParams) => params.set('client_assertion', STORED),
      prepareTokenRequest: () => new URLSearchParams({ grant_type: 'client_credentials' }),
    };
    const provider = memoryProvider({ ...more, stored: { client: { client_id: 'pre' } } } as never);
    delete (provider as { saveClientInformation?: unknown }).saveClientInformation;
    expectRefused(await wire(stand, provider), 'config');
    expect(stand.as.at('/token')).toEqual([]);
  });
});

describe('authorization servers that are refused', () => {
  const wrong: readonly [string, string, Record<string, unknown>][] = [
    ['a script as its page', 'unauthorized', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a page on plain http', 'host-denied', { authorization_endpoint: 'http://as.example/authorize' }],
    ['a page with userinfo', 'host-denied', { authorization_endpoint: 'https://a@as.example/authorize' }],
    ['a page of this network', 'host-denied', { authorization_endpoint: 'https://10.0.0.1/authorize' }],
    ['a page of another kind', 'host-denied', { authorization_endpoint: 'vscode://open/x' }],
    ['a token endpoint on plain http', 'host-denied', { token_endpoint: 'http://as.example/token' }],
    ['a token endpoint of this network', 'host-denied', { token_endpoint: 'https://192.168.0.1/token' }],
    ['a registration endpoint that is a file', 'host-denied', { registration_endpoint: 'file:///etc/passwd' }],
    ['another issuer', 'unauthorized', { issuer: 'https://as.example' }],
    ['no S256', 'unauthorized', { code_challenge_methods_supported: ['plain'] }],
  ];
  it.each(wrong)('G11 for %s', async (_, code, metadata) => {
    const stand = await rig.stand('dual', { metadata });
    const provider = memoryProvider();
    const wired = await wire(stand, provider);
    expectRefused(wired, code);
    expect(provider.pages).toEqual([]);
    expect(stand.as.at('/token')).toEqual([]);
    const own = [stand.rs.origin, stand.as.origin];
    expect(wired.asked.filter((url) => !own.includes(new URL(url).origin))).toEqual([]);
  });

  it('G11 for an address that the server may not reach', async () => {
    const places = ['http://169.254.169.254', 'https://10.0.0.1', 'http://as.example', 'https://u@as.example'];
    for (const place of places) {
      const stand = await rig.stand('dual', {}, { metadata: { authorization_servers: [place] } });
      const wired = await wire(stand, rich(place));
      expectRefused(wired, 'host-denied');
      expect(wired.asked.every((url) => new URL(url).origin === stand.rs.origin)).toBe(true);
    }
  });

  const broken: readonly [string, string, OAuthServerOptions['onRequest']][] = [
    ['too much metadata', 'unauthorized', (_, response) => Boolean(response.end(`{"a":"${'x'.repeat(2 ** 21)}"}`))],
    ['metadata that never ends', 'timeout', (_, response) => Boolean(response.writeHead(200).write('{'))],
    ['no answer', 'timeout', () => true],
    ['a connection that breaks', 'unauthorized', (_, response) => Boolean(response.destroy())],
    ['a page for everything', 'unauthorized', (_, response) => Boolean(response.end(`<html>${STORED}</html>`))],
    ['an error with a secret in it', 'unauthorized', (_, response) => Boolean(response.writeHead(500).end(STORED))],
  ];
  it.each(broken)('G11 G6 for %s', async (_, code, onRequest) => {
    const stand = await rig.stand('dual', onRequest === undefined ? {} : { onRequest });
    const wired = await wire(stand, memoryProvider(), { connectTimeoutMs: 700 });
    expectRefused(wired, code);
  });

  it.each([
    ['text', 200],
    ['text', 500],
    ['{"error":"invalid_request"}', 200],
    ['{"error":"server_error","error_description":"DESCRIPTION"}', 400],
    ['{"error":5}', 400],
  ])('G11 R7 nothing of a body that answers a refresh reaches a log: %s with %i', async (text, status) => {
    const body = text === 'text' ? `${STORED} text` : text.replace('DESCRIPTION', 'try later');
    const stand = await rig.stand('dual', {
      onRequest: (request, response) => request.url === '/token' && Boolean(response.writeHead(status).end(body)),
    });
    const provider = rich(stand.as.origin);
    const wired = await wire(stand, provider);
    expectRefused(wired, 'unauthorized');
    // The refresh token may well be good: the user is not asked for what the server could not do.
    expect(provider.pages).toEqual([]);
  });
});

describe('answers of the page that are not taken', () => {
  async function waiting(options: OAuthServerOptions = {}) {
    const stand = await rig.stand('dual', options);
    const wired = await wire(stand, memoryProvider());
    const answer = await stand.as.visit(pageOf(wired.toolset));
    const finish = async (change: (params: URLSearchParams) => void) => {
      const params = new URLSearchParams(answer);
      change(params);
      const error = await rejection(wired.toolset.finishAuth('crm', params));
      expect(error).toMatchObject({ code: 'unauthorized', server: 'crm' });
      expectClean(error, wired.toolset.servers, wired.toolset.inspect(), wired.diagnostics);
      return error.message;
    };
    return { stand, ...wired, answer, finish };
  }

  it('G11 without the right state: the pending request stays', async () => {
    const { stand, toolset, answer, finish } = await waiting();
    for (const change of [
      (params: URLSearchParams) => params.delete('state'),
      (params: URLSearchParams) => params.set('state', 'other'),
      (params: URLSearchParams) => params.append('state', 'other'),
      (params: URLSearchParams) => params.append('code', 'other'),
    ]) {
      await finish(change);
      expect(toolset.servers[0]?.state).toBe('needs-auth');
    }
    expect(stand.as.at('/token')).toEqual([]);
    await toolset.finishAuth('crm', answer);
    expect(toolset.servers[0]?.state).toBe('ready');
  });

  it.each([
    ['another issuer', (params: URLSearchParams) => params.set('iss', 'https://evil.example')],
    ['an issuer that only looks the same', (params: URLSearchParams) => params.set('iss', `${params.get('iss')}/`)],
    ['no issuer, though one is promised', (params: URLSearchParams) => params.delete('iss')],
    ['no code', (params: URLSearchParams) => params.delete('code')],
  ])('G11 with %s: no token is asked for, and it cannot be given again', async (_, change) => {
    const { stand, toolset, answer, finish } = await waiting();
    await finish(change);
    expect(stand.as.at('/token')).toEqual([]);
    expect(toolset.servers[0]?.state).toBe('failed');
    expect((await rejection(toolset.finishAuth('crm', answer))).message).toContain('no authorization');
    await toolset.refresh('crm', { force: true }).catch(() => {});
    await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
    expect(toolset.servers[0]?.state).toBe('ready');
  });

  it('G11 with an error: its text is shown, without what nobody sees, once the issuer is known to be the right one', async () => {
    const refused = (params: URLSearchParams) => {
      params.delete('code');
      params.set('error', 'access_denied');
      params.set('error_description', 'The user said no\u001b[31m.');
    };
    const first = await waiting();
    expect(await first.finish(refused)).toContain('access_denied: The user said no.');
    const second = await waiting();
    const text = await second.finish((params) => {
      refused(params);
      params.set('iss', 'https://evil.example');
    });
    expect(text).not.toContain('user said no');
  });

  it('G11 with a code that is not good', async () => {
    const { stand, finish, toolset } = await waiting();
    expect(await finish((params) => params.set('code', 'other'))).toContain('invalid_grant');
    expect(toolset.servers[0]?.state).toBe('failed');
    expect(stand.as.requests.some(({ url }) => url.startsWith('/token'))).toBe(true);
  });
});
