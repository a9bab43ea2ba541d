import type { ChildProcess, SpawnOptions } from 'cross-spawn';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Exit, startChild } from '../../../../src/transports/stdio/child.js';
import type { System } from '../../../../src/transports/stdio/tree.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Listener = (...args: unknown[]) => void;

/** A process by its shape, whose events the test gives. */
function fake() {
  const listeners = new Map<string, Listener[]>();
  const on = (event: string, listener: Listener) => {
    listeners.set(event, [...(listeners.get(event) ?? []), listener]);
  };
  const emit = (event: string, ...args: unknown[]) => {
    for (const listener of listeners.get(event) ?? []) listener(...args);
  };
  const stream = () => ({ on: vi.fn(), destroy: vi.fn() });
  const state = { exitCode: null as number | null, signalCode: null as string | null };
  let written: (error?: Error | null) => void = () => {};
  const stdin = { ...stream(), end: vi.fn(), write: vi.fn((_: string, done: typeof written) => (written = done)) };
  /** Says how the line went that is being written. */
  const finish = async (error?: Error) => {
    await vi.advanceTimersByTimeAsync(0);
    written(error);
  };
  const process = Object.assign(state, { pid: 10, stdin, stdout: stream(), stderr: stream(), on });
  return { process: process as unknown as ChildProcess, state, stdin, emit, finish };
}

const system: System = { platform: 'linux', kill: () => {}, processes: () => [], killTree: async () => {} };

async function start() {
  const made = fake();
  const spawn = vi.fn((..._: [string, readonly string[], SpawnOptions]) => made.process);
  const exits: Exit[] = [];
  const broken: string[] = [];
  const forget = vi.fn();
  const starting = startChild({
    file: '/bin/x',
    args: ['a'],
    cwd: '/w',
    env: { A: 'b' },
    spawn,
    system,
    endAtExit: () => forget,
    onOutput: () => 0,
    onErrorOutput() {},
    onExit: (exit) => exits.push(exit),
    onBroken: (stream) => broken.push(stream),
  });
  made.emit('spawn');
  return { ...made, spawn, exits, broken, forget, child: await starting };
}

const failed = (code: string) => Object.assign(new Error(code), { code });

describe('a child', () => {
  it('T3 T4 is started without a shell, in a group of its own, with just this environment', async () => {
    const { spawn } = await start();
    expect(spawn.mock.calls).toEqual([
      [
        '/bin/x',
        ['a'],
        {
          cwd: '/w',
          env: { A: 'b' },
          stdio: ['pipe', 'pipe', 'pipe'],
          detached: true,
          windowsHide: true,
          shell: false,
        },
      ],
    ]);
  });

  it('C4 refuses a line that it surely did not get when its exit has been told', async () => {
    const { child, emit, exits, finish, state, stdin } = await start();
    const refused: [unknown, number][] = [];
    const note = (error: { code?: unknown; message: string }) =>
      void refused.push([error.code ?? error.message, exits.length]);
    void child.write('x\n').catch(note);
    await finish(failed('EPIPE'));
    state.exitCode = 1;
    void child.write('y\n').catch(note);
    emit('exit', 1, null);
    await vi.advanceTimersByTimeAsync(100);
    expect(refused).toEqual([]);
    emit('close', 1, null);
    await vi.advanceTimersByTimeAsync(0);
    expect(refused).toEqual([
      ['EPIPE', 1],
      ['The process has ended', 1],
    ]);
    expect(stdin.write).toHaveBeenCalledTimes(1);
  });

  it('T5 that reads no more and lives on is broken', async () => {
    const { broken, child, exits, finish } = await start();
    const refused = child.write('x\n');
    refused.catch(() => {});
    await finish(failed('EPIPE'));
    await vi.advanceTimersByTimeAsync(450);
    expect(broken).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    await expect(refused).rejects.toMatchObject({ code: 'EPIPE' });
    expect([broken, exits]).toEqual([['standard input'], []]);
  });

  it('C5 is given one line at a time, so that each is known to have arrived or not', async () => {
    const { child, finish, stdin } = await start();
    const written = [child.write('x\n'), child.write('y\n')];
    for (const lines of [['x\n'], ['x\n', 'y\n']]) {
      await vi.advanceTimersByTimeAsync(0);
      expect(stdin.write.mock.calls.map(([line]) => line)).toEqual(lines);
      await finish();
    }
    await Promise.all(written);
  });

  it.each([undefined, failed('ERR_STREAM_DESTROYED'), failed('ECONNRESET')])(
    'C4 C5 takes a line that it may have got: %s',
    async (error) => {
      const { child, finish } = await start();
      const written = child.write('x\n');
      await finish(error);
      await expect(written).resolves.toBeUndefined();
    },
  );

  it.each([
    [3, null, { code: 3 }],
    [null, 'SIGKILL', { signal: 'SIGKILL' }],
  ])('T5 that ends (%s, %s) is told of once, when all that it wrote has been read', async (code, signal, exit) => {
    const { emit, exits, forget } = await start();
    emit('exit', code, signal);
    expect([exits, forget.mock.calls.length]).toEqual([[], 1]);
    emit('close', code, signal);
    emit('close', code, signal);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(exits).toEqual([exit]);
  });

  it('T5 whose streams somebody else holds is told of all the same, soon', async () => {
    const { emit, exits, stdin } = await start();
    emit('exit', 0, null);
    await vi.advanceTimersByTimeAsync(250);
    expect(exits).toEqual([{ code: 0 }]);
    expect(stdin.destroy).toHaveBeenCalled();
  });

  it('T5 that cannot be started is an error of the system', async () => {
    const { process, emit } = fake();
    const options = { file: 'x', args: [], cwd: '/', env: {}, system, endAtExit: () => () => {} };
    const heard = { onOutput: () => 0, onErrorOutput() {}, onExit: () => expect.fail(), onBroken: () => expect.fail() };
    const starting = startChild({ ...options, ...heard, spawn: () => process });
    emit('error', failed('ENOENT'));
    await expect(starting).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
