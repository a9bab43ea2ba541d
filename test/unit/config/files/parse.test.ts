import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type McpConfigOptions, mcpTools, parseMcpConfig } from '../../../../src/index.js';

const parse = (value: unknown, options: McpConfigOptions = {}) =>
  parseMcpConfig(typeof value === 'string' ? value : JSON.stringify(value), options);
/** The one server of a file with one entry. */
const one = async (entry: unknown, options: McpConfigOptions = {}, member = 'mcpServers') => {
  const { servers, diagnostics } = await parse({ [member]: { s: entry } }, options);
  expect(diagnostics).toEqual([]);
  return servers[0];
};
/** Why the one entry of a file is not used. */
const why = async (entry: unknown, options: McpConfigOptions = {}, member = 'mcpServers') => {
  const { servers, diagnostics } = await parse(
    { [member]: { s: entry, ok: { type: 'sse', url: 'https://ok.example' } } },
    options,
  );
  expect(servers).toMatchObject([{ name: 'ok' }]);
  expect(diagnostics).toMatchObject([{ code: 'entry-skipped', server: 's' }]);
  const [{ data, message }] = diagnostics as unknown as [{ data: { reason: string }; message: string }];
  return `${data.reason}: ${message.replace(/^The entry `s` is not used: /, '')}`;
};
const local = (rest: object = {}) => ({ name: 's', type: 'stdio', command: 'npx', ...rest });

it('T6 G9 references to long values without number leave an entry out, and never throw', async () => {
  const env = { PATH: 'p'.repeat(4_096) };
  const entry = (times: number) => ({ command: 'x', args: ['${PATH}'.repeat(times), '${PATH}'] });
  expect(await why(entry(140_000), { env })).toBe(
    'invalid: what its references stand for is longer than 1048576 characters.',
  );
  expect(await why(entry(256), { env })).toContain('longer');
  expect(await one(entry(255), { env })).toMatchObject({ args: ['p'.repeat(255 * 4_096), env.PATH] });
});

