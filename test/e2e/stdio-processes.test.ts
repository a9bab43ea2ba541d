import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { McpError } from '../../src/index.js';
import { SECRETS } from '../support/canaries.js';
import { sleep, until } from '../support/http-host.js';
import { rejection } from './rig.js';
import { about, createStdioKit, forkedAt, isAlive, processesWith, SCRIPTED } from './stdio-kit.js';

const { folder, wire } = createStdioKit();
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
afterEach(() => void vi.unstubAllEnvs());

describe('the environment', () => {
  const INHERITED = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
  const inherited = () => Object.entries(process.env).filter(([name]) => INHERITED.includes(name));

  it('T2 is the least that the platform needs, and what the entry adds', async () => {
    vi.stubEnv('PARENT_SECRET', SECRETS.env);
    vi.stubEnv('NODE_OPTIONS', '--no-warnings');
    vi.stubEnv('SHELL', '() { echo a function; }');
    const { toolset } = await wire({ env: { API_KEY: SECRETS.env, EMPTY: '' } });
    const { env } = await about(toolset);
    const expected = Object.fromEntries(inherited().filter(([name]) => name !== 'SHELL'));
    expect(env).toEqual({ ...expected, API_KEY: SECRETS.env, EMPTY: '' });
  });

  it('T2 an entry replaces what is inherited, and its PATH finds no command', async () => {
    const { toolset } = await wire({ command: 'node', env: { PATH: '/nowhere', HOME: '/elsewhere' } });
    const { env } = await about(toolset);
    expect([env.PATH, env.HOME]).toEqual(['/nowhere', '/elsewhere']);
  });

  it('T2 arguments arrive as they are: there is no shell', async () => {
    const args = ['$(id)', '`id`', '; id', '"quoted" \'too\'', '', 'two\nlines', '%PATH%', '*', 'ünïcode'];
    const { toolset } = await wire({ args: [SCRIPTED, ...args] });
    expect((await about(toolset)).argv).toEqual(args);
  });

  it('T3 it runs where it is told to, and by default where the host runs', async () => {
    const cwd = folder();
    const { toolset } = await wire({ cwd });
    expect((await about(toolset)).cwd).toBe(cwd);
    const { toolset: other } = await wire();
    expect((await about(other)).cwd).toBe(process.cwd());
  });
});

describe('the tree', () => {
  it('T4 a child that ends with its input is not signalled', async () => {
    const { toolset } = await wire();
    const { pid } = await about(toolset);
    const kill = vi.spyOn(process, 'kill');
    await toolset.close();
    expect(isAlive(pid)).toBe(false);
    expect(kill.mock.calls.filter(([, signal]) => signal !== 0)).toEqual([]);
    kill.mockRestore();
  });

  it('T4 W4 a child and its own that ignore the end of the input and SIGTERM are gone when the close is done', async () => {
    const file = join(folder(), 'pid');
    const { toolset } = await wire({ env: { MODE: 'stubborn', FORK: file } });
    const pids = [(await about(toolset)).pid, await forkedAt(file)];
    expect(pids.map(isAlive)).toEqual([true, true]);
    const startedAt = performance.now();
    await toolset.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
    // Two seconds for the input, two for SIGTERM.
    expect(performance.now() - startedAt).toBeGreaterThan(3_500);
  });

  it('T4 a wrapper that ends leaves nobody behind', async () => {
    const file = join(folder(), 'pid');
    const { toolset } = await wire({ env: { FORK: file } });
    const grandchild = await forkedAt(file);
    await toolset.close();
    expect(isAlive(grandchild)).toBe(false);
  });

  it.runIf(process.platform === 'linux')('T4 nor does one whose own child has left its group', async () => {
    const file = join(folder(), 'pid');
    const { toolset } = await wire({ env: { MODE: 'leaves', FORK: file } });
    const grandchild = await forkedAt(file);
    await toolset.close();
    expect(isAlive(grandchild)).toBe(false);
  });

  it('T4 through a shell that starts the server', async () => {
    const marker = `marker-${Math.random()}`;
    const args = ['-c', `"${process.execPath}" "${SCRIPTED}" ${marker}; echo over >&2`];
    const { toolset } = await wire({ command: 'sh', args });
    expect(await toolset.tools.s__echo!.execute({ message: 'x' })).toEqual(text('x'));
    expect(processesWith(marker).length).toBeGreaterThan(0);
    await toolset.close();
    expect(processesWith(marker)).toEqual([]);
  });

  it('T4 W6 an aborted connect leaves nothing, and does not wait long', async () => {
    const file = join(folder(), 'pid');
    const controller = new AbortController();
    const config = { env: { MODE: 'silent', FORK: file } };
    const wiring = rejection(wire(config, { signal: controller.signal }).then(() => 'wired'));
    const grandchild = await forkedAt(file);
    // Both: without the control, to find nobody later would mean nothing.
    expect(processesWith(file)).toHaveLength(2);
    const startedAt = performance.now();
    controller.abort('enough');
    expect(await wiring).toMatchObject({ code: 'aborted' });
    await until(() => !isAlive(grandchild));
    expect(performance.now() - startedAt).toBeLessThan(2_500);
    expect(processesWith(file)).toEqual([]);
  });

  it('T4 a connect that is not answered in time leaves nothing either', async () => {
    const file = join(folder(), 'pid');
    const { toolset } = await wire({ env: { MODE: 'silent', FORK: file } }, { connectTimeoutMs: 800 });
    expect(toolset.servers).toMatchObject([{ state: 'failed', error: { code: 'timeout' } }]);
    const grandchild = await forkedAt(file);
    await toolset.close();
    expect(isAlive(grandchild)).toBe(false);
  });

  it('T4 a child that dies has what it leaves behind ended', async () => {
    const file = join(folder(), 'pid');
    const { toolset } = await wire({ env: { FORK: file } });
    const grandchild = await forkedAt(file);
    expect(await rejection(toolset.tools.s__exit!.execute({ code: 1 }))).toMatchObject({ code: 'outcome-unknown' });
    await until(() => !isAlive(grandchild), 6_000);
  });
});

