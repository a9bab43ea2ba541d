import { describe, expect, it } from 'vitest';
import type { HttpServer, McpServerSource } from '../../src/index.js';
import { mcpTools } from '../../src/index.js';
import { expectNoSecrets, SECRETS } from '../support/canaries.js';
import { type RawServer, rpcError } from '../support/raw-server.js';
import { callText, createKit, http, rejection, tool } from './wiring-kit.js';

const kit = createKit();

const { header: HEADER, query: QUERY, user: USER } = SECRETS;
const CANARIES = Object.values(SECRETS);

/** What reached a server: lines, headers and bodies. */
const received = (server: RawServer) => JSON.stringify(server.requests);

describe('URLs that are denied', () => {
  const denied: readonly [string, string][] = [
    ['a private address', `http://10.0.0.8/mcp?key=${QUERY}`],
    ['a private address in another form', `http://0xc0a80001/mcp?key=${QUERY}`],
    ['an IPv4-mapped address', `http://[::ffff:10.0.0.8]/mcp?key=${QUERY}`],
    ['a unique local address', `https://[fd00::1]/mcp?key=${QUERY}`],
    ['link-local metadata', `http://169.254.169.254/latest/meta-data?key=${QUERY}`],
    ['a metadata name', `http://metadata.google.internal/mcp?key=${QUERY}`],
    ['a name of this network', `https://printer.local/mcp?key=${QUERY}`],
    ['a name without a dot', `https://intranet/mcp?key=${QUERY}`],
    ['a file', `file:///etc/passwd?key=${QUERY}`],
    ['data', `data:application/json,${QUERY}`],
    ['userinfo', `https://${USER}:${USER}@a.example/mcp?key=${QUERY}`],
    ['userinfo on loopback', `http://${USER}@127.0.0.1:1/mcp?key=${QUERY}`],
  ];

  it.each(denied)('G1 W2 %s is refused without a request, and the siblings serve', async (_, url) => {
    const good = await kit.raw();
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = (input, init) => {
      asked.push(new URL(String(input)).host);
      return globalThis.fetch(input, init);
    };
    for (const type of ['http', 'streamable-http', 'sse'] as const) {
      const toolset = await kit.wire([{ name: 'bad', type, url }, http('good', good)], { fetch });
      expect(toolset.servers).toMatchObject([
        { name: 'bad', state: 'failed', error: { name: 'McpConnectError', code: 'host-denied', server: 'bad' } },
        { name: 'good', state: 'ready' },
      ]);
      expect(await callText(toolset, 'good__a')).toBe('{}');
      expectNoSecrets(toolset.servers[0], toolset.inspect(), kit.diagnostics);
    }
    expect(new Set(asked)).toEqual(new Set([new URL(good.url).host]));
  });

  it('G1 one that a function source names is refused as well', async () => {
    const toolset = await kit.wire([() => ({ name: 'f', type: 'http', url: 'http://192.168.1.1/' })]);
    expect(toolset.servers[0]!.error).toMatchObject({ code: 'host-denied' });
  });

  it('G1 with `required` the call rejects, and says nothing of the URL beyond its host', async () => {
    const url = `http://10.0.0.8/${QUERY}?key=${QUERY}`;
    const error = await rejection(
      mcpTools([{ name: 'r', type: 'http', url, required: true, fallbackToSse: true }], { onDiagnostic: kit.listen }),
    );
    expect(error).toMatchObject({ code: 'host-denied' });
    expect((error as Error).message).toContain('10.0.0.8');
    expectNoSecrets(error);
  });
});

describe('redirects', () => {
  /** `home` redirects everything to `target` with `status`. */
  async function redirecting(target: string, status = 307) {
    return kit.raw({
      onRequest: (request, response) => {
        if (!request.url.startsWith('/mcp')) return false;
        response.writeHead(status, { location: target }).end();
        return true;
      },
    });
  }
  const config = (server: RawServer, redirect: HttpServer['redirect']): HttpServer => ({
    ...http('s', server),
    headers: { authorization: `Bearer ${HEADER}`, 'x-key': HEADER },
    ...(redirect === undefined ? {} : { redirect }),
  });

  it.each([undefined, 'same-origin', 'error'] as const)(
    'G5 G4 with `redirect: %s` nothing goes to another origin',
    async (redirect) => {
      const away = await kit.raw();
      const home = await redirecting(away.url);
      const toolset = await kit.wire([config(home, redirect)]);
      expect(toolset.servers[0]).toMatchObject({ state: 'failed', error: { code: 'redirect-denied' } });
      expect(away.requests).toEqual([]);
      expect(home.requests[0]!.headers.authorization).toBe(`Bearer ${HEADER}`);
      expectNoSecrets(toolset.servers[0], toolset.inspect(), kit.diagnostics);
    },
  );

  it.each(['legacy', 'modern'] as const)(
    'G5 G4 with `follow` another origin serves and gets no credential (%s)',
    async (era) => {
      const away = await kit.raw({ era });
      const home = await redirecting(away.url, 308);
      const toolset = await kit.wire([config(home, 'follow')]);
      if (era === 'modern') {
        expect(await callText(toolset, 's__a', { q: 'x' })).toBe('{"q":"x"}');
        expect(away.count('tools/call')).toBe(1);
      }
      expect(away.requests.length).toBeGreaterThan(0);
      for (const canary of CANARIES) expect(received(away)).not.toContain(canary);
      for (const { headers } of away.requests) {
        expect(headers['mcp-session-id']).toBeUndefined();
        expect(headers.cookie).toBeUndefined();
      }
      for (const { headers } of home.requests) expect(headers['x-key']).toBe(HEADER);
    },
  );

  it.each([undefined, 'same-origin', 'follow'] as const)(
    'G5 G4 within the origin they come along (redirect: %s)',
    async (redirect) => {
      const home = await kit.raw({
        era: 'legacy',
        onRequest: (request, response) => {
          if (!request.url.startsWith('/old')) return false;
          response.writeHead(307, { location: '/mcp' }).end();
          return true;
        },
      });
      const toolset = await kit.wire([{ ...config(home, redirect), url: `${home.origin}/old` }]);
      expect(await callText(toolset, 's__a', { q: 'x' })).toBe('{"q":"x"}');
      const served = home.requests.filter(({ url }) => url === '/mcp');
      expect(served.map(({ method }) => method)).toContain('tools/call');
      for (const { headers } of home.requests) expect(headers.authorization).toBe(`Bearer ${HEADER}`);
    },
  );

  it('G5 G1 `follow` is guarded at each hop', async () => {
    const home = await redirecting('http://169.254.169.254/mcp');
    const toolset = await kit.wire([config(home, 'follow')]);
    expect(toolset.servers[0]!.error).toMatchObject({ code: 'host-denied' });
    const loop = await kit.raw({
      onRequest: (_, response) => Boolean(response.writeHead(307, { location: '/mcp' }).end()),
    });
    const looping = await kit.wire([config(loop, 'follow')]);
    expect(looping.servers[0]!.error).toMatchObject({ code: 'redirect-denied' });
    expect(loop.requests).toHaveLength(6);
  });
});

