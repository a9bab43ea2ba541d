import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { leadsOut } from '../../../../src/config/files/outside.js';
import { findRepeated } from '../../../../src/config/files/repeated.js';
import { type McpConfigOptions, parseMcpConfig } from '../../../../src/index.js';

const parse = (value: unknown, options: McpConfigOptions = {}) =>
  parseMcpConfig(typeof value === 'string' ? value : JSON.stringify(value), options);
const reasons = async (value: unknown, options: McpConfigOptions = {}) =>
  (await parse(value, options)).diagnostics.map(({ server, data }) => [server, (data as { reason: string }).reason]);

/** Files as each client's own documentation shows them, in other words and with other values. */
describe('files as clients have them', () => {
  it('T6 Claude Code, a project', async () => {
    const file = {
      mcpServers: {
        ledger: {
          type: 'http',
          url: 'https://${LEDGER:-ledger.example}/mcp',
          headers: { Authorization: 'Bearer ${KEY}' },
        },
        feed: { type: 'sse', url: 'https://feed.example/sse', headers: { 'X-Api-Key': '${KEY}' } },
        store: { command: '${TOOLS:-/opt/tools}/store', args: ['--mode', '${MODE:-read}'], env: { TTL: '${TTL:-60}' } },
        signed: {
          type: 'http',
          url: 'https://s.example/mcp',
          oauth: { clientId: 'c', callbackPort: 8080 },
          timeout: 9000,
        },
      },
    };
    const { servers, diagnostics } = await parse(file, { env: { KEY: 'k', MODE: 'write' } });
    expect(diagnostics).toEqual([]);
    expect(servers).toEqual([
      {
        name: 'ledger',
        type: 'streamable-http',
        url: 'https://ledger.example/mcp',
        headers: { Authorization: 'Bearer k' },
      },
      { name: 'feed', type: 'sse', url: 'https://feed.example/sse', headers: { 'X-Api-Key': 'k' } },
      { name: 'store', type: 'stdio', command: '/opt/tools/store', args: ['--mode', 'write'], env: { TTL: '60' } },
      { name: 'signed', type: 'streamable-http', url: 'https://s.example/mcp' },
    ]);
  });

  it('T6 T3 Claude Code, a plugin: its folders are its variables too', async () => {
    const file = {
      db: {
        command: '${CLAUDE_PLUGIN_ROOT}/bin/db',
        args: ['-c', '${CLAUDE_PLUGIN_ROOT}/c.json'],
        cwd: '${CLAUDE_PLUGIN_ROOT}',
      },
      broken: { args: [] },
    };
    const { servers } = await parse(file, { root: '/plugins/db', data: '/data/db' });
    expect(servers).toEqual([
      {
        name: 'db',
        type: 'stdio',
        command: '/plugins/db/bin/db',
        args: ['-c', '/plugins/db/c.json'],
        cwd: '/plugins/db',
        env: { CLAUDE_PLUGIN_ROOT: '/plugins/db', CLAUDE_PLUGIN_DATA: '/data/db' },
        root: '/plugins/db',
        data: '/data/db',
      },
    ]);
    expect(await reasons(file, { root: '/p' })).toEqual([['broken', 'invalid']]);
  });

  it('T6 Cursor', async () => {
    const file = `{
      // of this project
      "mcpServers": {
        "py": { "command": "python", "args": ["\${workspaceFolder}\${pathSeparator}s.py"], "env": { "K": "\${env:K}" } },
        "far": { "url": "https://far.example/mcp", "headers": { "authorization": "Bearer \${env:K}" }, "auth": { "CLIENT_ID": "x" } },
        "typed": { "type": "streamableHttp", "url": "https://t.example/mcp" },
      },
    }`;
    const { servers, diagnostics } = await parse(file, { dialect: 'cursor', env: { K: 'k' }, root: '/w' });
    expect(diagnostics).toEqual([]);
    expect(servers).toEqual([
      { name: 'py', type: 'stdio', command: 'python', args: ['/w/s.py'], env: { K: 'k' }, root: '/w' },
      { name: 'far', type: 'http', url: 'https://far.example/mcp', headers: { authorization: 'Bearer k' } },
      { name: 'typed', type: 'streamable-http', url: 'https://t.example/mcp' },
    ]);
  });

  it('T6 VS Code: inputs, and numbers and nothing in `env`', async () => {
    const file = {
      inputs: [{ type: 'promptString', id: 'key', description: 'Key', password: true, default: 'never' }],
      servers: {
        maps: {
          command: 'npx',
          args: ['-y', 'maps'],
          env: { KEY: '${input:key}', PORT: 3000, PROXY: null },
          dev: { watch: '**' },
        },
        hub: { type: 'http', url: 'https://hub.example/mcp', headers: { Authorization: 'Bearer ${input:key}' } },
        old: { type: 'sse', url: 'http://localhost:3000/sse' },
      },
      sandbox: { network: { allowedDomains: ['a.example'] } },
    };
    const { servers, diagnostics } = await parse(file, { inputs: { key: 'k' } });
    expect(diagnostics).toEqual([]);
    expect(servers).toEqual([
      { name: 'maps', type: 'stdio', command: 'npx', args: ['-y', 'maps'], env: { KEY: 'k', PORT: '3000' } },
      { name: 'hub', type: 'http', url: 'https://hub.example/mcp', headers: { Authorization: 'Bearer k' } },
      { name: 'old', type: 'sse', url: 'http://localhost:3000/sse' },
    ]);
    expect(await reasons(file)).toEqual([
      ['maps', 'unset-variable'],
      ['hub', 'unset-variable'],
    ]);
    expect(await reasons({ servers: { s: { command: 'x', env: { A: true } } } })).toEqual([['s', 'invalid']]);
    expect(await reasons({ mcpServers: { s: { command: 'x', env: { A: 1 } } } })).toEqual([['s', 'invalid']]);
  });

  it('T6 Agent Plugins: its own version alone, and nothing beside the two members', async () => {
    const at = (version: string, rest = {}) => ({
      $schema: `https://agent-plugins.org/schemas/${version}/mcp.schema.json`,
      mcpServers: { s: { type: 'sse', url: 'https://a.example' } },
      ...rest,
    });
    expect((await parse(at('1.0.0'))).servers).toHaveLength(1);
    expect(await reasons(at('1.1.0'))).toEqual([[undefined, 'unsupported-version']]);
    expect(await reasons(at('1.1.0'), { dialect: 'agent-plugins' })).toEqual([[undefined, 'unsupported-version']]);
    expect(await reasons(at('1.0.0', { inputs: [] }))).toEqual([[undefined, 'invalid']]);
    // Another format's own schema says nothing of this one.
    expect((await parse({ ...at('1.0.0'), $schema: 'https://example.com/mcp.json' })).servers).toHaveLength(1);
  });
});

