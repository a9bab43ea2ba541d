import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { loadMcpConfig, stdio } from '../../src/node.js';
import { SECRETS } from '../support/canaries.js';
import { rejection } from './rig.js';
import { createStdioKit, SCRIPTED } from './stdio-kit.js';

const { rig, folder } = createStdioKit();

function write(root: string, files: Readonly<Record<string, unknown>>): string {
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return root;
}

/** A program that starts the scripted server. */
function program(root: string, path: string): void {
  write(root, { [path]: `#!/bin/sh\nexec "${process.execPath}" "${SCRIPTED}" "$@"\n` });
  chmodSync(join(root, path), 0o755);
}

const PLUGIN = {
  'plugin.json': { $schema: 'https://agent-plugins.org/schemas/1.0.0/plugin.schema.json', name: 'p' },
  'mcp.json': {
    $schema: 'https://agent-plugins.org/schemas/1.0.0/mcp.schema.json',
    mcpServers: {
      own: {
        type: 'stdio',
        command: './bin/server',
        args: ['${PLUGIN_ROOT}', '${PLUGIN_DATA}'],
        env: { A: '${PLUGIN_ROOT}' },
      },
      among: { type: 'stdio', command: './bin/server', cwd: '${PLUGIN_DATA}/work' },
      escapes: { type: 'stdio', command: './out' },
      leaves: { type: 'stdio', command: 'node', cwd: './elsewhere' },
      linked: { type: 'stdio', command: './linked' },
      missing: { type: 'stdio', command: './bin/none' },
    },
  },
};