describe('output', () => {
  it('T5 what is no message is left out and told of, the first line and every tenfold', async () => {
    const reported: unknown[] = [];
    const { toolset } = await wire({}, { onDiagnostic: (diagnostic) => void reported.push(diagnostic) });
    expect(await toolset.tools.s__noise!.execute({ lines: 250 })).toEqual(text('after the noise'));
    const chunks = [
      '\r\n',
      '  \n',
      '{"level":30,"msg":"a log line"}\n',
      '[]\n',
      '7\n',
      '{"jsonrpc":"2.0","id":$ID,"result":{"content":[]}}\n',
    ];
    expect(await toolset.tools.s__raw!.execute({ chunks })).toEqual({ content: [] });
    const seen = reported as { code: string; data: { lines: number } }[];
    expect(seen.map(({ code, data }) => [code, data.lines])).toEqual([1, 10, 100].map((n) => ['process-output', n]));
    expect(JSON.stringify(seen)).not.toContain('noise 1');
  });

  it('T5 messages of one line are all delivered, and one that comes in pieces is whole', async () => {
    const { toolset } = await wire();
    const message = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"ü€🙂"}]}}';
    expect(await toolset.tools.s__raw!.execute({ chunks: [`[${message}]\n`] })).toEqual(text('ü€🙂'));
    expect(await toolset.tools.s__raw!.execute({ chunks: ['\ufeff', ...message.match(/.{1,9}/gsu)!, '\n'] })).toEqual(
      text('ü€🙂'),
    );
  });

  it('T5 a gigabyte on standard error is drained and costs nothing', { timeout: 60_000 }, async () => {
    const { toolset } = await wire();
    const before = process.memoryUsage().rss;
    expect(await toolset.tools.s__flood!.execute({ bytes: 1024 ** 3 })).toEqual(text('flooded'));
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('T5 R2 an image of 15 MiB passes, and with higher limits one of 25 MB', { timeout: 60_000 }, async () => {
    const { toolset } = await wire();
    const { content } = await toolset.tools.s__image!.execute({ bytes: 15 * 1024 * 1024 });
    expect(content).toMatchObject([{ type: 'image', mimeType: 'image/png' }]);
    const limits = { responseBytes: 64 * 1024 * 1024, mediaBytes: 32 * 1024 * 1024 };
    const { toolset: larger } = await wire({}, { limits });
    const image = await larger.tools.s__image!.execute({ bytes: 25_000_000 });
    expect((image.content[0] as { data: string }).data).toHaveLength(Math.ceil(25_000_000 / 3) * 4);
  });

  it('T5 a line over `responseBytes` ends the connection, the call rejects with `limit`, and the next one is served', async () => {
    const { toolset } = await wire({}, { limits: { responseBytes: 1024 * 1024 } });
    const { pid } = await about(toolset);
    const error = await rejection(toolset.tools.s__long!.execute({ bytes: 64 * 1024 * 1024 }));
    expect(error).toMatchObject({ code: 'limit', limit: 'responseBytes', max: 1024 * 1024 });
    await until(() => !isAlive(pid), 5_000);
    expect(await toolset.tools.s__echo!.execute({ message: 'on' })).toEqual(text('on'));
  });
});