describe('what an entry is, where it could be both', () => {
  it.each([
    [{ type: 'stdio', command: 'x', url: 'not even a URL' }, 'stdio'],
    [{ type: 'http', command: 'x', url: 'https://a.example' }, 'streamable-http'],
    [{ command: 'x', url: 'https://a.example' }, 'streamable-http'],
  ])('T6 %j is %s', async (entry, type) => {
    expect((await parse({ mcpServers: { s: entry } })).servers).toMatchObject([{ type }]);
  });
});

describe('references that cannot be taken apart', () => {
  it.each(['${A:-${B}}', '${A:-{"x":1}}', 'x ${A:-a{b} y'])('T6 claude: %s', async (text) => {
    const file = { mcpServers: { s: { command: 'x', args: [text] } } };
    expect(await reasons(file, { env: { A: 'a', B: 'b' } })).toEqual([['s', 'unsupported']]);
  });

  it('T6 nothing is taken for one that is none', async () => {
    const args = ['${{ secrets.X', '{"a":1}', '$${', '%A%'];
    expect((await parse({ mcpServers: { s: { command: 'x', args } } })).servers).toMatchObject([{ args }]);
  });
});

describe('a name given twice', () => {
  it('T6 counts once, with its last entry, and the others are told of', async () => {
    const text = `{"mcpServers":{"a":{"command":"gone"},"b":{"command":"x","env":{"a":"1","a":"2"}}, "\\u0061" : {"command":"kept"}}}`;
    const { servers, diagnostics } = await parse(text);
    expect(servers).toMatchObject([
      { name: 'a', command: 'kept' },
      { name: 'b', env: { a: '2' } },
    ]);
    expect(diagnostics).toMatchObject([{ code: 'entry-skipped', server: 'a', data: { reason: 'repeated' } }]);
  });

  it.each<[string, string | undefined, readonly string[]]>([
    ['{"m":{"a":{},"b":{}}}', 'm', []],
    ['{"m":{"a":{},"a":{},"a":{}}}', 'm', ['a']],
    ['{"m":{"a":{"x":{"a":1}},"b":{"a":1}}}', 'm', []],
    ['{"m":{"a":{},"b":{}},"m":{"b":{},"c":{}}}', 'm', ['a', 'b']],
    ['{"n":{"a":{},"a":{}},"m":{"a":{}}}', 'm', []],
    ['{"m":[{"a":1,"a":2}]}', 'm', []],
    ['{"m":{"x\\\\":{"y":"\\":{"},"x\\\\":{}}}', 'm', ['x\\']],
    ['{"m":{"__proto__":{},"__proto__":{}}}', 'm', ['__proto__']],
    ['{"a":{},"a":{},"b":{"a":1}}', undefined, ['a']],
  ])('T6 %s in %s: %j', (text, member, expected) => {
    expect(findRepeated(text, member)).toEqual(expected);
  });

  it('T6 nothing is repeated in what was written by JSON itself', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.json()), fc.jsonValue(), (servers, other) => {
        expect(findRepeated(JSON.stringify({ other, m: servers }, null, 1), 'm')).toEqual([]);
      }),
    );
  });
});

