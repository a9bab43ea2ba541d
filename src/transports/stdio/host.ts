/// <reference path="./cross-spawn.d.ts" />
// biome-ignore lint/suspicious/noTsIgnore: where Node's types are at hand there is no error to expect.
// @ts-ignore Without any platform's types the module has none.
import * as fs from 'node:fs';
import type { Spawn } from './child.js';
import { createDisk } from './disk.js';
import type { Environment } from './environment.js';
import { launchOf } from './launch.js';
import { readProcesses } from './processes.js';
import type { Host } from './transport.js';
import { killGroup, type System } from './tree.js';

/** The parts of Node's `process` that are used. */
interface NodeProcess {
  readonly platform: string;
  readonly env: Environment;
  cwd(): string;
  kill: System['kill'];
  on(event: 'exit', listener: () => void): void;
  off(event: 'exit', listener: () => void): void;
}

/** Node, or what stands in for it. */
export async function createHost(): Promise<Host> {
  const { default: spawn } = await import('cross-spawn');
  const { process } = globalThis as unknown as { readonly process: NodeProcess };
  const { platform } = process;
  const disk = createDisk(process);
  const system: System = {
    platform,
    kill: (pid, signal) => process.kill(pid, signal),
    processes: () => readProcesses(fs),
    killTree: (pid) => killTree(pid, process.env, spawn),
  };
  return {
    get env() {
      return process.env;
    },
    system,
    spawn,
    launch: (server, name) => launchOf(server, name, disk),
    endAtExit: createExits(process, system),
  };
}

/** One listener for however many children there are, and none for none. */
function createExits(process: NodeProcess, system: System): Host['endAtExit'] {
  const running = new Set<number>();
  const endAll = () => {
    for (const pid of running) killGroup(pid, system);
  };
  return (pid) => {
    if (running.size === 0) process.on('exit', endAll);
    running.add(pid);
    return () => {
      if (running.delete(pid) && running.size === 0) process.off('exit', endAll);
    };
  };
}

/** Windows has no groups: its own tool walks the tree. */
function killTree(pid: number, env: Environment, spawn: Spawn): Promise<void> {
  const file = `${env.SystemRoot ?? 'C:\\Windows'}\\System32\\taskkill.exe`;
  const options = { stdio: ['pipe', 'pipe', 'pipe'], detached: false, windowsHide: true, shell: false } as const;
  return new Promise((resolve, reject) => {
    const child = spawn(file, ['/PID', String(pid), '/T', '/F'], { ...options, cwd: '.', env: {} });
    child.on('error', reject);
    child.on('exit', () => resolve());
  });
}
