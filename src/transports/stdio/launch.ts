import { McpConnectError } from '../../core/errors.js';
import type { StdioServer } from '../../core/servers.js';
import { endingsFor, findWindowsTrap, isInside, isPath, lookupFolders, type Paths } from './containment.js';
import type { Environment } from './environment.js';

/** Where a child starts: as it was checked, nothing in it is looked up again (T3). */
export interface Launch {
  readonly file: string;
  readonly cwd: string;
}

/** What is asked of the platform. */
export interface Disk {
  readonly platform: string;
  readonly paths: Paths;
  /** The host's own environment and folder. */
  readonly env: Environment;
  readonly cwd: string;
  /** The path without symbolic links; rejects where there is nothing. */
  realpath(path: string): Promise<string>;
  isFolder(path: string): Promise<boolean>;
  /** A file that may be executed. */
  isProgram(path: string): Promise<boolean>;
}

export type LaunchVerdict =
  | ({ readonly allowed: true } & Launch)
  /** `outside` is for ever; what is missing may come. */
  | { readonly allowed: false; readonly why: 'outside' | 'missing'; readonly reason: string };

type Refused = Extract<LaunchVerdict, { allowed: false }>;

/**
 * Judges where a process would start (T3). With a `root`, its folder and a command with a path must be below it, symbolic links
 * followed, and what they lead to is started. A bare name is looked up on the host's `PATH`, never on the entry's.
 */
export async function judgeLaunch(server: StdioServer, disk: Disk): Promise<LaunchVerdict> {
  const { paths, platform } = disk;
  const { command, cwd, root, data } = server;
  if (root !== undefined) {
    const trap = platform === 'win32' ? findTrap({ root, data, command, cwd }) : undefined;
    if (trap !== undefined) return outside(trap);
    if (![root, data ?? root].every((path) => paths.isAbsolute(path)))
      return outside('`root` and `data` must be absolute paths');
  }
  const realRoot = root === undefined ? undefined : await real(root, disk);
  if (root !== undefined && realRoot === undefined) return missing('`root` is not there');
  const homes = [realRoot, data === undefined ? undefined : await real(data, disk)].filter(
    (home) => home !== undefined,
  );
  const folder = await judgeFolder(
    paths.resolve(realRoot ?? disk.cwd, cwd ?? ''),
    root === undefined ? [] : homes,
    disk,
  );
  if (typeof folder !== 'string') return folder;
  const file = isPath(command, platform)
    ? await judgeFile(paths.resolve(realRoot ?? folder, command), realRoot, disk)
    : await lookUp(command, disk);
  return typeof file === 'string' ? { allowed: true, file, cwd: folder } : file;
}

/** The same for a transport that is about to start it. */
export async function launchOf(server: StdioServer, name: string, disk: Disk): Promise<Launch> {
  const verdict = await judgeLaunch(server, disk);
  if (verdict.allowed) return verdict;
  const message = `The process of server \`${name}\` was not started: ${verdict.reason}.`;
  throw new McpConnectError('process-failed', message, { server: name });
}

function findTrap(
  given: Readonly<Record<'root' | 'data' | 'command' | 'cwd', string | undefined>>,
): string | undefined {
  for (const [name, path] of Object.entries(given)) {
    const trap = path === undefined ? undefined : findWindowsTrap(path);
    if (trap !== undefined) return `\`${name}\` cannot be judged: ${trap}`;
  }
  return undefined;
}

/** Without `homes` any folder will do, by the name that it is given. */
async function judgeFolder(path: string, homes: readonly string[], disk: Disk): Promise<string | Refused> {
  const found = await real(path, disk);
  if (homes.length > 0 && !homes.some((home) => isInside(home, found ?? path, disk.paths)))
    return outside('`cwd` is outside `root`');
  if (found === undefined || !(await disk.isFolder(found))) return missing('`cwd` is no folder');
  return homes.length === 0 ? path : found;
}

async function judgeFile(path: string, root: string | undefined, disk: Disk): Promise<string | Refused> {
  for (const ending of endingsFor(path, disk.platform, disk.env.PATHEXT, disk.paths)) {
    const found = await real(path + ending, disk);
    if (found === undefined) continue;
    if (root !== undefined && !isInside(root, found, disk.paths)) return outside('`command` leads outside `root`');
    // A script for the command line is given to one, which reads its arguments in its own way.
    if (root !== undefined && disk.platform === 'win32' && /\.(?:bat|cmd|ps1)$/i.test(found))
      return outside('`command` is a script for a shell, and there is none');
    // Some programs do by their name what they do: without a root it is kept.
    if (await disk.isProgram(found)) return root === undefined ? path + ending : found;
  }
  if (root !== undefined && !isInside(root, path, disk.paths)) return outside('`command` is outside `root`');
  return missing('`command` is no file that can be executed');
}

async function lookUp(command: string, disk: Disk): Promise<string | Refused> {
  const { env, paths, platform } = disk;
  const path = platform === 'win32' ? (env.Path ?? env.PATH) : env.PATH;
  for (const folder of lookupFolders(path, paths)) {
    for (const ending of endingsFor(command, platform, env.PATHEXT, paths)) {
      const candidate = paths.join(folder, command + ending);
      if (await disk.isProgram(candidate)) return candidate;
    }
  }
  return missing('`command` is not on the `PATH` of this process; give its path, or install it');
}

async function real(path: string, { realpath }: Disk): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

function outside(reason: string): Refused {
  return { allowed: false, why: 'outside', reason };
}

function missing(reason: string): Refused {
  return { allowed: false, why: 'missing', reason };
}
