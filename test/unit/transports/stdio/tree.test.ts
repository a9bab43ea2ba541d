import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { descendantsOf, type ProcessEntry, readProcesses } from '../../../../src/transports/stdio/processes.js';
import { endTree, killGroup, type System } from '../../../../src/transports/stdio/tree.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Died = 'input' | 'SIGTERM' | 'SIGKILL' | 'never';
interface Fake {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** What ends it. */
  readonly dies: Died;
  alive: boolean;
}

/** A machine with a leader (10) and whom it has started. */
function machine(
  dies: Died,
  others: readonly Omit<Fake, 'alive'>[] = [],
  options: { platform?: string; proc?: boolean } = {},
) {
  const { platform = 'linux', proc = true } = options;
  const all: Fake[] = [
    { pid: 10, parent: 1, group: 10, dies, alive: true },
    ...others.map((each) => ({ ...each, alive: true })),
  ];
  const signals: [number, string][] = [];
  const living = () => all.filter(({ alive }) => alive);
  const end = (each: Fake, how: Died) => {
    if (each.dies === how || how === 'SIGKILL') each.alive = each.dies === 'never';
  };
  const system: System = {
    platform,
    kill(pid, signal) {
      const hit = living().filter((each) => (pid < 0 ? each.group === -pid : each.pid === pid));
      if (hit.length === 0) throw Object.assign(new Error('nobody'), { code: 'ESRCH' });
      if (signal === 0) return;
      signals.push([pid, signal]);
      for (const each of hit) end(each, signal);
    },
    processes: () =>
      proc
        ? living().map(
            ({ pid, parent, group }): ProcessEntry => ({ pid, parent, group, isZombie: false, startedAt: String(pid) }),
          )
        : undefined,
    async killTree(pid) {
      signals.push([pid, 'taskkill']);
      for (const each of living()) each.alive = each.dies === 'never';
    },
  };
  const leader = {
    pid: 10,
    get running() {
      return all[0]!.alive;
    },
    closeInput() {
      for (const each of living()) end(each, 'input');
    },
  };
  /** Milliseconds that the end took. */
  const finish = async (gently = true) => {
    const startedAt = performance.now();
    const done = endTree(leader, system, { gently }).then(() => performance.now() - startedAt);
    await vi.advanceTimersByTimeAsync(10_000);
    return done;
  };
  return { signals, finish, alive: () => living().map(({ pid }) => pid) };
}

const below = (pid: number, dies: Died, group = 10) => ({ pid, parent: 10, group, dies });

