import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from '../scenario/scenario.js';
import { type Ended, run } from '../setup/command.js';
import { RUNTIMES } from '../setup/install.js';
import { check, ROW_MS, type Row } from './row.js';

interface Program {
  readonly name: string;
  /** What the version must begin with: a fallback to another program of the same name would be seen. */
  readonly version: string;
  /** Below `node_modules`. */
  readonly path: string;
  readonly args: readonly string[];
}

const NODES = [20, 22, 24, 26].map((major) => ({
  name: `Node ${major}`,
  version: `${major}.`,
  path: `node${major}/bin/node`,
  args: [],
}));

const PROGRAMS: readonly Program[] = [
  ...NODES,
  { name: 'Bun', version: '1.', path: '.bin/bun', args: ['run'] },
  { name: 'Deno', version: '2.', path: '.bin/deno', args: ['run', '-A', '--no-check', '--node-modules-dir=manual'] },
];

export const processRows: readonly Row[] = PROGRAMS.map((program) => ({
  name: program.name,
  run: async (stand, { consumer: { folder } }) => {
    const path = join(RUNTIMES, 'node_modules', program.path);
    if (!existsSync(path)) {
      const platform = `${process.platform} ${process.arch}`;
      throw new Error(`node_modules/${program.path} is missing: npm installed no ${program.name} for ${platform}`);
    }
    const home = join(folder, 'home');
    const env = { PATH: '', HOME: home, DENO_DIR: home, DENO_NO_UPDATE_CHECK: '1', STAND: JSON.stringify(stand) };
    const ended = await run(path, [...program.args, 'process.js'], { cwd: folder, env, timeoutMs: ROW_MS });
    const { version, checks } = reportIn(ended.stdout);
    if (version === undefined) {
      throw new Error(`It printed no report. ${howItEnded(ended)}:\n${ended.stdout}\n${ended.stderr}`);
    }
    return {
      version,
      checks: [
        ...checks,
        check('is the runtime asked for', version.startsWith(program.version), `It is ${version}`),
        check('the process ends by itself', ended.code === 0, `${howItEnded(ended)}:\n${ended.stderr}`),
      ],
    };
  },
}));

function howItEnded({ code, timedOut }: Ended): string {
  return timedOut ? `It still ran after ${ROW_MS} ms` : `Exit code ${code}`;
}

/** The report is the last line. */
function reportIn(stdout: string): { readonly version?: string; readonly checks: readonly Check[] } {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  } catch {
    return { checks: [] };
  }
}
