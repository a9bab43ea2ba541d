import { describe, expect, it } from 'vitest';
import { connectMcp, createMcpTools, McpConfigError, mcpTools, withMcpTools } from '../../../src/index.js';

const URL_A = 'https://a.example/mcp';
const http = { name: 'a', type: 'http', url: URL_A };
const custom = { name: 'c', type: 'custom', connect() {} };
const program = { name: 'p', type: 'stdio', command: 'node' };

const PROVIDER = {
  redirectUrl: undefined,
  clientMetadata: {},
  clientInformation() {},
  tokens() {},
  saveTokens() {},
  redirectToAuthorization() {},
  saveCodeVerifier() {},
};

/** Wires the mistake next to everything that could do I/O; what was touched is counted. */
async function wire(servers: unknown, options: unknown) {
  const touched: string[] = [];
  const witness = {
    name: 'witness',
    type: 'custom',
    connect: () => {
      touched.push('connect');
      throw new Error('no transport');
    },
  };
  const source = () => {
    touched.push('source');
    throw new Error('no server');
  };
  const fetch = async () => {
    touched.push('fetch');
    throw new Error('no network');
  };
  const all = Array.isArray(servers)
    ? [{ name: 'w', type: 'http', url: 'https://w.example/' }, witness, source, ...servers]
    : servers;
  const given = typeof options === 'object' && options !== null ? { fetch, onDiagnostic() {}, ...options } : options;
  let error: unknown;
  try {
    await mcpTools(all as never, given as never);
  } catch (caught) {
    error = caught;
  }
  return { error, touched };
}

/** Each message names the option, so that whoever reads it knows what to change. */
async function expectMistake(servers: unknown, options: unknown, named: string) {
  const { error, touched } = await wire(servers, options);
  expect(error).toBeInstanceOf(McpConfigError);
  expect(error).toMatchObject({ name: 'McpConfigError', code: 'config' });
  expect((error as Error).message).toContain(named);
  expect(touched).toEqual([]);
}

describe('options that hold a mistake', () => {
  const mistakes: readonly [named: string, options: unknown][] = [
    ['options', null],
    ['options', 'text'],
    ['onDiagnostics', { onDiagnostics() {} }],
    ['timeout', { timeout: 5 }],
    ['session', { session: {} }],
    ['session', { session: { id: '' } }],
    ['session', { session: 'alice' }],
    ['tools', { tools: { allow: ['a'], block: ['b'] } }],
    ['tools', { tools: {} }],
    ['tools', { tools: null }],
    ['tools', { tools: ['a'] }],
    ['tools', { tools: { allow: 'a' } }],
    ['tools', { tools: { allow: [''] } }],
    ['tools', { tools: { block: [1] } }],
    ['alow', { tools: { alow: ['a'] } }],
    ['allowedHosts', { allowedHosts: 'a.example' }],
    ['allowedHosts', { allowedHosts: null }],
    ['entry 1', { allowedHosts: ['a.example', 'https://a.example'] }],
    ['entry 0', { allowedHosts: ['*'] }],
    ['entry 0', { allowedHosts: [5] }],
    ['session', { allowedHosts: () => [] }],
    ['allowedHosts', { session: { id: 's' }, allowedHosts: () => 'a.example' }],
    ['entry 0', { session: { id: 's' }, allowedHosts: () => ['a.example/x'] }],
    [
      'allowedHosts',
      {
        session: { id: 's' },
        allowedHosts: () => {
          throw new Error('no');
        },
      },
    ],
    ['session', { auth: async () => ({ token: 't' }) }],
    ['auth', { session: { id: 's' }, auth: 'token' }],
    ['session', { oauth: () => PROVIDER }],
    ['oauth', { session: { id: 's' }, oauth: PROVIDER }],
    ['auth', { session: { id: 's' }, auth: async () => ({ token: 't' }), oauth: () => PROVIDER }],
    ...[undefined, {}, [], 'provider', { ...PROVIDER, tokens: 'none' }, { ...PROVIDER, dpop: {} }].map(
      (given): [string, unknown] => ['oauth', { session: { id: 's' }, oauth: () => given }],
    ),
    [
      'oauth',
      {
        session: { id: 's' },
        oauth: () => {
          throw new Error('no');
        },
      },
    ],
    ['names', { names: 'loose' }],
    ['strictOutput', { strictOutput: 'yes' }],
    ['disclosure', { disclosure: 5 }],
    ['disclosure', { disclosure: null }],
    ['budgets', { disclosure: { budgets: 5 } }],
    ['disclosure.budget', { disclosure: { budget: -1 } }],
    ['disclosure.budget', { disclosure: { budget: Number.NaN } }],
    ['disclosure.budget', { disclosure: { budget: 'all' } }],
    ['disclosure.total', { disclosure: { total: -1 } }],
    ['disclosure.total', { disclosure: { total: 'auto' } }],
    ['disclosure.alwaysLoad', { disclosure: { alwaysLoad: 'docs' } }],
    ['disclosure.alwaysLoad', { disclosure: { alwaysLoad: [''] } }],
    ['provider', { provider: 'grok' }],
    ['provider', { provider: null }],
    ['onServerError', { onServerError: 'ignore' }],
    ['onDiagnostic', { onDiagnostic: 'log' }],
    ['fetch', { fetch: 'fetch' }],
    ['telemetry', { telemetry: {} }],
    ['telemetry', { telemetry: 1 }],
    ['telemetry.onCall', { telemetry: { start() {}, onCall: 1 } }],
    ['clientInfo', { clientInfo: { name: 'x' } }],
    ['clientInfo', { clientInfo: 'x' }],
    ['signal', { signal: {} }],
    ['signal', { signal: null }],
    ['limits', { limits: 5 }],
    ['limits', { limits: null }],
    ['pages', { limits: { pages: 5 } }],
    ...(['timeoutMs', 'connectTimeoutMs'] as const).flatMap((option) =>
      [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', null].map((value): [string, unknown] => [
        option,
        { [option]: value },
      ]),
    ),
    ...(
      [
        'listPages',
        'toolsPerServer',
        'listBytes',
        'responseBytes',
        'mediaBytes',
        'schemaDepth',
        'schemaNodes',
        'redirects',
      ] as const
    ).flatMap((limit) =>
      [0, -1, 1.5, Number.NaN, '5', null].map((value): [string, unknown] => [
        `limits.${limit}`,
        { limits: { [limit]: value } },
      ]),
    ),
  ];
  it.each(mistakes)('W3 %s: %o', (named, options) => expectMistake([], options, named));
});