describe('a child that fails', () => {
  it('C4 between two calls is never sent a call that it cannot have got', async () => {
    const { toolset } = await wire();
    for (const wait of [0, 1, 2, 5, 10, 20, 50]) {
      const { pid } = await about(toolset);
      process.kill(pid, 'SIGKILL');
      await sleep(wait);
      const ended = await toolset.tools.s__echo!.execute({ message: 'x' }).then(
        () => 'ok',
        (error: McpError) => error.code,
      );
      expect(['ok', 'outcome-unknown']).toContain(ended);
    }
  });

  it.each([
    [{ code: 3 }, 'exit code 3', 3],
    [{ code: 0 }, 'exit code 0', 0],
    [{ signal: 'SIGKILL' }, 'signal SIGKILL', 'SIGKILL'],
  ])(
    'T5 C5 mid-call with %j leaves the outcome unknown, and says how and what it said last',
    async (how, named, code) => {
      const { toolset } = await wire({ env: { KEY: SECRETS.env } });
      const say = `${'x'.repeat(20_000)} last words: \u001b[31m${SECRETS.env}\u001b[0m`;
      // The one that hangs first: sent to a child that is gone already, it would be sent to the next.
      const calls = [toolset.tools.s__hang!.execute({}), toolset.tools.s__exit!.execute({ ...how, say })];
      const errors = await Promise.all(calls.map(rejection));
      for (const error of errors) {
        expect(error).toMatchObject({ code: 'outcome-unknown', server: 's' });
        expect(error.message).toContain('its process ended');
        const cause = error.cause as McpError;
        expect(cause).toMatchObject({ code: 'process-failed', server: 's', cause: { name: 'ProcessError', code } });
        expect(cause.message).toContain(named);
        expect(cause.message).toMatch(/last words: \\u001b\[31m\[redacted\]\\u001b\[0m$/);
        expect(cause.message.length).toBeLessThan(8_192 + 400);
      }
    },
  );

  it('T5 that cannot start says why', async () => {
    const { toolset } = await wire({ env: { MODE: 'crash' } });
    const [{ error, state }] = toolset.servers as unknown as [{ error: McpError; state: string }];
    expect([state, error.code]).toEqual(['failed', 'process-failed']);
    expect(error.message).toMatch(/`s` ended with exit code 7.*cannot start: \\u001b\[31mno config/s);
  });

  it('T5 that is not there, or is no program, says so', async () => {
    for (const command of ['no-such-program', '/no/such/program', folder(), SCRIPTED]) {
      const { toolset } = await wire({ command });
      expect(toolset.servers, command).toMatchObject([
        { state: 'failed', error: { code: 'process-failed', server: 's' } },
      ]);
    }
  });

  it('C6 is started again at the next call, and calls that run together start one', async () => {
    const { toolset } = await wire();
    const { pid } = await about(toolset);
    process.kill(pid, 'SIGKILL');
    await until(() => !isAlive(pid));
    // The dead leader of a process is seen before its last thread has let go of the pipe.
    await sleep(300);
    const pids = await Promise.all([1, 2, 3].map(async () => (await about(toolset)).pid));
    expect(new Set(pids).size).toBe(1);
    expect(pids[0]).not.toBe(pid);
  });

  it.each([true, false])('C5 is sent again only where the host says that this does no harm: %s', async (harmless) => {
    const log = join(folder(), 'log');
    const { toolset } = await wire({ env: { LOG: log } }, { idempotent: () => harmless });
    expect(await rejection(toolset.tools.s__exit!.execute({ code: 1 }))).toMatchObject({ code: 'outcome-unknown' });
    expect(readFileSync(log, 'utf8').match(/^tools\/call/gm)).toHaveLength(harmless ? 2 : 1);
  });

  it('C6 at each call is started ever later, and after five in a row not for a while', {
    timeout: 30_000,
  }, async () => {
    const { toolset } = await wire();
    const startedAt = performance.now();
    for (let times = 0; times < 5; times++) {
      expect(await rejection(toolset.tools.s__exit!.execute({ code: 1 }))).toMatchObject({ code: 'outcome-unknown' });
    }
    // 250 + 500 + 1,000 + 2,000 ms.
    expect(performance.now() - startedAt).toBeGreaterThan(3_700);
    const error = await rejection(toolset.tools.s__echo!.execute({ message: 'x' }));
    expect(error).toMatchObject({ code: 'breaker-open', server: 's' });
    await toolset.refresh('s', { force: true });
    expect(await toolset.tools.s__echo!.execute({ message: 'x' })).toEqual(text('x'));
  });
});
