import { generateKeyPairSync } from 'node:crypto';
import { ClientCredentialsProvider, PrivateKeyJwtProvider } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { HttpServer } from '../../src/index.js';
import { mcpTools } from '../../src/index.js';
import { listen } from '../support/http-host.js';
import { type MemoryProvider, memoryProvider } from '../support/oauth-provider.js';
import { createOAuthRig, KINDS, pageOf, type Stand, session } from './oauth-kit.js';
import { rejection } from './rig.js';

const rig = createOAuthRig();

/** A toolset whose user has agreed. */
async function agreed(stand: Stand, provider = memoryProvider(), options = {}) {
  const { toolset, diagnostics } = await rig.wireOAuth(stand, provider, options);
  await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
  return { toolset, diagnostics, provider };
}

const echo = (toolset: Awaited<ReturnType<typeof agreed>>['toolset']) =>
  toolset.tools.crm__echo!.execute({ message: 'hi' });

describe('without a user', () => {
  const clients = { robot: 'robot-secret' };
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });

  it.each(KINDS)('G11 client credentials and a signed assertion: a token, and another one later (%s)', async (kind) => {
    const stand = await rig.stand(kind, { clients });
    const expectedIssuer = stand.as.origin;
    const providers = [
      new ClientCredentialsProvider({ clientId: 'robot', clientSecret: 'robot-secret', expectedIssuer }),
      new PrivateKeyJwtProvider({ clientId: 'robot', privateKey, algorithm: 'ES256', expectedIssuer }),
    ];
    for (const provider of providers) {
      stand.as.reset();
      const { toolset } = await rig.wireOAuth(stand, provider);
      expect(toolset.servers[0]?.state).toBe('ready');
      await echo(toolset);
      expect(stand.as.at('/token')).toHaveLength(1);
      stand.as.expire();
      await Promise.all([echo(toolset), echo(toolset), echo(toolset)]);
      expect(stand.as.at('/token')).toHaveLength(2);
    }
  });

  it.each(['client_secret_post', 'none'] as const)('G11 a client that registers as %s', async (authMethod) => {
    const stand = await rig.stand('dual', { authMethod });
    const { toolset } = await agreed(stand);
    expect(toolset.servers[0]?.state).toBe('ready');
    expect(stand.as.at('/token')[0]?.headers.authorization).toBeUndefined();
  });

  it('G11 a server from before 2025-06-18 is its own authorization server', async () => {
    const seen: string[] = [];
    const host = rig.keep(
      await listen((request, response) => {
        seen.push(`${request.method} ${request.url}`);
        if (request.url === '/mcp') response.writeHead(401).end();
        else if (request.url === '/register') response.writeHead(201).end('{"client_id":"x","redirect_uris":[]}');
        else response.writeHead(404).end();
      }),
    );
    const config = { name: 'crm', type: 'http', url: `${host.origin}/mcp` } as const;
    const { toolset } = await rig.wire([config], { session, oauth: () => memoryProvider() });
    expect(pageOf(toolset).href).toContain(`${host.origin}/authorize?response_type=code`);
    expect(seen.filter((line) => line.startsWith('POST /'))).toEqual(['POST /mcp', 'POST /register']);
  });
});