describe('options that are not built yet', () => {
  const toCome: Readonly<Record<string, unknown>> = {
    policy: { decide: () => ({ kind: 'deny' }) },
    approvals: { secret: 'x'.repeat(32) },
    journal: {},
    runId: 'r',
    storage: {},
    reconcile: 'manual',
    waitUntil() {},
    onElicitation() {},
  };
  it.each(Object.entries(toCome))('W3 `%s` is refused, never ignored', (name, value) =>
    expectMistake([], { [name]: value }, `\`${name}\``),
  );
  it.each(['openai', 'openai-strict', 'anthropic', 'gemini'])('W3 provider %s', (provider) =>
    expectMistake([], { provider }, provider),
  );
  it('W3 deduplicates', async () => {
    await expectMistake([{ ...http, deduplicates: true }], {}, '`deduplicates`');
    await expectMistake([{ ...custom, deduplicates: false }], {}, '`deduplicates`');
  });
  it('an option that is there with the value undefined is not given', async () => {
    const { error } = await wire([], { policy: undefined, timeoutMs: undefined, limits: { resultTokens: undefined } });
    expect(error).toBeUndefined();
  });
});

describe('servers that hold a mistake', () => {
  const mistakes: readonly [named: string, servers: unknown][] = [
    ['servers', undefined],
    ['servers', http],
    ['server', [null]],
    ['server', ['https://a.example']],
    ['server', [[http]]],
    ['name', [{ type: 'http', url: URL_A }]],
    ['name', [{ ...http, name: '' }]],
    ['name', [{ ...http, name: '  ' }]],
    ['name', [{ ...http, name: 5 }]],
    ['type', [{ name: 'x' }]],
    ['type', [{ ...http, type: 'websocket' }]],
    ['url', [{ ...http, url: undefined }]],
    ['url', [{ ...http, url: '' }]],
    ['url', [{ ...http, url: '/mcp' }]],
    ['url', [{ ...http, url: 'https://' }]],
    ['url', [{ ...http, url: 'https://a b/' }]],
    ['url', [{ ...http, type: 'sse', url: 'a.example' }]],
    ['urls', [{ ...http, urls: [] }]],
    ['header', [{ ...http, header: {} }]],
    ['redirect', [{ ...http, type: 'sse', redirect: 'error' }]],
    ['redirect', [{ ...http, redirect: 'manual' }]],
    ['fallbackToSse', [{ ...http, fallbackToSse: 'yes' }]],
    ['protocol', [{ ...http, protocol: '2026-07-28' }]],
    ['protocol', [{ ...http, type: 'sse', protocol: 'modern' }]],
    ['prefix', [{ ...http, prefix: 5 }]],
    ['tools', [{ ...http, tools: { allow: ['a'], block: ['b'] } }]],
    ['required', [{ ...http, required: 1 }]],
    ['insecureHttp', [{ ...http, insecureHttp: 'yes' }]],
    ['timeoutMs', [{ ...http, timeoutMs: 0 }]],
    ['connect', [{ name: 'x', type: 'custom' }]],
    ['connect', [{ name: 'x', type: 'custom', connect: {} }]],
    ['command', [{ name: 'x', type: 'stdio' }]],
    ['command', [{ ...program, command: ' ' }]],
    ['command', [{ ...program, command: 'a\0b' }]],
    ['command', [{ ...program, command: ['node'] }]],
    ['args', [{ ...program, args: 'server.js' }]],
    ['args', [{ ...program, args: ['a', 5] }]],
    ['args', [{ ...program, args: ['a\0'] }]],
    ['cwd', [{ ...program, cwd: 5 }]],
    ['root', [{ ...program, root: 'a\0' }]],
    ['env', [{ ...program, env: ['A=b'] }]],
    ['env', [{ ...program, env: new Map() }]],
    ['env', [{ ...program, env: { '': 'x' } }]],
    ['env', [{ ...program, env: { 'A=B': 'x' } }]],
    ['env.PORT', [{ ...program, env: { PORT: 3000 } }]],
    ['env.A', [{ ...program, env: { A: 'a\0' } }]],
    ['envMode', [{ ...program, envMode: 'exact' }]],
    ['url', [{ ...program, url: URL_A }]],
    ['headers', [{ ...program, headers: {} }]],
    ['`p`', [program, { ...program, env: { A: 'other' } }]],
    ['headers', [{ ...http, headers: 'authorization: x' }]],
    ['headers', [{ ...http, headers: ['x'] }]],
    ['headers', [{ ...http, headers: { 'bad name': 'x' } }]],
    ['header', [{ ...http, headers: { authorization: 'a\r\nb: c' } }]],
    ['header', [{ ...http, headers: { authorization: 'ключ' } }]],
    ['header', [{ ...http, headers: { authorization: 5 } }]],
    ['insecureHttp', [{ ...http, url: 'http://a.example/mcp', headers: { authorization: 'x' } }]],
    ['`a`', [http, http]],
    ['`a`', [http, { ...http, type: 'streamable-http', headers: { x: 'y' }, prefix: 'z' }]],
    ['`a`', [http, { ...http, url: `${URL_A}?token=other#part` }]],
    ['`c`', [custom, { ...custom }]],
  ];
  it.each(mistakes)('W3 %s: %o', (named, servers) => expectMistake(servers, {}, named));

  it.each([
    'PATH',
    'Path',
    'NODE_OPTIONS',
    'node_path',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'PYTHONPATH',
    'BASH_ENV',
    'npm_config_registry',
    'GIT_SSH_COMMAND',
  ])('T2 `env` with %s is a mistake where `envMode` is strict, and only there', async (name) => {
    const env = { [name]: 'a-secret' };
    const { error } = await wire([{ ...program, env, envMode: 'strict' }], {});
    expect(error).toBeInstanceOf(McpConfigError);
    expect((error as Error).message).toContain(`env.${name}`);
    expect((error as Error).message).not.toContain('a-secret');
    for (const envMode of [undefined, 'overlay']) {
      const given = envMode === undefined ? {} : { envMode };
      expect((await wire([{ ...program, env, ...given }], {})).error).toBeUndefined();
    }
  });

  it.each(['API_KEY', 'HOME', 'LDAP_URL', 'MY_PATH', 'PATHS'])('T2 `env` with %s is none', async (name) => {
    expect((await wire([{ ...program, env: { [name]: 'x' }, envMode: 'strict' }], {})).error).toBeUndefined();
  });

  it.each([[{}], ['stdio'], [[{}]], [[{ type: 'http', open() {} }]], [[{ type: 'stdio' }]]])(
    'W3 T1 transports: %j',
    (transports) => expectMistake([], { transports }, '`transports`'),
  );

  it('W3 duplicates among function sources are found before anything is connected', async () => {
    const touched: string[] = [];
    const source = () => ({
      name: 'same',
      type: 'custom' as const,
      connect: () => {
        touched.push('connect');
        throw new Error('no');
      },
    });
    await expect(mcpTools([source, source])).rejects.toBeInstanceOf(McpConfigError);
    expect(touched).toEqual([]);
  });

  it('W3 one provider for two servers, and `oauth` over plain http, are found before anything is asked', async () => {
    const session = { id: 's' };
    const asked: unknown[] = [];
    const oauth = (server: string, context: unknown) => {
      asked.push([server, context]);
      return PROVIDER;
    };
    await expectMistake([http], { session, oauth }, 'oauth');
    expect(asked).toEqual([
      ['w', { session }],
      ['a', { session }],
    ]);
    const plain = { ...http, url: 'http://a.example/mcp' };
    await expectMistake([plain], { session, oauth: () => ({ ...PROVIDER }) }, 'insecureHttp');
    const { error } = await wire([{ ...plain, insecureHttp: true }], { session, oauth: () => ({ ...PROVIDER }) });
    expect(error).toBeUndefined();
  });

  it('W3 one name for two endpoints is allowed', async () => {
    const { error } = await wire([http, { ...http, url: 'https://b.example/mcp' }, { ...http, type: 'sse' }], {});
    expect(error).toBeUndefined();
  });

  it('G4 W3 headers over plain http are allowed to loopback, or where the server says so', async () => {
    const headers = { authorization: 'x' };
    const { error } = await wire(
      [
        { ...http, name: 'l', url: 'http://localhost:1/', headers },
        { ...http, name: 'm', url: 'http://a.example/', headers, insecureHttp: true },
        { ...http, name: 'n', url: 'http://a.example/' },
      ],
      {},
    );
    expect(error).toBeUndefined();
  });

  it('no message shows a header, a query or a password', async () => {
    const secret = 'canary-51';
    for (const server of [
      { ...http, headers: { authorization: `${secret}\n` } },
      { ...http, headers: { [`${secret} x`]: 'v' } },
      { ...http, url: `https://u:${secret}@` },
      { ...http, url: `//u:${secret}@host?key=${secret}` },
      { ...http, url: `http://u:${secret}@h.example/?key=${secret}`, headers: { a: secret } },
    ]) {
      const { error } = await wire([server], {});
      expect(error).toBeInstanceOf(McpConfigError);
      expect((error as Error).message).not.toContain(secret);
      expect((error as Error).cause).toBeUndefined();
    }
  });
});

