import { describe, expect, it } from 'vitest';
import type { McpOptions, OAuthClientProvider } from '../../src/index.js';
import { listen } from '../support/http-host.js';
import { memoryProvider } from '../support/oauth-provider.js';
import { createOAuthRig, pageOf, type Stand, session } from './oauth-kit.js';
import { rejection } from './rig.js';

const rig = createOAuthRig();

type Answerer = (url: string) => Response | undefined;

/** A toolset some of whose requests are answered in the server's place, and the URLs that were asked for. */
async function wire(stand: Stand, answer: Answerer, provider: OAuthClientProvider, options: McpOptions = {}) {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    asked.push(`${init?.method ?? 'GET'} ${String(input)}`);
    return answer(String(input)) ?? globalThis.fetch(input, init);
  };
  return { asked, ...(await rig.wireOAuth(stand, provider, { fetch, ...options })) };
}

const RESOURCE = '/.well-known/oauth-protected-resource';
const ISSUER = '/.well-known/oauth-authorization-server';

/** What a place may answer that says nothing of whether it has metadata. */
const UNREADABLE: readonly [string, () => Response][] = [
  ...[408, 425, 429, 500, 502, 503, 504].map((status): [string, () => Response] => [
    `HTTP ${status}`,
    () => new Response('later', { status }),
  ]),
  [
    'a network error of fetch',
    () => {
      throw new TypeError('fetch failed');
    },
  ],
  [
    'a network error of another class, as on Workers',
    () => {
      throw new Error('Network connection lost.');
    },
  ],
  [
    'a body that breaks off',
    () => new Response(new ReadableStream({ pull: (out) => out.error(new Error('terminated')) })),
  ],
];

describe('metadata that cannot be read for a while', () => {
  it.each(UNREADABLE)('G11 of the resource, %s: no other place is tried, and later it is read', async (_, answer) => {
    for (const resourceMetadata of ['said', undefined] as const) {
      const stand = await rig.stand('dual', {}, resourceMetadata === undefined ? { resourceMetadata } : {});
      let down = true;
      const provider = memoryProvider();
      const { toolset, asked } = await wire(
        stand,
        (url) => (down && url.includes(RESOURCE) ? answer() : undefined),
        provider,
      );
      expect(toolset.servers[0]).toMatchObject({ state: 'failed', error: { code: 'unauthorized' } });
      expect(toolset.servers[0]?.error?.message).toContain('later');
      expect(asked.filter((line) => line.includes('.well-known'))).toEqual([`GET ${stand.rs.origin}${RESOURCE}/mcp`]);
      expect(stand.as.requests).toEqual([]);
      expect(provider.pages).toEqual([]);
      down = false;
      await rejection(toolset.refresh('crm'));
      await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
      await toolset.tools.crm__echo!.execute({ message: 'x' });
    }
  });

  it.each(UNREADABLE)('G11 of the issuer, %s: no other place is tried, and later it is read', async (_, answer) => {
    const stand = await rig.stand();
    let down = true;
    const provider = memoryProvider();
    const { toolset, asked } = await wire(
      stand,
      (url) => (down && url.includes(ISSUER) ? answer() : undefined),
      provider,
    );
    expect(toolset.servers[0]).toMatchObject({ state: 'failed', error: { code: 'unauthorized' } });
    expect(toolset.servers[0]?.error?.message).toContain('later');
    expect(asked.filter((line) => line.includes(stand.as.origin))).toEqual([`GET ${stand.as.origin}${ISSUER}`]);
    expect(provider.pages).toEqual([]);
    down = false;
    await rejection(toolset.refresh('crm'));
    await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
    await toolset.tools.crm__echo!.execute({ message: 'x' });
  });

  it('G11 while tokens are renewed: the stored ones stay, and the next call is served', async () => {
    for (const place of [RESOURCE, ISSUER]) {
      const stand = await rig.stand();
      const provider = memoryProvider();
      let down = false;
      const { toolset } = await wire(
        stand,
        (url) => (down && url.includes(place) ? new Response(null, { status: 502 }) : undefined),
        provider,
      );
      await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
      stand.as.expire();
      down = true;
      const error = await rejection(toolset.tools.crm__echo!.execute({ message: 'x' }));
      expect(error).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('later') });
      expect(provider.invalidated).toEqual([]);
      down = false;
      await toolset.tools.crm__echo!.execute({ message: 'x' });
      expect(provider.pages).toHaveLength(1);
      expect(stand.as.at('/token')).toHaveLength(2);
    }
  });

  it('G11 that is missing says so with any other status', async () => {
    for (const status of [400, 401, 403, 404, 405, 410]) {
      const stand = await rig.stand('dual', {}, { resourceMetadata: undefined });
      const answer: Answerer = (url) => {
        if (!url.startsWith(stand.rs.origin) || url.endsWith('/mcp'))
          return url.includes(RESOURCE) ? new Response(null, { status }) : undefined;
        return undefined;
      };
      const { toolset, asked } = await wire(stand, answer, memoryProvider());
      expect(asked.some((line) => line.endsWith(RESOURCE))).toBe(true);
      expect(pageOf(toolset).origin).toBe(stand.as.origin);
    }
  });
});

