import { sleep } from '../../core/sleep.js';
import { descendantsOf, type ProcessEntry } from './processes.js';

/** What the operating system is asked for; `kill` is Node's. */
export interface System {
  readonly platform: string;
  kill(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): unknown;
  processes(): readonly ProcessEntry[] | undefined;
  /** Windows: ends a process and those below it. */
  killTree(pid: number): Promise<void>;
}

/** A child that leads a process group of its own. */
export interface Leader {
  readonly pid: number;
  /** Whether it still runs. */
  readonly running: boolean;
  closeInput(): void;
}

/** How long a tree may take to end after each step, in milliseconds (T4). */
const GRACE_MS = 2_000;
const URGENT_GRACE_MS = 300;
/** After SIGKILL only the kernel's own work is left. */
const KILLED_MS = 500;
const POLL_MS = 10;
const NEVER = new AbortController().signal;

export interface EndOptions {
  /** False for a child that nobody will talk to any more: it is told to end at once. */
  readonly gently: boolean;
}

/**
 * Ends a child and everything below it: its input is closed, then its group gets SIGTERM, then SIGKILL (T4). So do those that
 * have left the group, as far as they are still below the child when the end begins (Linux). Never rejects.
 */
export async function endTree(leader: Leader, system: System, { gently }: EndOptions): Promise<void> {
  const tree = createTree(leader, system);
  leader.closeInput();
  if (gently && (await endsWithin(tree, GRACE_MS))) return;
  if (system.platform === 'win32') {
    if (leader.running) await system.killTree(leader.pid).catch(() => {});
  } else {
    tree.signal('SIGTERM');
    if (await endsWithin(tree, gently ? GRACE_MS : URGENT_GRACE_MS)) return;
    tree.signal('SIGKILL');
  }
  await endsWithin(tree, KILLED_MS);
}

/** Ends what is left of a group at once, without a turn: for a host that exits. */
export function killGroup(pid: number, { platform, kill }: System): void {
  try {
    kill(platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

interface Tree {
  /** Whether anything of it runs. */
  alive(): boolean;
  signal(signal: 'SIGTERM' | 'SIGKILL'): void;
}

function createTree(leader: Leader, system: System): Tree {
  /** Those that left the group, by id and start: an id may be given again. */
  const strays = new Map<string, ProcessEntry>();
  const keyOf = ({ pid, startedAt }: ProcessEntry) => `${pid} ${startedAt}`;
  const look = (): readonly ProcessEntry[] | undefined => {
    if (system.platform === 'win32') return undefined;
    const all = system.processes();
    const below = all === undefined || !leader.running ? [] : descendantsOf(leader.pid, all);
    for (const entry of below) if (entry.group !== leader.pid) strays.set(keyOf(entry), entry);
    return all?.filter((entry) => !entry.isZombie && (entry.group === leader.pid || strays.has(keyOf(entry))));
  };
  look();
  return {
    alive() {
      if (leader.running) return true;
      if (system.platform === 'win32') return false;
      // Asking for the group is cheap. It also holds the dead whom nobody has asked for, so who is there is looked at.
      if (strays.size === 0 && !send(system, -leader.pid, 0)) return false;
      return look()?.some(({ pid }) => pid !== leader.pid) ?? send(system, -leader.pid, 0);
    },
    signal(name) {
      const found = look();
      send(system, -leader.pid, name);
      for (const { pid, group } of found ?? []) if (group !== leader.pid) send(system, pid, name);
    },
  };
}

function send(system: System, pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    system.kill(pid, signal);
    return true;
  } catch (error) {
    // There is somebody, who may not be signalled.
    return (error as { code?: unknown }).code === 'EPERM';
  }
}

async function endsWithin(tree: Tree, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  for (let wait = POLL_MS; tree.alive(); wait = Math.min(2 * wait, 5 * POLL_MS)) {
    const left = end - performance.now();
    if (left <= 0) return false;
    await sleep(Math.min(wait, left), NEVER);
  }
  return true;
}