describe('tokens', () => {
  it('G11 a refusal of a token that was replaced meanwhile asks for none, also where it comes late', async () => {
    const stand = await rig.stand();
    let late: Promise<void> | undefined;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const response = await globalThis.fetch(input, init);
      // Every second refusal arrives when the others have had theirs replaced.
      if (response.status === 401 && late !== undefined && ++refusals % 2 === 0) await late;
      return response;
    };
    let refusals = 0;
    let release = () => {};
    const { toolset, provider } = await agreed(stand, memoryProvider(), { fetch });
    const { saveTokens } = provider;
    provider.saveTokens = async (...saved) => {
      await saveTokens(...saved);
      setTimeout(release, 50);
    };
    late = new Promise((resolve) => {
      release = resolve;
    });
    stand.as.reset();
    stand.as.expire();
    await Promise.all(Array.from({ length: 10 }, () => echo(toolset)));
    expect(refusals).toBe(10);
    expect(stand.as.at('/token')).toHaveLength(1);
  });

  it('G11 a refresh goes on when its caller has gone, and nobody begins a second one', async () => {
    const stand = await rig.stand();
    const slow: typeof globalThis.fetch = async (input, init) => {
      if (String(input).endsWith('/token')) await new Promise((resolve) => setTimeout(resolve, 300));
      return globalThis.fetch(input, init);
    };
    const { toolset, provider } = await agreed(stand, memoryProvider(), { fetch: slow });
    const before = provider.stored.tokens?.refresh_token;
    stand.as.reset();
    stand.as.expire();
    const abortSignal = AbortSignal.timeout(100);
    const gone = toolset.tools.crm__echo!.execute({ message: 'x' }, { abortSignal });
    expect(await rejection(gone)).toMatchObject({ code: 'aborted' });
    await echo(toolset);
    expect(stand.as.at('/token')).toHaveLength(1);
    expect(stand.as.reused).toBe(0);
    expect(provider.stored.tokens?.refresh_token).not.toBe(before);
  });

  it('G11 tokens that another process renewed are taken, and not thrown away', async () => {
    const stand = await rig.stand();
    const { provider, toolset } = await agreed(stand);
    const other = await agreed(stand);
    stand.as.expire();
    await echo(other.toolset);
    const theirs = other.provider.stored.tokens!;
    const { tokens } = provider;
    // The other process is done between our reading of the refresh token and the answer to it.
    let reads = 0;
    provider.stored.tokens = { ...provider.stored.tokens!, refresh_token: 'spent' };
    provider.tokens = (...args) => (++reads > 4 ? theirs : tokens(...args));
    await echo(toolset);
    expect(provider.invalidated).toEqual([]);
    expect(provider.pages).toHaveLength(1);
  });

  const stores = [
    ['throws it away', memoryProvider],
    ['cannot throw it away', () => Object.assign(memoryProvider(), { invalidateCredentials: undefined })],
    ['keeps it all the same', () => Object.assign(memoryProvider(), { invalidateCredentials() {} })],
  ] as const;

  it.each(stores)(
    'G11 a refresh token that is good no longer, and a store that %s: the user is asked',
    async (_, make) => {
      const stand = await rig.stand();
      const { provider, toolset } = await agreed(stand, make());
      provider.stored.tokens = { ...provider.stored.tokens!, refresh_token: 'spent' };
      stand.as.expire();
      expect(await rejection(echo(toolset))).toMatchObject({ code: 'unauthorized' });
      expect(toolset.servers[0]?.state).toBe('needs-auth');
      // The tools stay, and nothing is sent for them.
      stand.rs.reset();
      expect(await rejection(echo(toolset))).toMatchObject({ code: 'unauthorized' });
      expect(stand.rs.requests).toEqual([]);
      await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
      await echo(toolset);
      expect(toolset.servers[0]?.state).toBe('ready');
    },
  );

  it('G11 a client that is known no longer registers again where it can be thrown away, and else no user is sent anywhere', async () => {
    const forget = async (provider: MemoryProvider) => {
      const stand = await rig.stand();
      const { toolset } = await agreed(stand, provider);
      provider.stored.client = { ...provider.stored.client!, client_secret: 'wrong' };
      stand.as.expire();
      const { message } = await rejection(echo(toolset));
      return { message, registered: stand.as.at('/register').length, pages: provider.pages.length };
    };
    expect(await forget(memoryProvider())).toMatchObject({ registered: 2, pages: 2 });
    const kept = await forget(Object.assign(memoryProvider(), { invalidateCredentials: undefined }));
    expect(kept).toMatchObject({ registered: 1, pages: 1, message: expect.stringContaining('invalid_client') });
  });

  it('G11 a token of another kind than the provider can send is not sent', async () => {
    const stand = await rig.stand('dual', { token: { token_type: 'DPoP' } });
    const { toolset } = await rig.wireOAuth(stand, memoryProvider());
    const error = await rejection(toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset))));
    expect(error.message).toContain('bearer');
    expect(toolset.servers[0]?.state).toBe('failed');
    const tokens = { access_token: 'a', token_type: 'mac' };
    const stored = await rig.wireOAuth(stand, memoryProvider({ stored: { tokens } }));
    expect(stored.toolset.servers[0]?.error?.message).toContain('bearer');
    expect(stand.rs.requests.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
  });

  it('G12 a configured Authorization is never sent, also before there is a token', async () => {
    const stand = await rig.stand();
    const config = { ...stand.config, headers: { Authorization: 'Bearer configured', 'x-own': '1' } } as HttpServer;
    const { toolset, diagnostics } = await rig.wireOAuth({ ...stand, config }, memoryProvider());
    await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
    expect(stand.rs.requests.some(({ headers }) => headers.authorization === 'Bearer configured')).toBe(false);
    expect(diagnostics.filter(({ code }) => code === 'authorization-overridden')).toMatchObject([
      { server: 'crm', data: { by: 'oauth' } },
    ]);
  });

  it('G11 a provider that fails or hangs sends nothing', async () => {
    const stand = await rig.stand();
    const failing = memoryProvider({
      tokens: () => {
        throw new Error('no store');
      },
    });
    const hanging = memoryProvider({ tokens: () => new Promise(() => {}) });
    for (const [provider, code] of [
      [failing, 'unauthorized'],
      [hanging, 'timeout'],
    ] as const) {
      const { toolset } = await rig.wireOAuth(stand, provider, { connectTimeoutMs: 300 });
      expect(toolset.servers[0]).toMatchObject({ state: 'failed', error: { code } });
    }
    expect(stand.rs.requests).toEqual([]);
  });
});

