import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../house/files.js';
import { run } from './tools.js';

const INSTALL = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts', '--prefer-offline'];

export interface Workshop {
  /** A folder of that name with the files of another, and the packed library installed by npm with what it depends on. */
  project(name: string, files: string): Promise<string>;
  remove(): void;
}

/** Packs the built library once and makes fresh projects that have it, in a temporary folder. */
export async function openWorkshop(): Promise<Workshop> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-toolset-consumers-')));
  const made = new Map<string, Promise<string>>();
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], {
    cwd: root,
  });
  const tarball = join(folder, stdout.trim());

  async function make(name: string, files: string): Promise<string> {
    const project = join(folder, name);
    cpSync(files, project, { recursive: true });
    writeFileSync(join(project, 'package.json'), JSON.stringify({ name, private: true, type: 'module' }));
    await run('npm', ['install', ...INSTALL, tarball], { cwd: project });
    return project;
  }

  return {
    project(name, files) {
      const project = made.get(name) ?? make(name, files);
      made.set(name, project);
      return project;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