describe('what is said', () => {
  it('T6 S1 names no field that may be anything, and obeys nobody', async () => {
    const SECRET = 'Bearer canary-5d1c';
    const name = `a\u001b[2J${'x'.repeat(200)}`;
    const file = {
      mcpServers: {
        [name]: { type: 'http', url: 'no url' },
        wrong: { type: 'http', url: 'https://a.example', headers: { [`Authorization: ${SECRET}`]: 5 } },
        keys: { command: 'x', env: { [SECRET]: 5 } },
      },
    };
    const { diagnostics } = await parse(file);
    expect(diagnostics).toHaveLength(3);
    for (const diagnostic of diagnostics) {
      expect(`${diagnostic.server} ${diagnostic.message}`).not.toContain('\u001b');
      expect(JSON.stringify(diagnostic)).not.toContain('canary');
      expect(diagnostic.message.length).toBeLessThan(400);
    }
  });
});

describe('a path that leads out by its own text', () => {
  it.each<[string, string, boolean]>([
    ['/p', '../x', true],
    ['/p', './a/../../x', true],
    ['/p', './a/../x', false],
    ['/p', './..foo', false],
    ['/p', '.', false],
    ['/p', '/p/a', false],
    ['/p', '/p/../q', true],
    ['/p', '/p/a/../../q', true],
    ['/p/', '/p//a', false],
    // Links decide on these, and links are followed before a start.
    ['/p', '/q', false],
    ['/p', '/pp/x', false],
    ['C:\\p', '..\\x', true],
    ['C:\\p', '.\\a\\..\\..\\x', true],
    ['C:\\p', './a/..\\x', false],
    ['C:\\p', 'c:/P/../q', true],
    ['C:\\p', 'C:\\P\\a', false],
    ['/p', '..\\x', false],
  ])('T3 from %s: %s: %s', (root, path, expected) => {
    expect(leadsOut(root, path)).toBe(expected);
  });

  it.each([
    [{ command: '../x' }, 'command'],
    [{ command: './a/../../x' }, 'command'],
    [{ command: '${CLAUDE_PLUGIN_ROOT}/../x' }, 'command'],
    [{ command: 'x', cwd: '..' }, 'cwd'],
    [{ command: 'x', cwd: '${CLAUDE_PLUGIN_DATA}/..' }, 'cwd'],
  ])('T3 T6 %j is left out, its siblings are not', async (entry, field) => {
    const { servers, diagnostics } = await parse(
      { mcpServers: { s: entry, ok: { command: 'x' } } },
      { root: '/p', data: '/d' },
    );
    expect(servers).toMatchObject([{ name: 'ok' }]);
    expect(diagnostics).toMatchObject([{ server: 's', data: { reason: 'outside-root' } }]);
    expect(diagnostics[0]!.message).toContain(`\`${field}\``);
    // Without a root there is nothing to lead out of.
    if (!JSON.stringify(entry).includes('$')) expect(await reasons({ mcpServers: { s: entry } })).toEqual([]);
  });
});
