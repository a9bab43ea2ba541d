import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { McpOptions, McpServerConfig, McpToolset } from '../../src/index.js';
import { isMcpError } from '../../src/index.js';
import { reach } from '../support/canaries.js';
import { type RawServer, type RawServerOptions, rpcError } from '../support/raw-server.js';
import { createKit, custom, fakeTransport, http, rejection, tool } from './wiring-kit.js';

const kit = createKit();
afterEach(() => void vi.restoreAllMocks());

const CANARY = 'canary-7f3a';
const HEADERS = { authorization: `Bearer ${CANARY}`, 'x-api-key': CANARY, cookie: `session=${CANARY}` };

const OURS = /^(Object|Array|Mcp[A-Za-z]+Error)$/;

function expectClean(error: unknown, ...secrets: string[]): void {
  expect(isMcpError(error), String(error)).toBe(true);
  const { strings, classes } = reach(error);
  for (const secret of [CANARY, ...secrets]) {
    expect(strings.filter((text) => text.includes(secret)).map((text) => text.slice(0, 200))).toEqual([]);
  }
  expect([...classes].filter((name) => !OURS.test(name))).toEqual([]);
}

/** What the server must not find again in any report either. */
function expectReportsClean(toolset: McpToolset | undefined): void {
  const text = JSON.stringify([kit.diagnostics, toolset?.inspect()]);
  expect(text.includes(CANARY)).toBe(false);
}

const secret = (name: string, server: { readonly url: string }): McpServerConfig => ({
  ...http(name, server),
  url: `${server.url}?key=${CANARY}`,
  headers: HEADERS,
});

/** Session ids that a server handed out. */
const sessionsOf = (server: RawServer) => [
  ...new Set(server.requests.flatMap(({ headers }) => headers['mcp-session-id'] ?? []).map(String)),
];

const html = (response: ServerResponse, status: number, body = `<b>${CANARY}</b>`) => {
  response.writeHead(status, { 'content-type': 'text/html', 'set-cookie': `a=${CANARY}`, 'x-trace': CANARY });
  response.end(body);
};

type Answer = (response: ServerResponse, id: unknown) => void;
const json =
  (status: number, make: (id: unknown) => unknown): Answer =>
  (response, id) => {
    response.writeHead(status, { 'content-type': 'application/json', 'www-authenticate': `Bearer realm="${CANARY}"` });
    response.end(typeof make(id) === 'string' ? make(id) : JSON.stringify(make(id)));
  };
