/// <reference path="./cross-spawn.d.ts" />
import type { ChildProcess, SpawnOptions } from 'cross-spawn';
import { nextTurn, PIECES_A_TURN } from '../../core/turns.js';
import { endTree, type System } from './tree.js';

export type Spawn = (file: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** How a child ended by itself. */
export interface Exit {
  /** Absent where a signal ended it. */
  readonly code?: number;
  readonly signal?: string;
}

/** A stream of a child, as the child sees it. */
export type Stream = 'standard input' | 'standard output';

export interface ChildOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly spawn: Spawn;
  readonly system: System;
  endAtExit(pid: number): () => void;
  /** Returns how many pieces of work that was. */
  onOutput(chunk: Uint8Array): number;
  onErrorOutput(chunk: Uint8Array): void;
  /** All that it wrote has been handed on, but what others write who still hold its streams. */
  onExit(exit: Exit): void;
  /** It has closed a stream and lives on: nothing more can come of it. Told of instead of its exit. */
  onBroken(stream: Stream): void;
}

export interface Child {
  /**
   * Rejects only where the line surely did not reach the child, and when the reason has been told: its exit, or a broken stream.
   * What else went wrong is told by the exit.
   */
  write(line: string): Promise<void>;
  /** Ends it and everything below it. Never rejects; all who ask wait for one end (T4). */
  end(options: { readonly gently: boolean }): Promise<void>;
}

/** What a grandchild that holds the streams may delay the end by, in milliseconds. */
const DRAIN_MS = 200;

/** What a child that has closed a stream may take to end, in milliseconds: most close them by ending. */
const BROKEN_MS = 500;

/** Starts a child. Rejects with the system's error where that cannot be done. */
export function startChild(options: ChildOptions): Promise<Child> {
  const { file, args, cwd, env, spawn, system } = options;
  return new Promise((resolve, reject) => {
    const process = spawn(file, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: system.platform !== 'win32',
      windowsHide: true,
      shell: false,
    });
    const { stdin, stdout, stderr } = process;
    // What comes of these is told by the exit.
    for (const stream of [stdin, stdout, stderr]) stream?.on('error', () => {});
    process.on('error', reject);
    const fate = watch(process, options);
    process.on('spawn', () => resolve(createChild(process, system, fate)));
    let work = 0;
    stdout?.on('data', (chunk) => {
      work += options.onOutput(chunk);
      if (work < PIECES_A_TURN) return;
      work = 0;
      // The platform reads on for as long as there is something: a child that writes without end would hold up all else.
      stdout.pause();
      void nextTurn().then(() => stdout.resume());
    });
    stdout?.on('end', () => fate.breakOff('standard output'));
    stderr?.on('data', options.onErrorOutput);
  });
}

/** How a child comes to its end. */
interface Fate {
  /** Resolves when it has been told of. */
  readonly told: Promise<void>;
  /** The child has closed a stream. */
  breakOff(stream: Stream): void;
}

function watch(process: ChildProcess, options: ChildOptions): Fate {
  let forget = () => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  let finish = () => {};
  const told = new Promise<void>((resolve) => {
    finish = resolve;
  });
  process.on('spawn', () => {
    forget = options.endAtExit(process.pid as number);
  });
  process.on('exit', (code, signal) => {
    forget();
    const exit = { ...(code === null ? {} : { code }), ...(signal === null ? {} : { signal }) };
    let over = false;
    const tell = () => {
      clearTimeout(timer);
      for (const stream of [process.stdin, process.stdout, process.stderr]) stream.destroy();
      if (!over) options.onExit(exit);
      over = true;
      finish();
    };
    clearTimeout(timer);
    timer = setTimeout(tell, DRAIN_MS);
    process.on('close', tell);
  });
  return {
    told,
    breakOff(stream) {
      timer ??= setTimeout(() => {
        options.onBroken(stream);
        finish();
      }, BROKEN_MS);
    },
  };
}

function createChild(process: ChildProcess, system: System, fate: Fate): Child {
  const { stdin } = process;
  const leader = {
    pid: process.pid as number,
    get running() {
      return process.exitCode === null && process.signalCode === null;
    },
    closeInput: () => stdin.end(),
  };
  const writeLine = (line: string) =>
    new Promise<void>((resolve, reject) => {
      const refuse = (why: unknown) => void fate.told.then(() => reject(why));
      if (!leader.running) return refuse(new Error('The process has ended'));
      // Called in every case: a stream that is destroyed tells all who wait. A line that the pipe did not take has no end.
      stdin.write(line, (error) => {
        if (!isBrokenPipe(error)) return resolve();
        fate.breakOff('standard input');
        refuse(error);
      });
    });
  let last = Promise.resolve();
  let ended: Promise<void> | undefined;
  return {
    write(line) {
      // One by one: of lines that the system is given together, a broken pipe does not tell which have arrived.
      const written = last.then(() => writeLine(line));
      last = written.catch(() => {});
      return written;
    },
    end(how) {
      ended ??= endTree(leader, system, how);
      return ended;
    },
  };
}

function isBrokenPipe(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null | undefined)?.code === 'EPIPE';
}
