/** The environment of a process, as the platform gives it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The least that programs expect to find (T2). */
const POSIX = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];
const WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/**
 * The whole environment of a child: the platform's minimum out of the host's, and what the entry adds (T2). On Windows names
 * differ by more than their case.
 */
export function childEnvironment(
  platform: string,
  host: Environment,
  added: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isWindows = platform === 'win32';
  const nameOf = (name: string) => (isWindows ? name.toUpperCase() : name);
  const own = new Set(Object.keys(added).map(nameOf));
  const allowed = isWindows ? WINDOWS : POSIX;
  const inherited = Object.entries(host).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      allowed.includes(nameOf(entry[0])) &&
      !own.has(nameOf(entry[0])) &&
      !isFunction(entry[1]),
  );
  return Object.fromEntries([...inherited, ...Object.entries(added)]);
}

/** Some shells export functions as variables; a shell below the child would run them. */
function isFunction(value: string): boolean {
  return value.startsWith('()');
}
