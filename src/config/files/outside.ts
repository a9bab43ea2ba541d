/**
 * Whether a path leaves `root` by its own text (T3): `../x`, or `root/../x`. What is absolute and begins elsewhere is not judged
 * here, since a link may lead there and back; before a start both are resolved and compared again.
 */
export function leadsOut(root: string, path: string): boolean {
  const isWindows = isWindowsPath(root);
  const split = (text: string) => text.split(isWindows ? /[\\/]/ : '/').filter((part) => part !== '' && part !== '.');
  const isAbsolute = isWindows ? /^(?:[A-Za-z]:|[\\/])/ : /^\//;
  let parts = split(path);
  if (isAbsolute.test(path)) {
    const same = isWindows
      ? (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase()
      : (a: string, b: string | undefined) => a === b;
    const base = split(root);
    if (!base.every((part, index) => same(part, parts[index]))) return false;
    parts = parts.slice(base.length);
  }
  let depth = 0;
  return parts.some((part) => {
    depth += part === '..' ? -1 : 1;
    return depth < 0;
  });
}

/** Of which platform an absolute path is. */
export function isWindowsPath(path: string): boolean {
  return /^(?:[A-Za-z]:|\\\\)/.test(path);
}
