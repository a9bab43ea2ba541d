import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mustRun } from './command.js';

/** This package's folder: the runtimes are installed there, and not with the repository's own development tools. */
export const RUNTIMES = fileURLToPath(new URL('..', import.meta.url));

const INSTALL_MS = 300_000;

/** Installs what the lock file says, unless that is what was installed last. */
export async function installRuntimes(): Promise<void> {
  const lock = readFileSync(join(RUNTIMES, 'package-lock.json'), 'utf8');
  const mark = join(RUNTIMES, 'node_modules', '.installed-lock.json');
  if (textOf(mark) === lock) return;
  await npm(['ci', '--no-audit', '--no-fund'], RUNTIMES);
  writeFileSync(mark, lock);
}

export function npm(args: readonly string[], cwd: string): Promise<string> {
  // The npm that runs this, where one does; what it sets for its scripts must not reach another npm.
  const env = Object.entries(process.env).filter(([name]) => !/^npm_(config|package|lifecycle)_/.test(name));
  const options = { cwd, env: Object.fromEntries(env) as Record<string, string>, timeoutMs: INSTALL_MS };
  const script = process.env.npm_execpath;
  return script === undefined ? mustRun('npm', args, options) : mustRun(process.execPath, [script, ...args], options);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
