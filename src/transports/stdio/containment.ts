/** One flavour of Node's `path`: `posix` or `win32`. Nothing of it looks at a disk. */
export interface Paths {
  readonly delimiter: string;
  isAbsolute(path: string): boolean;
  join(...parts: string[]): string;
  resolve(...parts: string[]): string;
  relative(from: string, to: string): string;
  extname(path: string): string;
}

/** Whether `target` is `root` or below it: by path components, so that `/srv/a-b` is not below `/srv/a`. Both are absolute. */
export function isInside(root: string, target: string, paths: Paths): boolean {
  const way = paths.relative(root, target);
  return !paths.isAbsolute(way) && !/^\.\.(?:[\\/]|$)/.test(way);
}

/** Names that Windows opens as a device, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;

/**
 * Why a path cannot be judged by its text on Windows, where it means something else than it says (T3): device and UNC forms, a
 * drive without a root, a stream of a file, names whose end is cut off. Undefined where it says what it means.
 */
export function findWindowsTrap(path: string): string | undefined {
  if (/^[\\/]{2}/.test(path)) return 'it is a network or device path';
  if (/^[A-Za-z]:(?![\\/])/.test(path)) return 'it is relative to a drive';
  const parts = path.replace(/^[A-Za-z]:/, '').split(/[\\/]/);
  if (parts.some((part) => part.includes(':'))) return 'it names a stream of a file';
  if (parts.some((part) => /[ .]$/.test(part) && !/^\.{1,2}$/.test(part)))
    return 'a name in it ends with a space or dot';
  return parts.some((part) => DEVICE.test(part)) ? 'it names a device' : undefined;
}

/** Whether a command is a path rather than a name to look up. */
export function isPath(command: string, platform: string): boolean {
  return command.includes('/') || (platform === 'win32' && /[\\:]/.test(command));
}

/** Where a name is looked up: the folders of a `PATH`, absolute ones alone. */
export function lookupFolders(path: string | undefined, paths: Paths): readonly string[] {
  return (path ?? '')
    .split(paths.delimiter)
    .map((folder) => folder.replace(/^"(.*)"$/, '$1'))
    .filter((folder) => paths.isAbsolute(folder));
}

const WINDOWS_ENDINGS = '.COM;.EXE;.BAT;.CMD';

/** The endings that a program's file may have, in the order in which they are tried. */
export function endingsFor(
  command: string,
  platform: string,
  pathExt: string | undefined,
  paths: Paths,
): readonly string[] {
  if (platform !== 'win32') return [''];
  const known = (pathExt || WINDOWS_ENDINGS).split(';').filter((ending) => ending !== '');
  const own = paths.extname(command).toUpperCase();
  return known.some((ending) => ending.toUpperCase() === own) ? [''] : known;
}
