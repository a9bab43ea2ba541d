import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('..', import.meta.url));

/** Runs module code in a new process of this Node; what its last line prints is JSON. */
export function runFresh(code, env = {}) {
  const args = ['--expose-gc', '--input-type=module', '--eval', code];
  const output = execFileSync(process.execPath, args, {
    cwd: BENCH,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return JSON.parse(output.trim().split('\n').at(-1));
}