describe('the other ways in', () => {
  it('W3 withMcpTools rejects and never runs `use`', async () => {
    let used = false;
    const work = withMcpTools([http, http] as never, {}, async () => {
      used = true;
    });
    await expect(work).rejects.toBeInstanceOf(McpConfigError);
    expect(used).toBe(false);
  });

  it.each([
    ['nothing', undefined, {}],
    ['a text', 'https://a.example', {}],
    ['a function', () => http, {}],
    ['a server without a name', { type: 'http', url: URL_A }, {}],
    ['a stdio server without a command', { name: 'x', type: 'stdio' }, {}],
    ['an object that is no transport', {}, { prefix: 5 }],
    ['a client and a bad prefix', { request() {} }, { prefix: 5 }],
    ['an option to come', http, { policy: {} }],
    ['an option nobody knows', http, { prefx: 'a' }],
    ['bad info', http, { info: { name: 'x' } }],
  ])('W3 createMcpTools throws at once for %s', (_, source, options) => {
    expect(() => createMcpTools(source as never, options as never)).toThrow(McpConfigError);
  });

  it('W3 connectMcp rejects', async () => {
    await expect(connectMcp({ name: '', type: 'http', url: URL_A })).rejects.toBeInstanceOf(McpConfigError);
    await expect(connectMcp(http as never, { name: 'x' } as never)).rejects.toBeInstanceOf(McpConfigError);
  });
});