describe('errors that are thrown', () => {
  const body = `<html>${HEADER} ${QUERY}</html>`;
  const tools = ['ok', 'rpc', 'status', 'unauthorized', 'cut', 'garbage', 'moved', 'hang'].map(tool);

  async function wired(era: 'legacy' | 'modern') {
    const server = await kit.raw({
      era,
      tools,
      onCall: ({ name }, { response }) => {
        if (name === 'rpc') return rpcError(-32050, 'refused');
        if (name === 'cut') return void response.destroy();
        if (name === 'garbage') return void response.writeHead(200, { 'content-type': 'application/json' }).end(body);
        if (name === 'status') return void response.writeHead(500, { 'content-type': 'text/html' }).end(body);
        if (name === 'unauthorized') return void response.writeHead(401).end(body);
        if (name === 'moved') return void response.writeHead(302, { location: `http://10.0.0.1/?key=${QUERY}` }).end();
        return new Promise(() => {});
      },
    });
    const source: McpServerSource = {
      ...http('s', server),
      url: `${server.url}?key=${QUERY}`,
      headers: { authorization: `Bearer ${HEADER}` },
    };
    return kit.wire([source], { timeoutMs: 2_000 });
  }

  it.each(['legacy', 'modern'] as const)('G4 hold no header, no query and no body, anywhere (%s)', async (era) => {
    const toolset = await wired(era);
    const abort = new AbortController();
    setTimeout(() => abort.abort(new Error('enough')), 100);
    const errors = [
      ...(await Promise.all(
        ['rpc', 'status', 'unauthorized', 'cut', 'garbage', 'moved'].map((name) =>
          rejection(toolset.tools[`s__${name}`]!.execute({})),
        ),
      )),
      await rejection(toolset.tools.s__hang!.execute({}, { abortSignal: abort.signal })),
      await rejection(toolset.tools.s__ok!.execute('text')),
    ];
    await toolset.close();
    errors.push(await rejection(toolset.tools.s__ok!.execute({})));
    expect(errors.map((error) => (error as { code?: unknown }).code)).toEqual([
      'protocol',
      'outcome-unknown',
      'unauthorized',
      'outcome-unknown',
      'outcome-unknown',
      'redirect-denied',
      'aborted',
      'invalid-arguments',
      'closed',
    ]);
    expectNoSecrets(...errors, toolset.servers, toolset.inspect(), kit.diagnostics);
  });

  it('G4 of a connect neither, whatever it failed of', async () => {
    const headers = { authorization: `Bearer ${HEADER}` };
    const answers = [401, 403, 404, 500].map((status) => ({ status, body }));
    const servers = await Promise.all([
      ...answers.map((answer) => kit.raw({ status: { 'server/discover': answer, initialize: answer } })),
      kit.raw({
        onRequest: (_, response) => Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end(body)),
      }),
      kit.raw({ onRequest: (_, response) => Boolean(response.destroy()) }),
      kit.raw({ onRequest: () => true }),
    ]);
    const urls = [...servers.map(({ url }) => url), 'http://127.0.0.1:1/mcp', 'https://no.such.host.invalid/mcp'];
    const sources = urls.map(
      (url, index) => ({ name: `s${index}`, type: 'http', url: `${url}?key=${QUERY}`, headers }) as const,
    );
    const toolset = await kit.wire(sources, { connectTimeoutMs: 1_500 });
    expect(toolset.servers.every(({ state, error }) => state === 'failed' && error !== undefined)).toBe(true);
    expectNoSecrets(toolset.servers, toolset.inspect(), kit.diagnostics);
  });
});
