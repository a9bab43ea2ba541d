import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RUNTIMES } from '../setup/install.js';

/** Where the pinned tools and runtimes are installed. */
export const TOOLS = join(RUNTIMES, 'node_modules');
/** Some of the tools need it, and all of them run on it. */
export const NODE_22 = `${TOOLS}/node22/bin/node`;

/** A busy machine takes a minute for what takes seconds. */
const TIMEOUT_MS = 180_000;

/** Nobody's site is looked up, nothing is reported, nothing is coloured. */
export const QUIET = {
  CI: 'true',
  NO_COLOR: '1',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
};

/** wrangler then knows no account that whoever runs this may be logged in to. */
export const strangerIn = (folder: string) => ({ HOME: folder, XDG_CONFIG_HOME: folder });

export function versionOf(tool: string): string {
  return JSON.parse(readFileSync(`${TOOLS}/${tool}/package.json`, 'utf8')).version;
}

export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end. Rejects with all that it printed when it fails or takes longer than three minutes. */
export async function run(command: string, args: readonly string[], { cwd, env }: RunOptions): Promise<Printed> {
  try {
    return await promisify(execFile)(command, args, {
      cwd,
      env: { ...process.env, ...QUIET, ...env },
      timeout: TIMEOUT_MS,
      killSignal: 'SIGKILL',
    });
  } catch (error) {
    const { code, killed, stdout, stderr } = error as Printed & { code?: unknown; killed?: boolean };
    const how = killed ? `took longer than ${TIMEOUT_MS} ms` : `ended with ${String(code)}`;
    throw new Error(`${command} ${args.join(' ')} ${how}:\n${stdout}\n${stderr}`);
  }
}

/** Runs one of the installed tools: a script of its package, on Node 22. */
export function runTool(cwd: string, script: string, ...args: string[]): Promise<Printed> {
  return run(NODE_22, [`${TOOLS}/${script}`, ...args], { cwd });
}

/** Runs a script of the project's own on Node 22. */
export function runScript(cwd: string, script: string, ...args: string[]): Promise<Printed> {
  return run(NODE_22, [script, ...args], { cwd });
}
