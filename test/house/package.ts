import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from './files.js';

interface Manifest {
  readonly name: string;
  readonly sideEffects?: boolean | readonly string[];
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string | null>>>>;
}

export const manifest: Manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

/** The entries of the package that are modules: `.` first, each with its built file. */
export const entries = Object.entries(manifest.exports).flatMap(([name, target]) => {
  const file = typeof target === 'string' ? target : (target.default ?? '');
  return file.endsWith('.js') ? [{ name, file }] : [];
});

/** Runs `use` in a folder of its own under the system's temporary folder, then removes it. */
export async function inFolder<Result>(use: (folder: string) => Result | Promise<Result>): Promise<Result> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-toolset-')));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Installs the built package as a consumer has it: with the packages it depends on, and none of those it is built with. */
export function installInto(folder: string): void {
  const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  const packages = Object.entries<{ dev?: boolean; devOptional?: boolean }>(lock.packages);
  for (const [path, { dev, devOptional }] of packages) {
    if (/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && !dev && !devOptional)
      link(join(root, path), join(folder, path));
  }
  const own = join(folder, 'node_modules', manifest.name);
  link(join(root, 'dist'), join(own, 'dist'));
  writeFileSync(join(own, 'package.json'), readFileSync(`${root}package.json`));
}

function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, 'junction');
}

/** Runs a program of this repository's own tools and gives what it printed, whether it was content or not. */
export function runTool(folder: string, script: string, ...args: string[]): string {
  return spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], { cwd: folder, encoding: 'utf8' })
    .stdout;
}
