import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import type { McpOptions, McpToolset, StdioServer } from '../../src/index.js';
import { stdio } from '../../src/node.js';
import { until } from '../support/http-host.js';
import { createRig } from './rig.js';

export const SCRIPTED = fileURLToPath(new URL('../support/stdio-server.mjs', import.meta.url));
export const SDK_SERVER = fileURLToPath(new URL('../support/stdio-sdk-server.mjs', import.meta.url));
export const EVERYTHING = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

/** Stands that start processes; each must be gone when its test is over. */
export function createStdioKit() {
  const rig = createRig();
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const folder = () => {
    const made = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-toolset-stdio-')));
    folders.push(made);
    return made;
  };
  const wire = (config: Partial<StdioServer> = {}, options: McpOptions = {}) =>
    rig.wire([scripted(config)], { transports: [stdio], ...options });
  return { rig, folder, wire };
}

/** The scripted server, by this very Node. */
export function scripted(config: Partial<StdioServer> = {}): StdioServer {
  return { name: 's', type: 'stdio', command: process.execPath, args: [SCRIPTED], ...config };
}

export interface About {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly argv: readonly string[];
  readonly pid: number;
}

export async function about({ tools }: McpToolset): Promise<About> {
  const { content } = await tools.s__about!.execute({});
  return JSON.parse((content[0] as { text: string }).text);
}

/** Whether a process runs; one that is dead and not yet asked for does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Processes of this machine that run and were given `word`, as an argument or in a variable. */
export function processesWith(word: string): number[] {
  const given = (id: string, file: string) => {
    try {
      return readFileSync(`/proc/${id}/${file}`, 'latin1').includes(word);
    } catch {
      return false;
    }
  };
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return ids
    .filter((id) => given(id, 'cmdline') || given(id, 'environ'))
    .map(Number)
    .filter(isAlive);
}

/** The id that a forked process wrote. */
export async function forkedAt(file: string): Promise<number> {
  await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '');
  return Number(readFileSync(file, 'utf8'));
}