describe('endTree', () => {
  it.each<[Died, readonly Omit<Fake, 'alive'>[], readonly [number, string][], number, number]>([
    ['input', [], [], 0, 0],
    ['input', [below(11, 'input')], [], 0, 0],
    ['SIGTERM', [], [[-10, 'SIGTERM']], 2_000, 2_100],
    ['input', [below(11, 'SIGTERM')], [[-10, 'SIGTERM']], 2_000, 2_100],
    [
      'SIGKILL',
      [],
      [
        [-10, 'SIGTERM'],
        [-10, 'SIGKILL'],
      ],
      4_000,
      4_100,
    ],
    [
      'input',
      [below(11, 'SIGKILL')],
      [
        [-10, 'SIGTERM'],
        [-10, 'SIGKILL'],
      ],
      4_000,
      4_100,
    ],
  ])('T4 a child that dies of %s, with %j, is sent %j', async (dies, others, signals, least, most) => {
    const { finish, alive, ...made } = machine(dies, others);
    const took = await finish();
    expect(alive()).toEqual([]);
    expect(made.signals).toEqual(signals);
    expect(took).toBeGreaterThanOrEqual(least);
    expect(took).toBeLessThanOrEqual(most);
  });

  it('T4 what nothing ends does not hold the close', async () => {
    const { finish } = machine('never');
    expect(await finish()).toBeLessThan(5_000);
  });

  it('T4 whose connect was given up has a third of a second', async () => {
    const { finish, signals, alive } = machine('SIGKILL', [below(11, 'SIGKILL')]);
    expect(await finish(false)).toBeLessThan(500);
    expect([signals, alive()]).toEqual([
      [
        [-10, 'SIGTERM'],
        [-10, 'SIGKILL'],
      ],
      [],
    ]);
  });

  it('T4 those that have left the group are ended too, and nobody else', async () => {
    const stranger = { pid: 99, parent: 1, group: 99, dies: 'SIGTERM' as const };
    const left = below(12, 'SIGTERM', 12);
    const deeper = { pid: 13, parent: 12, group: 12, dies: 'SIGKILL' as const };
    const { finish, alive, signals } = machine('input', [left, deeper, stranger]);
    await finish();
    expect(alive()).toEqual([99]);
    expect(signals.map(([pid]) => pid)).not.toContain(99);
    expect(signals).toContainEqual([12, 'SIGTERM']);
    expect(signals).toContainEqual([13, 'SIGKILL']);
  });

  it('T4 without a list of processes the group is ended', async () => {
    const { finish, alive, signals } = machine('input', [below(11, 'SIGTERM')], { platform: 'darwin', proc: false });
    await finish();
    expect([alive(), signals]).toEqual([[], [[-10, 'SIGTERM']]]);
  });

  it('T4 on Windows the platform’s own tool ends the tree', async () => {
    const { finish, alive, signals } = machine('SIGKILL', [below(11, 'SIGKILL')], { platform: 'win32', proc: false });
    expect(await finish()).toBeLessThan(2_200);
    expect([alive(), signals]).toEqual([[], [[10, 'taskkill']]]);
    const easy = machine('input', [], { platform: 'win32', proc: false });
    await easy.finish();
    expect(easy.signals).toEqual([]);
  });

  it('T4 at the exit of the host a group is killed, and one that is gone is no error', () => {
    const { signals, alive } = machine('SIGKILL');
    const kill = vi.fn();
    killGroup(10, { platform: 'linux', kill, processes: () => undefined, killTree: async () => {} });
    killGroup(10, { platform: 'win32', kill, processes: () => undefined, killTree: async () => {} });
    expect(kill.mock.calls).toEqual([
      [-10, 'SIGKILL'],
      [10, 'SIGKILL'],
    ]);
    const gone = () => {
      throw new Error('ESRCH');
    };
    killGroup(10, { platform: 'linux', kill: gone, processes: () => undefined, killTree: async () => {} });
    expect([signals, alive()]).toEqual([[], [10]]);
  });
});

describe('readProcesses', () => {
  const STAT = '(a) (b) c) S 7 42 42 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 9876 1 2';
  it('T4 reads a name that holds anything, and skips who has ended', () => {
    const files = {
      readdirSync: () => ['1', '42', 'cpuinfo', '43'],
      readFileSync(path: string) {
        if (path.includes('/43/')) throw new Error('ENOENT');
        return path.includes('/1/') ? STAT.replace(' S ', ' Z ') : STAT;
      },
    };
    const entry = { parent: 7, group: 42, startedAt: '9876' };
    expect(readProcesses(files)).toEqual([
      { pid: 1, isZombie: true, ...entry },
      { pid: 42, isZombie: false, ...entry },
    ]);
  });

  it('T4 is undefined where the system shows none', () => {
    const readdirSync = (): string[] => {
      throw new Error('ENOENT');
    };
    expect(readProcesses({ readdirSync, readFileSync: () => '' })).toBeUndefined();
    expect(readProcesses({ readdirSync: () => [], readFileSync: () => '' })).toBeUndefined();
  });

  it('T4 descendants are found in any order, and a circle ends', () => {
    const entry = (pid: number, parent: number): ProcessEntry => ({
      pid,
      parent,
      group: 1,
      isZombie: false,
      startedAt: '',
    });
    const all = [entry(4, 3), entry(3, 2), entry(2, 1), entry(9, 8), entry(2, 4)];
    expect(descendantsOf(1, all).map(({ pid }) => pid)).toEqual([2, 3, 4]);
  });
});