describe('redirects', () => {
  const STATUSES = [301, 302, 303, 307, 308];
  const PLACES = [RESOURCE, ISSUER];
  const originOf = (stand: Stand, place: string) => (place === RESOURCE ? stand.rs.origin : stand.as.origin);
  const redirect = (location: string, status = 307) => new Response(null, { status, headers: { location } });

  it.each(STATUSES)('G5 G11 of metadata are followed within the origin (%i)', async (status) => {
    for (const place of PLACES) {
      const stand = await rig.stand();
      const away: Answerer = (url) =>
        url.includes(place) && !url.endsWith('?there') ? redirect(`${url}?there`, status) : undefined;
      const { toolset, asked } = await wire(stand, away, memoryProvider());
      expect(pageOf(toolset).origin).toBe(stand.as.origin);
      expect(asked.filter((line) => line.endsWith('?there'))).toHaveLength(1);
    }
  });

  it('G5 G11 and no further than five, and nowhere else', async () => {
    for (const place of PLACES) {
      const targets = (origin: string) => [
        '',
        'https://[',
        'http://10.0.0.1/x',
        'https://evil.example/x',
        'file:///etc/passwd',
        `http://user@${new URL(origin).host}/x`,
        origin.replace('http:', 'https:'),
        origin.replace('127.0.0.1', 'localhost'),
      ];
      for (let index = 0; index < targets('http://a').length; index++) {
        const stand = await rig.stand();
        const target = targets(originOf(stand, place))[index]!;
        const answer: Answerer = (url) => (url.includes(place) ? redirect(target === '' ? url : target) : undefined);
        const provider = memoryProvider();
        const { toolset, asked } = await wire(stand, answer, provider);
        expect(toolset.servers[0], target).toMatchObject({
          state: 'failed',
          error: { code: expect.stringContaining('-denied') },
        });
        const metadata = asked.filter((line) => line.startsWith('GET ') && line.includes(place));
        expect(metadata, target).toHaveLength(target === '' ? 6 : 1);
        expect(asked.every((line) => line.includes(stand.rs.origin) || line.includes(stand.as.origin))).toBe(true);
        expect(stand.as.at('/register')).toEqual([]);
        expect(provider.pages).toEqual([]);
      }
    }
  });

  it.each(STATUSES)(
    'G11 of the token endpoint are never followed, wherever they lead: it is asked once (%i)',
    async (status) => {
      for (const path of ['/token', '/register', '/elsewhere', '']) {
        const stand = await rig.stand();
        let moved = false;
        const target = `${stand.as.origin}${path}`;
        const answer: Answerer = (url) => (moved && url.endsWith('/token') ? redirect(target, status) : undefined);
        const provider = memoryProvider();
        const { toolset, asked } = await wire(stand, answer, provider);
        const posts = () => asked.splice(0).filter((line) => line.startsWith(`POST ${stand.as.origin}`));
        const token = `POST ${stand.as.origin}/token`;
        const answered = await stand.as.visit(pageOf(toolset));
        posts();
        moved = true;
        expect(await rejection(toolset.finishAuth('crm', answered))).toMatchObject({ code: 'unauthorized' });
        expect(posts()).toEqual([token]);
        moved = false;
        await rejection(toolset.refresh('crm'));
        await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
        posts();
        stand.as.expire();
        moved = true;
        const error = await rejection(toolset.tools.crm__echo!.execute({ message: 'x' }));
        expect(error).toMatchObject({ code: 'unauthorized' });
        expect(posts()).toEqual([token]);
        expect(provider.invalidated).toEqual([]);
        moved = false;
        await toolset.tools.crm__echo!.execute({ message: 'x' });
      }
    },
  );
});

describe('a server that is its own authorization server', () => {
  it('G11 with metadata of that alone, as in the revision of 2025-03-26', async () => {
    const host = rig.keep(
      await listen(async (request, response) => {
        if (request.url === '/mcp') return void response.writeHead(401).end();
        const path = request.url ?? '';
        if (path === ISSUER) {
          const metadata = {
            issuer: host.origin,
            authorization_endpoint: `${host.origin}/authorize`,
            token_endpoint: `${host.origin}/token`,
            registration_endpoint: `${host.origin}/register`,
            response_types_supported: ['code'],
          };
          return void response.writeHead(200).end(JSON.stringify(metadata));
        }
        if (path === '/register') return void response.writeHead(201).end('{"client_id":"x","redirect_uris":[]}');
        response.writeHead(404).end();
      }),
    );
    const config = { name: 'crm', type: 'http', url: `${host.origin}/mcp` } as const;
    const { toolset } = await rig.wire([config], { session, oauth: () => memoryProvider() });
    expect(pageOf(toolset).href).toContain(`${host.origin}/authorize?response_type=code`);
  });
});