describe('waiting for the user', () => {
  it('C6 does not count as a failed connect, whatever is tried meanwhile', async () => {
    const stand = await rig.stand();
    const provider = memoryProvider();
    const { toolset } = await rig.wireOAuth(stand, provider);
    for (let tries = 0; tries < 7; tries++) {
      expect(await rejection(toolset.refresh('crm'))).toMatchObject({ code: 'unauthorized' });
    }
    expect(provider.pages).toHaveLength(1);
    await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
    await echo(toolset);
  });

  it('G11 `refresh` with `force` begins anew, and the answer to the first page is taken no longer', async () => {
    const stand = await rig.stand();
    const { toolset } = await rig.wireOAuth(stand, memoryProvider());
    const first = await stand.as.visit(pageOf(toolset));
    await rejection(toolset.refresh('crm', { force: true }));
    expect(stand.as.at('/register')).toHaveLength(1);
    expect((await rejection(toolset.finishAuth('crm', first))).message).toContain('state');
    await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
    await echo(toolset);
  });

  it('G11 tokens that the host got by itself end it', async () => {
    const stand = await rig.stand();
    const provider = memoryProvider();
    const { toolset } = await rig.wireOAuth(stand, provider);
    provider.stored.tokens = (await agreed(stand)).provider.stored.tokens!;
    await toolset.refresh('crm');
    expect(toolset.servers[0]?.state).toBe('ready');
    expect(toolset.servers[0]?.authorizationUrl).toBeUndefined();
  });

  it('G11 an answer that is given twice at once is taken once', async () => {
    const stand = await rig.stand();
    const { toolset } = await rig.wireOAuth(stand, memoryProvider());
    const answer = await stand.as.visit(pageOf(toolset));
    const both = await Promise.allSettled([toolset.finishAuth('crm', answer), toolset.finishAuth('crm', answer)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(stand.as.at('/token')).toHaveLength(1);
  });

  it('G11 the siblings serve, `inspect` shows the page without its query, and changed tools are told', async () => {
    const stand = await rig.stand();
    const open = await rig.raw();
    const changes: string[][] = [];
    const { toolset } = await rig.wire([stand.config, { name: 'open', type: 'http', url: open.url }], {
      session,
      oauth: () => memoryProvider(),
      onToolsChanged: ({ added }) => changes.push([...added]),
    });
    expect(toolset.servers.map(({ state }) => state)).toEqual(['needs-auth', 'ready']);
    const { authorizationUrl } = toolset.inspect().servers[0]!;
    expect(authorizationUrl).toBe(`${stand.as.origin}/authorize`);
    JSON.stringify(toolset.inspect());
    pageOf(toolset).searchParams.set('state', 'changed');
    expect(pageOf(toolset).searchParams.get('state')).not.toBe('changed');
    await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
    expect(changes.flat()).toContain('crm__echo');
  });

  it('W3 W4 what cannot be finished says so', async () => {
    const stand = await rig.stand();
    const open = await rig.raw();
    const { toolset } = await rig.wireOAuth(stand, memoryProvider());
    const params = new URLSearchParams('code=x');
    expect(await rejection(toolset.finishAuth('crn', params))).toMatchObject({ code: 'config' });
    expect(await rejection(toolset.finishAuth('crm', 'code=x' as never))).toMatchObject({ code: 'config' });
    await toolset.close();
    expect(await rejection(toolset.finishAuth('crm', params))).toMatchObject({ code: 'closed' });
    expect(toolset.servers[0]).toMatchObject({ state: 'closed' });
    expect(toolset.servers[0]?.authorizationUrl).toBeUndefined();
    const plain = await rig.wire([{ name: 'open', type: 'http', url: open.url }]);
    expect(await rejection(plain.toolset.finishAuth('open', params))).toMatchObject({ code: 'config' });
  });

  it('W2 with `required` the wiring rejects', async () => {
    const stand = await rig.stand();
    const config = { ...stand.config, required: true };
    const work = mcpTools([config], { session, oauth: () => memoryProvider(), onDiagnostic() {} });
    expect(await rejection(work)).toMatchObject({ code: 'unauthorized', server: 'crm' });
  });
});

describe('more rights', () => {
  const scopes = { '*': 'read', echo: 'write', slow: 'admin' };

  it.each(KINDS)('G11 a call that needs more asks the user for all of it, and goes on (%s)', async (kind) => {
    const stand = await rig.stand(kind, {}, { scopes });
    const { toolset, provider } = await agreed(stand);
    expect(provider.pages[0]?.searchParams.get('scope')).toBe('read');
    expect(await rejection(echo(toolset))).toMatchObject({ code: 'unauthorized' });
    expect(toolset.servers[0]?.state).toBe('needs-auth');
    expect(pageOf(toolset).searchParams.get('scope')).toBe('read write');
    // What the token is good for still works.
    await toolset.tools.crm__add!.execute({ a: 1, b: 2 });
    expect(await rejection(echo(toolset))).toMatchObject({ code: 'unauthorized' });
    expect(provider.pages).toHaveLength(2);
    stand.rules = { ...stand.rules, scopes: { '*': 'read', echo: 'write' } };
    await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
    await echo(toolset);
    expect(toolset.servers[0]?.state).toBe('ready');
  });

  it('G11 without a user they are asked for at once, once for all, and never the same ones twice', async () => {
    const stand = await rig.stand('dual', { clients: { robot: 's' } }, { scopes: { echo: 'write' } });
    const expectedIssuer = stand.as.origin;
    const provider = new ClientCredentialsProvider({ clientId: 'robot', clientSecret: 's', expectedIssuer });
    const { toolset } = await rig.wireOAuth(stand, provider);
    stand.as.reset();
    await Promise.all([echo(toolset), echo(toolset), echo(toolset)]);
    expect(stand.as.at('/token')).toHaveLength(1);
    expect(stand.as.at('/token')[0]?.body).toContain('scope=write');
    // A server that is never content.
    stand.rules = { issuer: { origin: stand.as.origin, scopeOf: () => 'none' }, scopes: { echo: 'more' } };
    stand.rs.reset();
    for (let tries = 0; tries < 3; tries++)
      expect(await rejection(echo(toolset))).toMatchObject({ code: 'unauthorized' });
    expect(stand.as.at('/token')).toHaveLength(2);
    expect(stand.rs.count('tools/call')).toBe(4);
  });
});