const rpc = (id: unknown) => ({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no', data: { token: CANARY } } });
const result = (value: object) =>
  json(200, (id) => ({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...value } }));

/** What is written in answer to a request, with the canary wherever a server can put it. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  'HTTP 500 with a page': (response) => html(response, 500),
  'HTTP 404 with a page': (response) => html(response, 404),
  'HTTP 400 with an error of no id': json(400, () => ({ ...rpc(null), error: { code: 1, message: CANARY } })),
  'HTTP 400 with another shape': json(400, () => ({ error: CANARY, [CANARY]: CANARY })),
  'HTTP 401': json(401, () => ({ error: CANARY })),
  'HTTP 403': json(403, () => ({ error: CANARY })),
  'HTTP 429': (response) => html(response, 429),
  'HTTP 200 with a page': (response) => html(response, 200),
  'HTTP 200 with another shape': json(200, () => ({ secret: CANARY })),
  'HTTP 200 with broken JSON': json(200, () => `{"jsonrpc":"2.0","${CANARY}":`),
  'HTTP 200 with an answer to another request': json(200, () => ({ ...rpc('other'), result: CANARY })),
  'HTTP 202': (response) => void response.writeHead(202, { 'x-trace': CANARY }).end(CANARY),
  'a JSON-RPC error with data': json(200, rpc),
  'a JSON-RPC error with data in HTTP 500': json(500, rpc),
  'a redirect elsewhere': (response) =>
    void response.writeHead(307, { location: `https://user:${CANARY}@example.com/${CANARY}?${CANARY}` }).end(CANARY),
  'a redirect to a private address': (response) =>
    void response.writeHead(307, { location: `http://10.0.0.1/${CANARY}?${CANARY}#${CANARY}` }).end(CANARY),
  'a redirect to nowhere': (response) => void response.writeHead(307, { location: `http://${CANARY}:x/` }).end(CANARY),
  'a redirect to another scheme': (response) =>
    void response.writeHead(307, { location: `file:///${CANARY}` }).end(CANARY),
  'a body beyond the limit': json(200, (id) => ({ ...rpc(id), padding: CANARY.repeat(3_000) })),
  'a connection that dies': (response) => void response.destroy(),
  'a body that breaks off': (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
    response.write(`{"${CANARY}":`);
    setTimeout(() => response.destroy(), 20);
  },
  'an event stream that breaks off': (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`event: ${CANARY}\nid: ${CANARY}\ndata: {"${CANARY}"\n\n`);
    setTimeout(() => response.destroy(), 20);
  },
};

/** The same for an answer that is one, and that the adapter refuses. */
const RESULTS: Readonly<Record<string, Answer>> = {
  'content that is no list': result({ content: { text: CANARY } }),
  'content with blocks that are none': result({ content: [{ [CANARY]: CANARY }] }),
  'media that does not decode': result({ content: [{ type: 'image', data: `${CANARY}!`, mimeType: CANARY }] }),
  'media of another kind': result({ content: [{ type: 'audio', data: { [CANARY]: 1 }, mimeType: CANARY }] }),
  'media beyond the limit': result({ content: [{ type: 'image', data: btoa(CANARY.repeat(50)), mimeType: CANARY }] }),
};

const LIMITS: McpOptions = { limits: { responseBytes: 20_000, mediaBytes: 100 }, connectTimeoutMs: 3_000 };

/** Answers every request with this method so. */
const onMethod =
  (method: string, answer: Answer): NonNullable<RawServerOptions['onRequest']> =>
  (request, response) => {
    if (request.method !== method) return false;
    answer(response, request.id);
    return true;
  };

describe.each(['legacy', 'modern'] as const)('%s', (era) => {
  it.each(Object.entries({ ...ANSWERS, ...RESULTS }))('R7 a call answered with %s', async (_, answer) => {
    const server = await kit.raw({ era });
    const toolset = await kit.wire([{ ...secret('s', server), timeoutMs: 5_000 }], LIMITS);
    server.set({ onRequest: onMethod('tools/call', answer) });
    const error = await rejection(toolset.tools.s__a!.execute({ q: CANARY }));
    expectClean(error, ...sessionsOf(server));
    expect((error as Error).message.length).toBeLessThan(1_000);
    expectReportsClean(toolset);
  });

  it.each(Object.entries(ANSWERS))('R7 a listing answered with %s', async (_, answer) => {
    const server = await kit.raw({ era });
    const toolset = await kit.wire([{ ...secret('s', server), timeoutMs: 5_000 }], LIMITS);
    server.set({ onRequest: onMethod('tools/list', answer) });
    expectClean(await rejection(toolset.refresh('s')), ...sessionsOf(server));
    expectClean(toolset.servers[0]!.error);
    expectReportsClean(toolset);
  });
});

it.each(Object.entries(ANSWERS))('R7 a handshake answered with %s', async (_, answer) => {
  for (const protocol of ['legacy', 'modern', 'auto'] as const) {
    const server = await kit.raw({
      onRequest: (request, response) => {
        answer(response, request.id);
        return true;
      },
    });
    const toolset = await kit.wire([{ ...secret('s', server), protocol }], LIMITS);
    const { error } = toolset.servers[0]!;
    expectClean(error);
    expectReportsClean(toolset);
  }
});

describe('ends of our own', () => {
  it('R7 a deadline, an abort, a close, a name and an argument', async () => {
    const server = await kit.raw({ onCall: () => new Promise(() => {}) });
    const toolset = await kit.wire([{ ...secret('s', server), timeoutMs: 100 }]);
    const { s__a: a } = toolset.tools;
    expectClean(await rejection(a!.execute({ q: CANARY })));
    expectClean(await rejection(a!.execute({ q: CANARY }, { abortSignal: AbortSignal.abort(null) })));
    expectClean(await rejection(a!.execute([CANARY])));
    expectClean(await rejection(a!.execute(() => CANARY)));
    expectClean(await rejection(a!.execute({ [CANARY]: 1n })));
    const closing = rejection(a!.execute({ q: CANARY }));
    await toolset.close();
    expectClean(await closing);
    expectClean(await rejection(a!.execute({ q: CANARY })));
    expectReportsClean(toolset);
  });

  it('R7 a withdrawn tool and an open breaker, with what caused them', async () => {
    const { now } = Date;
    let ahead = 0;
    vi.spyOn(Date, 'now').mockImplementation(() => now() + ahead);
    const server = await kit.raw({ era: 'legacy', onCall: () => rpcError(-32602, 'Unknown tool', { token: CANARY }) });
    const toolset = await kit.wire([secret('s', server)]);
    const { s__a: a } = toolset.tools;
    server.set({ tools: [tool('b')] });
    const withdrawn = await rejection(a!.execute({ q: CANARY }));
    expect(withdrawn).toMatchObject({ code: 'withdrawn' });
    expectClean(withdrawn, ...sessionsOf(server));

    server.set({
      onRequest: (_, response) => {
        html(response, 500);
        return true;
      },
    });
    const errors: unknown[] = [];
    for (let failed = 0; failed < 7; failed++) {
      errors.push(await rejection(toolset.tools.s__b!.execute({})));
      server.expireSessions();
      ahead += 2_000;
      server.set({
        onRequest: (request, response) => {
          html(response, request.method === 'tools/call' ? 404 : 500);
          return true;
        },
      });
    }
    expect(errors.at(-1)).toMatchObject({ code: 'breaker-open' });
    for (const error of errors) expectClean(error, ...sessionsOf(server));
    expectReportsClean(toolset);
  });
});

describe('what the host gives', () => {
  class SdkLikeError extends Error {
    override readonly name = 'SdkHttpError';
    readonly code = 'CLIENT_HTTP';
    readonly status = 500;
    readonly headers = HEADERS;
    readonly data = { text: CANARY };
    readonly request = new Request(`https://example.com/?${CANARY}`, { headers: HEADERS });
    constructor() {
      super(CANARY, { cause: new AggregateError([new Error(CANARY)], CANARY, { cause: new Error(CANARY) }) });
    }
  }
  const thrown: readonly [string, () => unknown][] = [
    ['an error with everything in it', () => new SdkLikeError()],
    ['a string', () => CANARY],
    [
      'a name and a code that are no names',
      () => Object.assign(new Error(CANARY), { name: CANARY.repeat(9), code: `${CANARY} !` }),
    ],
    [
      'an object whose getters throw',
      () => ({
        get name() {
          throw new Error(CANARY);
        },
      }),
    ],
  ];

  it.each(thrown)('R7 a fetch that rejects with %s', async (_, make) => {
    const server = await kit.raw();
    let broken = false;
    const fetch: typeof globalThis.fetch = async (...args) => {
      if (broken) throw make();
      return globalThis.fetch(...args);
    };
    const toolset = await kit.wire([secret('s', server)], { fetch });
    broken = true;
    const errors = [await rejection(toolset.tools.s__a!.execute({})), await rejection(toolset.refresh('s'))];
    for (const error of errors) expectClean(error, ...sessionsOf(server));
    expectReportsClean(toolset);
  });

  it.each(thrown)('R7 a transport of its own that fails with %s', async (_, make) => {
    const reject = () => Promise.reject(make());
    const noConnect = await kit.wire([custom('s', reject)]);
    const noStart = await kit.wire([custom('s', () => fakeTransport({ start: reject }))]);
    for (const toolset of [noConnect, noStart]) {
      expectClean(toolset.servers[0]!.error);
      expectReportsClean(toolset);
    }
    const transport = fakeTransport();
    const { send } = transport;
    const toolset = await kit.wire([custom('s', () => transport)]);
    transport.send = (message, options) =>
      'method' in message && message.method === 'tools/call' ? reject() : send(message, options);
    expectClean(await rejection(toolset.tools.s__a!.execute({ q: CANARY })));
  });

  it.each(thrown)('R7 a source that fails with %s', async (_, make) => {
    const toolset = await kit.wire([() => Promise.reject(make())]);
    expectClean(toolset.servers[0]!.error);
    expectReportsClean(toolset);
  });
});

describe('over HTTP+SSE', () => {
  it.each(['HTTP 500 with a page', 'HTTP 401', 'HTTP 400 with another shape', 'HTTP 404 with a page'])(
    'R7 a call answered with %s',
    async (name) => {
      const server = await kit.sse();
      const config = { type: 'sse', name: 's', url: `${server.url}?key=${CANARY}`, headers: HEADERS } as const;
      const toolset = await kit.wire([{ ...config, timeoutMs: 3_000 }]);
      server.set({ onRequest: onMethod('tools/call', ANSWERS[name]!) });
      expectClean(await rejection(toolset.tools.s__a!.execute({ q: CANARY })));
      expectReportsClean(toolset);
    },
  );

  it.each([`https://example.com/${CANARY}?${CANARY}`, `http://user:${CANARY}@127.0.0.1/`, `file:///${CANARY}`])(
    'R7 an endpoint at %s',
    async (endpoint) => {
      const server = await kit.sse({ endpoint });
      const config = { type: 'sse', name: 's', url: `${server.url}?key=${CANARY}`, headers: HEADERS } as const;
      const toolset = await kit.wire([config], { connectTimeoutMs: 2_000 });
      expectClean(toolset.servers[0]!.error);
      expectReportsClean(toolset);
    },
  );
});