describe('the dialect', () => {
  it('T6 is told by the text', async () => {
    const env = { A: 'value' };
    expect(await one({ command: 'x', args: ['${A}'] }, { env })).toMatchObject({ args: ['value'] });
    expect(await one({ command: 'x', args: ['${env:A}', '${A}'] }, { env }, 'servers').catch(() => 'unset')).toBe(
      'unset',
    );
    expect(await one({ command: 'x', args: ['${env:A}'] }, { env }, 'servers')).toMatchObject({ args: ['value'] });
    const $schema = 'https://agent-plugins.org/schemas/1.0.0/mcp.json';
    const { servers } = await parse(
      { $schema, mcpServers: { s: { type: 'stdio', command: 'x', args: ['${A}'] } } },
      { env, root: '/p' },
    );
    expect(servers).toMatchObject([{ args: ['${A}'], root: '/p' }]);
  });

  it('T6 that is given is taken, whatever the text looks like', async () => {
    const text = { servers: { a: { command: 'a' } }, mcpServers: { b: { command: 'b' } } };
    for (const [dialect, name] of [
      ['vscode', 'a'],
      ['claude', 'b'],
      ['cursor', 'b'],
    ] as const) {
      expect((await parse(text, { dialect })).servers).toMatchObject([{ name }]);
    }
    expect((await parse(text)).servers).toMatchObject([{ name: 'b' }]);
  });

  it('T6 a plugin of Claude Code may list its servers at once', async () => {
    const { servers } = await parse({ a: { command: 'x' }, b: { type: 'http', url: 'https://b.example/mcp' } });
    expect(servers.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('T6 comments and trailing commas are for those who allow them', async () => {
    const text = `\ufeff{
      // a comment
      "servers": { "s": { "command": "x", "args": ["// no comment", "/* nor this */",], /* one */ }, },
    }`;
    expect((await parse(text)).servers).toMatchObject([{ args: ['// no comment', '/* nor this */'] }]);
    expect((await parse(text, { dialect: 'vscode' })).servers).toHaveLength(1);
    const { diagnostics } = await parse(text.replace('servers', 'mcpServers'), { dialect: 'claude' });
    expect(diagnostics).toMatchObject([{ code: 'config-skipped' }]);
  });
});

describe('what each client means', () => {
  it.each([
    ['claude', { command: 'npx', args: ['-y', 'p'], env: { A: 'b' } }, local({ args: ['-y', 'p'], env: { A: 'b' } })],
    ['claude', { type: 'stdio', command: 'npx' }, local()],
    [
      'claude',
      { type: 'http', url: 'https://a.example/mcp' },
      { name: 's', type: 'streamable-http', url: 'https://a.example/mcp' },
    ],
    [
      'claude',
      { type: 'sse', url: 'https://a.example/sse', headers: { 'X-Key': 'k' } },
      { name: 's', type: 'sse', url: 'https://a.example/sse', headers: { 'X-Key': 'k' } },
    ],
    ['cursor', { url: 'https://a.example/mcp' }, { name: 's', type: 'http', url: 'https://a.example/mcp' }],
    ['cursor', { command: 'npx', disabled: false, alwaysAllow: ['x'] }, local()],
    [
      'vscode',
      { type: 'http', url: 'https://a.example/mcp', dev: { watch: 'src' } },
      { name: 's', type: 'http', url: 'https://a.example/mcp' },
    ],
    ['vscode', { type: 'stdio', command: 'npx', cwd: '/w' }, local({ cwd: '/w' })],
    [
      'agent-plugins',
      { type: 'stdio', command: './bin/x', cwd: './data' },
      { name: 's', type: 'stdio', command: './bin/x', cwd: './data', root: '/p', env: { PLUGIN_ROOT: '/p' } },
    ],
    [
      'agent-plugins',
      { type: 'streamable-http', url: 'https://a.example/mcp' },
      { name: 's', type: 'streamable-http', url: 'https://a.example/mcp' },
    ],
    [
      'agent-plugins',
      { type: 'sse', url: 'http://localhost:3000/sse' },
      { name: 's', type: 'sse', url: 'http://localhost:3000/sse' },
    ],
  ] as const)('T6 %s: %j', async (dialect, entry, server) => {
    const root = dialect === 'agent-plugins' ? { root: '/p' } : {};
    expect(await one(entry, { dialect, ...root }, dialect === 'vscode' ? 'servers' : 'mcpServers')).toEqual(server);
  });

  it('T6 T3 with `root` every local server is kept in it', async () => {
    for (const dialect of ['claude', 'cursor', 'vscode'] as const) {
      const member = dialect === 'vscode' ? 'servers' : 'mcpServers';
      expect(await one({ command: 'x' }, { dialect, root: '/w' }, member)).toMatchObject({ root: '/w' });
    }
  });

  it('T6 what it gives can be connected to as it is', async () => {
    const { servers } = await parse({
      mcpServers: { a: { type: 'http', url: 'https://a.example', headers: { k: 'v' } } },
    });
    const toolset = await mcpTools(servers, { allowedHosts: [], onDiagnostic() {} });
    expect(toolset.servers).toMatchObject([{ name: 'a', error: { code: 'host-denied' } }]);
    await toolset.close();
  });
});

describe('references', () => {
  const env = { TOKEN: 't-1', NESTED: '${TOKEN}', EMPTY: '', HOME: '/home/ada', DEFAULT: '${TOKEN:-x}' };
  const values = { env, inputs: { key: 'k-1' }, root: '/w/space', data: '/data' };

  it.each([
    ['claude', '${TOKEN}', 't-1'],
    ['claude', 'Bearer ${TOKEN}!${TOKEN}', 'Bearer t-1!t-1'],
    ['claude', '${NESTED}', '${TOKEN}'],
    ['claude', '${DEFAULT}', '${TOKEN:-x}'],
    ['claude', '${MISSING:-fallback}', 'fallback'],
    ['claude', '${MISSING:-}', ''],
    ['claude', '${MISSING:-a:-b}', 'a:-b'],
    ['claude', '${EMPTY:-fallback}', ''],
    ['claude', '${CLAUDE_PLUGIN_ROOT}/x ${CLAUDE_PLUGIN_DATA}', '/w/space/x /data'],
    ['claude', '$TOKEN %TOKEN% $(TOKEN) ${', '$TOKEN %TOKEN% $(TOKEN) ${'],
    [
      'cursor',
      '${env:TOKEN} ${workspaceFolder} ${workspaceFolderBasename} ${userHome}${/}x',
      't-1 /w/space space /home/ada/x',
    ],
    ['vscode', '${env:TOKEN} ${input:key} ${workspaceFolder}', 't-1 k-1 /w/space'],
    [
      'agent-plugins',
      '${PLUGIN_ROOT}/a ${PLUGIN_DATA}/b ${TOKEN} ${env:TOKEN}',
      '/w/space/a /data/b ${TOKEN} ${env:TOKEN}',
    ],
  ] as const)('T6 %s: %s is %s, once', async (dialect, text, expanded) => {
    const entry = { type: 'stdio', command: 'x', args: [text], env: { A: text } };
    const server = await one(entry, { dialect, ...values }, dialect === 'vscode' ? 'servers' : 'mcpServers');
    expect(server).toMatchObject({ args: [expanded], env: { A: expanded } });
  });

  it('T6 are replaced in each field where the format allows it', async () => {
    const remote = { type: 'http', url: 'https://${TOKEN}.example/', headers: { K: '${TOKEN}', '${TOKEN}': 'x' } };
    expect(await why(remote, { env })).toMatch(/^invalid: .*header/);
    expect(await one({ ...remote, headers: { K: '${TOKEN}' } }, { env })).toMatchObject({
      url: 'https://t-1.example/',
      headers: { K: 't-1' },
    });
    expect(await one({ command: '${TOKEN}', cwd: '/${TOKEN}' }, { env })).toMatchObject({
      command: 't-1',
      cwd: '/t-1',
    });
    const closed = { type: 'streamable-http', url: 'https://a.example/', headers: { K: '${PLUGIN_ROOT}' } };
    expect(await one(closed, { dialect: 'agent-plugins', root: '/p' })).toMatchObject({
      headers: { K: '${PLUGIN_ROOT}' },
    });
  });

  it.each([
    ['claude', '${MISSING}', '${MISSING}'],
    ['claude', '${toString}', '${toString}'],
    ['claude', '${__proto__}', '${__proto__}'],
    ['claude', '${a secret that was put here}', 'a variable'],
    ['cursor', '${input:key}', '${input:key}'],
    ['cursor', '${TOKEN}', '${TOKEN}'],
    ['vscode', '${input:other}', '${input:other}'],
    ['vscode', '${command:x.y}', '${command:x.y}'],
  ] as const)('T6 %s: without a value for %s the entry is left out', async (dialect, text, named) => {
    const values = dialect === 'cursor' ? { env } : { env, inputs: { key: 'k' } };
    const reason = await why(
      { command: 'x', args: [text] },
      { dialect, ...values },
      dialect === 'vscode' ? 'servers' : 'mcpServers',
    );
    expect(reason).toBe(`unset-variable: ${named} has no value.`);
  });

  it('T6 nothing is taken from the process', async () => {
    vi.stubEnv('OF_THE_PROCESS', 'x');
    expect(await why({ command: 'x', args: ['${OF_THE_PROCESS}'] })).toMatch(/^unset-variable/);
    expect(await why({ command: 'x', args: ['${env:OF_THE_PROCESS}'] }, { dialect: 'cursor' })).toMatch(
      /^unset-variable/,
    );
    vi.unstubAllEnvs();
  });
});

describe('entries that are left out', () => {
  it.each([
    ['a text', 'npx x', 'invalid: it is no object.'],
    ['nothing in it', {}, 'invalid: see its `command`.'],
    ['no command', { type: 'stdio', args: [] }, 'invalid: see its `command`.'],
    ['args that are none', { command: 'x', args: 'a b' }, 'invalid: see its `args`.'],
    ['a number in env', { command: 'x', env: { PORT: 3000 } }, 'invalid: see its `env.PORT`.'],
    ['no url', { type: 'http' }, 'invalid: see its `url`.'],
    ['another type', { type: 'websocket', url: 'wss://a.example' }, 'invalid: see its `type`.'],
    ['a disabled one', { command: 'x', disabled: true }, 'disabled: it is disabled.'],
    ['an env file', { command: 'x', envFile: '.env' }, 'unsupported: `envFile` is not read; pass its values.'],
    ['a sandbox', { command: 'x', sandboxEnabled: true }, 'unsupported: there is no sandbox here.'],
    [
      'a helper',
      { type: 'http', url: 'https://a.example', headersHelper: 'x' },
      'unsupported: `headersHelper` is not run; use `auth`.',
    ],
    ['a socket', { type: 'http', url: 'unix:///tmp/s' }, 'unsupported: its `url` is neither http nor https.'],
    ['no URL', { type: 'http', url: 'a.example' }, /^invalid: `url` of server `s` cannot be parsed/],
    [
      'a secret in clear text',
      { type: 'http', url: 'http://a.example', headers: { k: 'v' } },
      /^invalid: .*plain http/,
    ],
    [
      'a header with a line break',
      { type: 'http', url: 'https://a.example', headers: { k: 'a\nb' } },
      /^invalid: The header `k`/,
    ],
    ['a null character', { command: 'x\0' }, /^invalid: `command`/],
    ['a name with =', { command: 'x', env: { 'A=B': 'x' } }, /^invalid: `env`/],
  ] as const)('T6 %s', async (_, entry, reason) => {
    const told = await why(entry);
    if (typeof reason === 'string') expect(told).toBe(reason);
    else expect(told).toMatch(reason);
  });

  it.each([
    ['an unknown field', { type: 'stdio', command: 'x', timeout: 5 }, /`timeout`/],
    ['no type', { command: 'x' }, /`type`/],
    ['another type', { type: 'http', url: 'https://a.example' }, /`type`/],
    ['a line for a shell', { type: 'stdio', command: 'node server.js' }, /one name/],
    ['a path that is not below', { type: 'stdio', command: '../x' }, /one name/],
    ['a path that is absolute', { type: 'stdio', command: '/bin/sh' }, /one name/],
    ['a reference in the command', { type: 'stdio', command: '${PLUGIN_ROOT}/x' }, /one name/],
    ['a folder outside', { type: 'stdio', command: 'x', cwd: '/tmp' }, /`cwd`/],
    ['a folder without its beginning', { type: 'stdio', command: 'x', cwd: '.' }, /`cwd`/],
    ['a folder by another name', { type: 'stdio', command: 'x', cwd: '${PLUGIN_ROOT}x' }, /`cwd`/],
    ['the root in env', { type: 'stdio', command: 'x', env: { PLUGIN_ROOT: '/' } }, /PLUGIN_ROOT/],
    [
      'data without a folder',
      { type: 'stdio', command: 'x', args: ['${PLUGIN_DATA}'] },
      /unset-variable: \$\{PLUGIN_DATA\} has no value/,
    ],
    ['plain http', { type: 'sse', url: 'http://a.example' }, /https/],
    ['a user', { type: 'sse', url: 'https://u@a.example' }, /user/],
    ['an empty user', { type: 'sse', url: 'https://@a.example' }, /user/],
    ['a fragment', { type: 'sse', url: 'https://a.example/#' }, /fragment/],
    ['one header twice', { type: 'sse', url: 'https://a.example', headers: { A: '1', a: '2' } }, /twice/],
  ] as const)('T6 agent-plugins: %s', async (_, entry, reason) => {
    expect(await why(entry, { dialect: 'agent-plugins', root: '/p' })).toMatch(reason);
  });

  it('T6 T3 agent-plugins: a server may run among its data, its own program too', async () => {
    const entry = { type: 'stdio', command: './bin/x', args: ['${PLUGIN_ROOT}/x.js'], cwd: '${PLUGIN_DATA}/a' };
    expect(await one(entry, { dialect: 'agent-plugins', root: '/p', data: '/d' })).toEqual({
      name: 's',
      type: 'stdio',
      command: './bin/x',
      args: ['/p/x.js'],
      cwd: '/d/a',
      env: { PLUGIN_ROOT: '/p', PLUGIN_DATA: '/d' },
      root: '/p',
      data: '/d',
    });
  });

  it('T6 the names of prototypes are names like others', async () => {
    const text = '{"mcpServers":{"__proto__":{"command":"x"},"constructor":{"command":"y","env":{"__proto__":"z"}}}}';
    const { servers } = await parse(text);
    expect(servers.map(({ name }) => name)).toEqual(['__proto__', 'constructor']);
    expect(({} as { command?: string }).command).toBeUndefined();
  });

  it.each([
    '',
    'null',
    '[]',
    '"x"',
    '{',
    '{}',
    '{"mcpServers":[]}',
    '{"mcpServers":null}',
    '{"other":1}',
    'secret-text',
  ])('T6 a text that is no configuration is told of, and not quoted: %s', async (text) => {
    const { servers, diagnostics } = await parse(text);
    expect(servers).toEqual([]);
    expect(diagnostics).toMatchObject([{ code: 'config-skipped', level: 'error' }]);
    expect(diagnostics[0]!.data).toEqual({ reason: text.startsWith('{') && text !== '{' ? 'no-servers' : 'not-json' });
    expect(diagnostics[0]!.message).not.toContain('secret-text');
  });
});

describe('whatever the text', () => {
  const SECRET = 'canary-secret-8f3a';

  it('T6 S1 nothing is thrown, and no value is ever in what is said', async () => {
    const secret = fc.constantFrom(SECRET, `\${${SECRET}`, `\${X:-${SECRET}}`, `http://${SECRET}@a b/`, `${SECRET}\n`);
    const value = fc.oneof(
      secret,
      fc.json(),
      fc.string(),
      fc.integer(),
      fc.constant(null),
      fc.array(secret),
      fc.dictionary(fc.constantFrom('A', 'B'), secret),
    );
    const entry = fc.record(
      {
        type: value,
        command: value,
        args: value,
        env: value,
        cwd: value,
        url: value,
        headers: value,
        disabled: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    const file = fc.record(
      {
        $schema: value,
        mcpServers: fc.oneof(value, fc.dictionary(fc.string(), fc.oneof(entry, value))),
        servers: fc.dictionary(fc.string(), entry),
        inputs: value,
      },
      { requiredKeys: [] },
    );
    const dialect = fc.constantFrom(undefined, 'claude', 'cursor', 'vscode', 'agent-plugins' as const);
    await fc.assert(
      fc.asyncProperty(fc.oneof(file, value), dialect, async (given, chosen) => {
        const options = {
          env: { X: SECRET },
          root: '/p',
          data: '/d',
          ...(chosen === undefined ? {} : { dialect: chosen as 'claude' }),
        };
        const { servers, diagnostics } = await parse(JSON.stringify(given) ?? '', options);
        for (const { message, code, data } of diagnostics) {
          expect(message).not.toContain(SECRET);
          expect([code, Object.keys(data)]).toEqual([expect.stringMatching(/^(?:config|entry)-skipped$/), ['reason']]);
        }
        expect(new Set(servers.map(({ name }) => name)).size).toBe(servers.length);
      }),
      { numRuns: 1_500 },
    );
  });

  it('T6 an option that is none is a mistake', async () => {
    for (const options of [
      { dialect: 'zed' },
      { root: 'relative' },
      { data: 5 },
      { env: 'x' },
      { env: { A: 5 } },
      { inputs: null },
      { inputs: { a: ['x'] } },
      { vars: {} },
    ]) {
      await expect(parseMcpConfig('{}', options as never)).rejects.toMatchObject({ code: 'config' });
    }
    await expect(parseMcpConfig({} as never)).rejects.toMatchObject({ code: 'config' });
  });
});
