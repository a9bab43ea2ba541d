// biome-ignore-start lint/suspicious/noTsIgnore: where Node's types are at hand there is no error to expect.
// @ts-ignore Without any platform's types the module has none.
import { access, constants, realpath, stat } from 'node:fs/promises';
// @ts-ignore As above.
import * as path from 'node:path';
// biome-ignore-end lint/suspicious/noTsIgnore: as above
import type { Paths } from './containment.js';
import type { Environment } from './environment.js';
import type { Disk } from './launch.js';

/** The disk of this machine, by Node's own modules. */
export function createDisk(process: { readonly platform: string; readonly env: Environment; cwd(): string }): Disk {
  const { platform, env } = process;
  return {
    platform,
    paths: path as Paths,
    env,
    get cwd() {
      return process.cwd();
    },
    realpath,
    isFolder: (at) => check(async () => (await stat(at)).isDirectory()),
    isProgram: (at) =>
      check(async () => {
        await access(at, constants.X_OK);
        return (await stat(at)).isFile();
      }),
  };
}

function check(work: () => Promise<boolean>): Promise<boolean> {
  return work().catch(() => false);
}