describe('loadMcpConfig', () => {
  it('T6 T3 reads a plugin, leaves out who leads outside, and the rest runs in it', async () => {
    const root = write(folder(), PLUGIN);
    const data = folder();
    program(root, 'bin/server');
    symlinkSync(process.execPath, join(root, 'out'));
    symlinkSync(folder(), join(root, 'elsewhere'));
    symlinkSync('bin/server', join(root, 'linked'));
    mkdirSync(join(data, 'work'));
    const { servers, diagnostics } = await loadMcpConfig(root, { data });
    expect(servers.map(({ name }) => name)).toEqual(['own', 'among', 'linked', 'missing']);
    expect(diagnostics).toMatchObject([
      { code: 'entry-skipped', server: 'escapes', data: { reason: 'outside-root' } },
      { code: 'entry-skipped', server: 'leaves', data: { reason: 'outside-root' } },
    ]);
    const { toolset } = await rig.wire(servers, { transports: [stdio] });
    expect(toolset.servers).toMatchObject(['ready', 'ready', 'ready', 'failed'].map((state) => ({ state })));
    const { content } = await toolset.tools.own__about!.execute({});
    const about = JSON.parse((content[0] as { text: string }).text);
    expect(about).toMatchObject({
      cwd: root,
      argv: [root, data],
      env: { A: root, PLUGIN_ROOT: root, PLUGIN_DATA: data },
    });
    const { content: among } = await toolset.tools.among__about!.execute({});
    expect(JSON.parse((among[0] as { text: string }).text)).toMatchObject({ cwd: join(data, 'work') });
  });

  it('T3 a link that is changed after it was read is judged again when it is started', async () => {
    const root = write(folder(), { '.mcp.json': { mcpServers: { s: { command: './server' } } } });
    program(root, 'server');
    const { servers } = await loadMcpConfig(root);
    const { unlinkSync } = await import('node:fs');
    unlinkSync(join(root, 'server'));
    symlinkSync('/bin/sh', join(root, 'server'));
    const { toolset } = await rig.wire(servers, { transports: [stdio] });
    expect(toolset.servers).toMatchObject([{ state: 'failed', error: { code: 'process-failed' } }]);
    expect(toolset.servers[0]!.error!.message).toContain('outside `root`');
  });

  it.each([
    ['.mcp.json', { mcpServers: { s: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}'] } } }],
    ['.cursor/mcp.json', { mcpServers: { s: { command: 'node', args: ['${workspaceFolder}'] } } }],
    ['.vscode/mcp.json', '{ "servers": { "s": { "command": "node", "args": ["${workspaceFolder}"], }, }, } // end'],
  ])('T6 finds %s of a folder, and knows whose it is', async (path, content) => {
    const root = write(folder(), { [path]: content });
    expect(await loadMcpConfig(root)).toMatchObject({ servers: [{ name: 's', args: [root], root }], diagnostics: [] });
    // The file itself, which says nothing of a folder.
    const { servers, diagnostics } = await loadMcpConfig(join(root, path));
    expect([servers, diagnostics]).toMatchObject([[], [{ data: { reason: 'unset-variable' } }]]);
    expect((await loadMcpConfig(join(root, path), { root })).servers).toMatchObject([{ args: [root] }]);
  });

  it('T6 what is no configuration is an error with the remedy', async () => {
    const empty = folder();
    const large = write(folder(), { 'large.json': ' '.repeat(1024 * 1024 + 1) });
    const pipes = folder();
    execFileSync('mkfifo', [join(pipes, '.mcp.json')]);
    mkdirSync(join(empty, '.vscode', 'mcp.json'), { recursive: true });
    const outside = folder();
    const target = write(folder(), { 'x.json': { mcpServers: {} } });
    symlinkSync(join(target, 'x.json'), join(outside, '.mcp.json'));
    for (const [path, message] of [
      [join(empty, '.vscode'), /none of `mcp\.json`, `\.mcp\.json`/],
      [empty, /\.vscode\/mcp\.json` is no plain file/],
      [pipes, /is no plain file/],
      [join(empty, 'none.json'), /cannot be read/],
      [join(large, 'large.json'), /longer than/],
      [outside, /link that leads out/],
    ] as const) {
      const error = await rejection(loadMcpConfig(path));
      expect(error).toMatchObject({ code: 'config' });
      expect(error.message).toMatch(message);
    }
    expect(await rejection(loadMcpConfig(empty, { dialect: 'x' } as never))).toMatchObject({ code: 'config' });
  });

  it.each<[string, unknown, string | undefined]>([
    [
      'of another version',
      { $schema: 'https://agent-plugins.org/schemas/2.0.0/plugin.schema.json' },
      'unsupported-version',
    ],
    ['with a field that is not of its type', { name: 'p', version: 1 }, 'invalid'],
    ['with a name that is none', { name: 'My Plugin' }, 'invalid'],
    ['that is no object', '[]', 'not-json'],
    ['that says nothing', {}, undefined],
    ['with a field that is not known', { name: 'p', hooks: {} }, undefined],
  ])('T6 a plugin.json %s', async (_, manifest, reason) => {
    const root = write(folder(), {
      'plugin.json': manifest,
      'mcp.json': { mcpServers: { s: { type: 'stdio', command: 'node' } } },
    });
    const { servers, diagnostics } = await loadMcpConfig(root);
    expect(servers).toHaveLength(reason === undefined ? 1 : 0);
    expect(diagnostics).toMatchObject(reason === undefined ? [] : [{ code: 'config-skipped', data: { reason } }]);
  });

  it('T6 T3 the root is told as it is, whatever links lead to it', async () => {
    const root = write(folder(), {
      'x.json': { mcpServers: { s: { command: '${CLAUDE_PLUGIN_ROOT}/server' } } },
    });
    program(root, 'server');
    const link = join(folder(), 'link');
    symlinkSync(root, link);
    const { servers } = await loadMcpConfig(join(root, 'x.json'), { root: link });
    expect(servers).toMatchObject([{ command: join(root, 'server'), root, env: { CLAUDE_PLUGIN_ROOT: root } }]);
    const inFolder = write(folder(), { '.mcp.json': { mcpServers: {} } });
    const other = join(folder(), 'other');
    symlinkSync(inFolder, other);
    expect(await loadMcpConfig(other)).toEqual({ servers: [], diagnostics: [] });
  });

  it('T6 S1 a secret of the file is in nothing that is said', async () => {
    const root = write(folder(), {
      '.mcp.json': `{ "mcpServers": { "s": { "type": "http", "url": "http://${SECRETS.user}@a b" }, "t": { "command": ["${SECRETS.env}"] } } }`,
    });
    const { servers, diagnostics } = await loadMcpConfig(root);
    expect(servers).toEqual([]);
    expect(diagnostics).toHaveLength(2);
    expect(JSON.stringify(diagnostics)).not.toMatch(/canary/);
  });
});

it('T6 T5 a process whose own folder has been removed is told so, and reads what has an absolute path', async () => {
  const root = write(folder(), { '.mcp.json': { mcpServers: { s: { command: './server' } } } });
  const cwd = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw Object.assign(new Error('gone'), { code: 'ENOENT' });
  });
  try {
    expect((await loadMcpConfig(root)).servers).toMatchObject([{ name: 's' }]);
    expect(await rejection(loadMcpConfig('x.json'))).toMatchObject({ code: 'config', cause: { code: 'ENOENT' } });
    const { toolset } = await rig.wire([{ name: 's', type: 'stdio', command: 'node' }], { transports: [stdio] });
    expect(toolset.servers).toMatchObject([{ error: { code: 'process-failed', cause: { code: 'ENOENT' } } }]);
  } finally {
    cwd.mockRestore();
  }
});
