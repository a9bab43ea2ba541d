import * as undici from 'undici';
import { describe, expect, it, vi } from 'vitest';
import { readAllowedHosts } from '../../src/config/allowed-hosts.js';
import { isMcpError, mcpTools } from '../../src/index.js';
import { createPinnedFetch } from '../../src/node.js';
import { pinFetch } from '../../src/transports/pinned-fetch.js';
import type { ResolveAll } from '../../src/transports/pinned-lookup.js';
import { listen, sleep, until } from '../support/http-host.js';
import { createAuthStands } from './auth-kit.js';
import { ALL_KINDS, AT_ONCE_MS, callsOf, doneText, ended, failure, sourceOf } from './faults-kit.js';

const { keep, stand, server: open } = createAuthStands();

/** A pinned fetch whose names resolve as told; a name that is not told does not exist. */
function pinned(names: Readonly<Record<string, readonly string[]>>, allowedHosts?: readonly string[]) {
  const asked: string[] = [];
  const resolveAll: ResolveAll = (hostname, _, callback) => {
    asked.push(hostname);
    const addresses = (names[hostname] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const missing = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    setImmediate(() => callback(hostname in names ? null : missing, addresses));
  };
  const fetch = pinFetch({
    allowed: allowedHosts && readAllowedHosts(allowedHosts, 'the list'),
    importUndici: () => import('undici'),
    loadResolver: async () => resolveAll,
  });
  return { fetch, asked };
}

/** A server that counts the connections made to it. */
async function counting(location?: string) {
  let connections = 0;
  const host = keep(
    await listen(async (request, response) => {
      if (request.url === '/slow') await sleep(300);
      if (location !== undefined && request.url !== '/taken') response.writeHead(307, { location }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end('served');
    }),
  );
  host.server.on('connection', () => {
    connections += 1;
  });
  const { port } = new URL(host.origin);
  return { port, url: (name: string) => `http://${name}:${port}/`, connections: () => connections };
}

/** What a promise rejects with, which is ours or the platform's. */
const thrown = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('It resolved'),
    (error: unknown) => error as Error & { code?: string; cause?: { code?: string } },
  );

describe.each(ALL_KINDS)('%s, by the machine’s own resolver', (kind) => {
  it('G8 serves as the `fetch` of a toolset: calls, streams and their ends', async () => {
    const server = await open(kind);
    const url = server.url.replace('127.0.0.1', 'localhost');
    const { effect, toolset } = await stand(kind, {
      server: { port: 0 },
      source: { url } as object,
      fetch: createPinnedFetch(),
      onToolsChanged() {},
    });
    expect(await effect('k')).toEqual(doneText('k'));
    server.script([{ match: { tool: 'effect' }, fault: { kind: 'never-answers', effect: 'none' } }]);
    const controller = new AbortController();
    const call = ended(toolset.tools.s__effect!.execute({ key: 'never' }, { abortSignal: controller.signal }));
    await until(() => callsOf(server).length === 2);
    controller.abort('enough');
    const end = await call;
    expect(end).toMatchObject({ code: 'aborted', error: { reason: 'enough' } });
    expect(end.ms).toBeLessThan(AT_ONCE_MS);
    await until(() => server.cancelled.length > 0);
    server.script([]);
    expect(await effect('next')).toEqual(doneText('next'));
    await toolset.close();
    await until(() => server.openStreams() === 0);
  });
});

describe('a name', () => {
  const MIXED = ['93.184.216.34', '127.0.0.1'];
  it.each<[string, readonly string[]]>([
    ['loopback', ['127.0.0.1']],
    ['loopback in IPv6', ['::1']],
    ['a mapped form of it', ['::ffff:127.0.0.1']],
    ['a private address', ['10.0.0.5']],
    ['the metadata address', ['169.254.169.254']],
    ['a link-local address with a zone', ['fe80::1%eth0']],
    ['a public and a local address', MIXED],
    ['a local and a public address', [...MIXED].reverse()],
  ])('G8 that leads to %s is refused, and nothing is connected to', async (_, addresses) => {
    const server = await counting();
    const { fetch, asked } = pinned({ 'mcp.example.com': addresses });
    const error = await thrown(fetch(server.url('mcp.example.com')));
    expect([isMcpError(error), error.code]).toEqual([true, 'host-denied']);
    expect(error.message).toMatch(/^mcp\.example\.com:\d+ leads to /);
    expect([asked, server.connections()]).toEqual([['mcp.example.com'], 0]);
  });

  it('G8 C6 that leads inside fails its server as `host-denied`, is not counted, and its siblings serve', async () => {
    const good = await open('modern, JSON');
    const { fetch, asked } = pinned({ 'mcp.example.com': ['127.0.0.1'], localhost: ['127.0.0.1'] });
    const url = good.url.replace('127.0.0.1', 'mcp.example.com');
    const sources = [
      { name: 'bad', type: 'http', url } as const,
      { ...sourceOf('modern, JSON', good), url: good.url.replace('127.0.0.1', 'localhost') },
    ];
    const toolset = keep(await mcpTools(sources, { fetch, onDiagnostic() {} }));
    expect(toolset.servers).toMatchObject([{ state: 'failed', error: { code: 'host-denied' } }, { state: 'ready' }]);
    for (let tries = 0; tries < 6; tries++) {
      expect(await failure(toolset.refresh('bad'))).toMatchObject({ code: 'host-denied' });
    }
    expect(asked.filter((name) => name === 'mcp.example.com')).toHaveLength(7);
    expect(new Set(good.requests.map(({ headers }) => headers.host))).toEqual(new Set([new URL(sources[1]!.url).host]));
  });

  it.each([[['mcp.example.com:*']], [['mcp.example.com:*', '127.0.0.1']]])(
    'G8 G3 on the list %j may not lead inside by that alone',
    async (list) => {
      const server = await counting();
      const { fetch } = pinned({ 'mcp.example.com': ['127.0.0.1'] }, list);
      expect(await thrown(fetch(server.url('mcp.example.com')))).toMatchObject({ code: 'host-denied' });
      expect(server.connections()).toBe(0);
    },
  );

  it('G8 G3 whose address is on the list too is served, at the address that was judged', async () => {
    const server = await counting();
    // Nobody but the resolver above knows this name, so a connection that looked it up again would fail.
    const { fetch, asked } = pinned({ 'mcp.example.com': ['127.0.0.1'] }, ['mcp.example.com:*', '127.0.0.1:*']);
    for (let times = 0; times < 3; times++) {
      expect(await (await fetch(server.url('mcp.example.com'))).text()).toBe('served');
    }
    expect(asked.length).toBe(server.connections());
  });

  it('G8 G3 of this network that is on the list is served wherever it leads', async () => {
    const server = await counting();
    const { fetch } = pinned({ 'vault.internal': ['127.0.0.1'] }, ['vault.internal:*']);
    expect(await (await fetch(server.url('vault.internal'))).text()).toBe('served');
    expect(await thrown(fetch(server.url('other.internal')))).toMatchObject({ code: 'host-denied' });
  });

  it('G8 is asked for again with each connection, and refused from then on where it moved', async () => {
    const server = await counting();
    const names = { 'mcp.example.com': ['127.0.0.1'] };
    const { fetch, asked } = pinned(names, ['mcp.example.com:*', '127.0.0.1:*']);
    const first = fetch(`${server.url('mcp.example.com')}slow`);
    await until(() => server.connections() === 1);
    names['mcp.example.com'] = ['10.0.0.1'];
    expect(await thrown(fetch(server.url('mcp.example.com')))).toMatchObject({ code: 'host-denied' });
    // The connection that stands leads where it led.
    expect(await (await first).text()).toBe('served');
    expect([asked.length, server.connections()]).toEqual([2, 1]);
  });

  it('G8 with several addresses is tried at each of them', async () => {
    const server = await counting();
    const { fetch } = pinned({ localhost: ['::1', '127.0.0.2', '127.0.0.1'] });
    expect(await (await fetch(server.url('localhost'))).text()).toBe('served');
  });

  it('G8 that does not exist, or has no address, fails as that', async () => {
    const { fetch } = pinned({ 'empty.example.com': [] });
    expect(await thrown(fetch('http://no.example.com/'))).toMatchObject({ cause: { code: 'ENOTFOUND' } });
    expect(await thrown(fetch('http://empty.example.com/'))).toMatchObject({ code: 'connect-failed' });
    const toolset = keep(
      await mcpTools([{ name: 's', type: 'http', url: 'http://no.example.com/' }], { fetch, onDiagnostic() {} }),
    );
    expect(toolset.servers[0]!.error).toMatchObject({ code: 'connect-failed', cause: { code: 'ENOTFOUND' } });
  });
});

describe('a URL', () => {
  it.each([
    'http://10.0.0.5/',
    'http://169.254.169.254/latest/meta-data',
    'http://0xa9fea9fe/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fd00::1]/',
    'http://metadata.google.internal/',
    'http://user:pw@localhost/',
    'data:text/plain,x',
    'blob:http://localhost/x',
  ])('G8 G3 %s is refused without a look-up', async (url) => {
    const { fetch, asked } = pinned({});
    expect(await thrown(fetch(url))).toMatchObject({ code: 'host-denied' });
    expect(asked).toEqual([]);
  });

  it('G8 G2 that the list does not name is refused', async () => {
    const server = await counting();
    const { fetch, asked } = pinned({ localhost: ['127.0.0.1'] }, ['mcp.example.com']);
    for (const host of ['localhost', '127.0.0.1']) {
      expect(await thrown(fetch(server.url(host)))).toMatchObject({ code: 'host-denied' });
    }
    expect([asked, server.connections()]).toEqual([[], 0]);
  });

  it('G8 of loopback is served, as a text, a URL or a request', async () => {
    const server = await counting();
    const { fetch } = pinned({ localhost: ['127.0.0.1'] });
    const url = server.url('127.0.0.1');
    const inputs = [url, new URL(url), new Request(url), new Request(url, { method: 'POST', body: 'x' })];
    for (const input of inputs) expect(await (await fetch(input)).text()).toBe('served');
  });

  it.each([
    'http://10.0.0.5/',
    'http://[::ffff:a00:5]/',
    'http://inner.example.com/',
    'https://metadata.google.internal/',
  ])('G8 to which a redirect leads that the fetch follows by itself is judged as well: %s', async (location) => {
    const server = await counting(location);
    const { fetch } = pinned({ 'inner.example.com': ['127.0.0.1'] });
    expect(await thrown(fetch(server.url('127.0.0.1')))).toMatchObject({ code: 'host-denied' });
  });
});

describe('what it needs', () => {
  it('G8 on Bun, which has a stand-in under that name, every request is refused', async () => {
    vi.stubGlobal('Bun', {});
    try {
      expect(await thrown(createPinnedFetch()('https://mcp.example.com/'))).toMatchObject({ code: 'config' });
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('G8 with a stand-in for it that does not ask, no answer is used', async () => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel() {
        cancelled = true;
      },
    });
    const fetch = pinFetch({
      allowed: undefined,
      importUndici: async () => ({ ...undici, fetch: async () => new Response(body) }),
      loadResolver: async () => () => {},
    });
    expect(await thrown(fetch('https://mcp.example.com/'))).toMatchObject({ code: 'config' });
    expect(cancelled).toBe(true);
  });

  it('G8 W3 an entry that is no host is a mistake at once', () => {
    for (const entry of ['https://mcp.example.com', '*']) {
      expect(() => createPinnedFetch({ allowedHosts: [entry] })).toThrow(expect.objectContaining({ code: 'config' }));
    }
  });

  it('C4 a refused connection proves nothing through it: the call is not sent again', async () => {
    const { server, effect } = await stand('modern, JSON', { fetch: createPinnedFetch() });
    await server.close();
    expect(await failure(effect('k'))).toMatchObject({ code: 'outcome-unknown', cause: { code: expect.any(String) } });
  });
});
