import { posix, win32 } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StdioServer } from '../../../../src/index.js';
import {
  endingsFor,
  findWindowsTrap,
  isInside,
  isPath,
  lookupFolders,
} from '../../../../src/transports/stdio/containment.js';
import { type Disk, judgeLaunch } from '../../../../src/transports/stdio/launch.js';

describe('isInside', () => {
  it.each([
    ['/srv/a', '/srv/a', true],
    ['/srv/a', '/srv/a/b', true],
    ['/srv/a', '/srv/a/..foo', true],
    ['/srv/a', '/srv/a/...', true],
    ['/srv/a/', '/srv/a/b/c', true],
    ['/', '/anything', true],
    ['/srv/a', '/srv/a-b', false],
    ['/srv/a', '/srv/ab/c', false],
    ['/srv/a', '/srv', false],
    ['/srv/a', '/srv/a/../b', false],
    ['/srv/a', '/', false],
    ['/srv/a', '/SRV/A/b', false],
  ])('T3 POSIX: %s holds %s: %s', (root, target, expected) => {
    expect(isInside(root, target, posix)).toBe(expected);
  });

  it.each([
    ['C:\\srv\\a', 'C:\\srv\\a\\b', true],
    ['C:\\srv\\a', 'c:\\SRV\\A\\b', true],
    ['C:/srv/a', 'C:\\srv\\a\\..foo', true],
    ['C:\\srv\\a', 'C:\\srv\\a-b', false],
    ['C:\\srv\\a', 'D:\\srv\\a\\b', false],
    ['C:\\srv\\a', '\\\\host\\share\\a', false],
    ['C:\\srv\\a', 'C:\\srv\\a\\..\\b', false],
  ])('T3 Windows: %s holds %s: %s', (root, target, expected) => {
    expect(isInside(root, target, win32)).toBe(expected);
  });

  it('T3 no way up or away leads inside', () => {
    const part = fc.stringMatching(/^[a-z.]{1,4}$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), fc.array(part), (root, rest) => {
        const from = posix.resolve('/', ...root);
        const to = posix.resolve(from, ...rest);
        const below = to === from || to.startsWith(from === '/' ? from : `${from}/`);
        expect(isInside(from, to, posix)).toBe(below);
      }),
    );
  });
});

describe('what a path says on Windows', () => {
  it.each([
    '\\\\?\\C:\\x',
    '//?/C:/x',
    '\\\\.\\pipe\\x',
    '\\\\host\\share\\x',
    '//host/share/x',
    'C:x',
    'c:..\\x',
    'C:',
    '.\\file.exe:stream',
    'C:\\a\\b:$DATA',
    '.\\a.\\x',
    '.\\a \\x',
    'x.exe.',
    'x.exe ',
    'NUL',
    '.\\con.txt',
    '.\\con .txt',
    'C:\\a\\COM1',
    'lpt9.log',
    'CONIN$',
  ])('T3 %s is not judged', (path) => {
    expect(findWindowsTrap(path)).toEqual(expect.any(String));
  });

  it.each([
    'C:\\a\\b.exe',
    'C:/a/b',
    '.\\bin\\x',
    './bin/x',
    '..\\x',
    '.',
    'node',
    '\\a',
    'console.exe',
    'communicate',
    'a.b.c',
  ])('T3 %s says what it means', (path) => {
    expect(findWindowsTrap(path)).toBeUndefined();
  });
});

describe('a command', () => {
  it('T3 is a path with a separator of its platform in it', () => {
    expect(['./x', 'a/b', '/x', '../x'].map((command) => isPath(command, 'linux'))).toEqual([true, true, true, true]);
    expect(['x', 'a\\b', 'C:x', 'node server.js'].map((command) => isPath(command, 'linux'))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect(['a\\b', 'C:x', '.\\x', 'a/b'].map((command) => isPath(command, 'win32'))).toEqual([true, true, true, true]);
  });

  it('T3 is looked up in absolute folders alone', () => {
    expect(lookupFolders('/usr/bin::.:bin:/bin:', posix)).toEqual(['/usr/bin', '/bin']);
    expect(lookupFolders('"C:\\Program Files\\x";.;C:\\y', win32)).toEqual(['C:\\Program Files\\x', 'C:\\y']);
    expect(lookupFolders(undefined, posix)).toEqual([]);
  });

  it('T3 has the endings of Windows where it has none', () => {
    expect(endingsFor('npx', 'win32', '.EXE;.CMD', win32)).toEqual(['.EXE', '.CMD']);
    expect(endingsFor('npx.cmd', 'win32', '.EXE;.CMD', win32)).toEqual(['']);
    expect(endingsFor('x.js', 'win32', undefined, win32)).toEqual(['.COM', '.EXE', '.BAT', '.CMD']);
    expect(endingsFor('npx', 'linux', '.EXE', posix)).toEqual(['']);
  });
});

/** A disk in memory: programs, folders and links by their paths. */
function disk(
  platform: 'linux' | 'win32',
  files: Readonly<Record<string, 'program' | 'file' | 'folder' | { link: string }>>,
  env = {},
): Disk {
  const paths = platform === 'win32' ? win32 : posix;
  const keyOf = (path: string) => (platform === 'win32' ? path.toLowerCase() : path);
  const known = new Map(Object.entries(files).map(([path, kind]) => [keyOf(path), { path, kind }]));
  const follow = (path: string, depth = 0): string | undefined => {
    const found = known.get(keyOf(paths.resolve(path)));
    if (found === undefined || depth > 10) return undefined;
    return typeof found.kind === 'object'
      ? follow(paths.resolve(paths.dirname(found.path), found.kind.link), depth + 1)
      : found.path;
  };
  const kindOf = (path: string) => known.get(keyOf(follow(path) ?? ''))?.kind;
  return {
    platform,
    paths,
    env,
    cwd: platform === 'win32' ? 'C:\\host' : '/host',
    realpath: async (path) => follow(path) ?? Promise.reject(new Error('ENOENT')),
    isFolder: async (path) => kindOf(path) === 'folder',
    isProgram: async (path) => kindOf(path) === 'program',
  };
}

const judge = async (config: Partial<StdioServer>, on: Disk) => {
  const verdict = await judgeLaunch({ name: 's', type: 'stdio', command: 'x', ...config }, on);
  return verdict.allowed ? [verdict.file, verdict.cwd] : verdict.why;
};

describe('judgeLaunch', () => {
  const on = disk(
    'linux',
    {
      '/host': 'folder',
      '/host/tool': 'program',
      '/usr/bin/node': 'program',
      '/usr/bin/multi': { link: '/usr/bin/node' },
      '/plug': 'folder',
      '/plug/bin/x': 'program',
      '/plug/..foo': 'program',
      '/plug/plain': 'file',
      '/plug/sub': 'folder',
      '/plug/in': { link: 'bin/x' },
      '/plug/chain': { link: 'in' },
      '/plug/out': { link: '/usr/bin/node' },
      '/plug/outdir': { link: '/host' },
      '/plug/dangling': { link: 'nowhere' },
      '/plug/loop': { link: 'loop' },
      '/plug-evil/x': 'program',
      '/link': { link: '/plug' },
      '/data': 'folder',
      '/data/w': 'folder',
      '/data/x': 'program',
      '/data/outdir': { link: '/host' },
    },
    { PATH: '.:/none:/usr/bin' },
  );
  const root = '/plug';

  it.each<[Partial<StdioServer>, readonly string[] | string]>([
    [{ command: './bin/x', root }, ['/plug/bin/x', '/plug']],
    [{ command: 'bin/x', root }, ['/plug/bin/x', '/plug']],
    [{ command: './sub/../bin/x', root }, ['/plug/bin/x', '/plug']],
    [{ command: './..foo', root }, ['/plug/..foo', '/plug']],
    [{ command: '/plug/bin/x', root }, ['/plug/bin/x', '/plug']],
    [{ command: './in', root }, ['/plug/bin/x', '/plug']],
    [{ command: './chain', root }, ['/plug/bin/x', '/plug']],
    [{ command: './in', root: '/link' }, ['/plug/bin/x', '/plug']],
    [{ command: './bin/x', root, cwd: 'sub' }, ['/plug/bin/x', '/plug/sub']],
    [{ command: 'node', root, cwd: './sub' }, ['/usr/bin/node', '/plug/sub']],
    [{ command: 'multi', root }, ['/usr/bin/multi', '/plug']],
    [{ command: '../plug-evil/x', root }, 'outside'],
    [{ command: '/plug-evil/x', root }, 'outside'],
    [{ command: '/usr/bin/node', root }, 'outside'],
    [{ command: './sub/../../host/tool', root }, 'outside'],
    [{ command: '../none', root }, 'outside'],
    [{ command: './out', root }, 'outside'],
    [{ command: 'node', root, cwd: '..' }, 'outside'],
    [{ command: 'node', root, cwd: '/host' }, 'outside'],
    [{ command: 'node', root, cwd: './outdir' }, 'outside'],
    [{ command: './bin/x', root: 'plug' }, 'outside'],
    [{ command: './dangling', root }, 'missing'],
    [{ command: './loop', root }, 'missing'],
    [{ command: './sub', root }, 'missing'],
    [{ command: './plain', root }, 'missing'],
    [{ command: './none', root }, 'missing'],
    [{ command: 'none', root }, 'missing'],
    [{ command: 'tool', root }, 'missing'],
    [{ command: 'node', root, cwd: './none' }, 'missing'],
    [{ command: 'node', root, cwd: './plain' }, 'missing'],
    [{ command: 'node', root: '/none' }, 'missing'],
    [{ command: 'node server.js', root }, 'missing'],
    [{ command: 'node;id' }, 'missing'],
    [{ command: './bin/x', root, data: '/data', cwd: '/data/w' }, ['/plug/bin/x', '/data/w']],
    [{ command: './bin/x', root, data: '/none', cwd: 'sub' }, ['/plug/bin/x', '/plug/sub']],
    [{ command: 'node', root, cwd: '/data/w' }, 'outside'],
    [{ command: 'node', root, data: '/none', cwd: '/data/w' }, 'outside'],
    [{ command: 'node', root, data: '/data', cwd: '/data/..' }, 'outside'],
    [{ command: 'node', root, data: '/data', cwd: '/data/outdir' }, 'outside'],
    [{ command: 'node', root, data: 'data' }, 'outside'],
    [{ command: '/data/x', root, data: '/data' }, 'outside'],
    [{ command: '/data/x', root, data: '/data', cwd: '/data/w' }, 'outside'],
    [{ command: 'node' }, ['/usr/bin/node', '/host']],
    [{ command: './tool' }, ['/host/tool', '/host']],
    [{ command: './bin/x', cwd: '/plug' }, ['/plug/bin/x', '/plug']],
    [{ command: '/plug/out' }, ['/plug/out', '/host']],
    [{ command: 'node', env: { PATH: '/plug/bin' } }, ['/usr/bin/node', '/host']],
    [{ command: 'x', env: { PATH: '/plug/bin' } }, 'missing'],
  ])('T3 %j: %j', async (config, expected) => {
    expect(await judge(config, on)).toEqual(expected);
  });

  const windows = disk(
    'win32',
    {
      'C:\\host': 'folder',
      'C:\\plug': 'folder',
      'C:\\plug\\bin\\x.exe': 'program',
      'C:\\plug\\run.cmd': 'program',
      'C:\\nodejs\\npx.cmd': 'program',
      'C:\\plug-evil\\x.exe': 'program',
    },
    { Path: 'C:\\nodejs', PATHEXT: '.EXE;.CMD' },
  );

  it.each<[Partial<StdioServer>, readonly string[] | string]>([
    [{ command: '.\\bin\\x', root: 'C:\\plug' }, ['C:\\plug\\bin\\x.exe', 'C:\\plug']],
    [{ command: './BIN/X.EXE', root: 'c:/PLUG' }, ['C:\\plug\\bin\\x.exe', 'C:\\plug']],
    [{ command: 'npx', root: 'C:\\plug' }, ['C:\\nodejs\\npx.CMD', 'C:\\plug']],
    [{ command: 'npx' }, ['C:\\nodejs\\npx.CMD', 'C:\\host']],
    [{ command: '.\\run', root: 'C:\\plug' }, 'outside'],
    [{ command: '..\\plug-evil\\x', root: 'C:\\plug' }, 'outside'],
    [{ command: 'C:\\plug-evil\\x.exe', root: 'C:\\plug' }, 'outside'],
    [{ command: '\\\\?\\C:\\plug\\bin\\x.exe', root: 'C:\\plug' }, 'outside'],
    [{ command: 'C:bin\\x.exe', root: 'C:\\plug' }, 'outside'],
    [{ command: '.\\bin\\x.exe:s', root: 'C:\\plug' }, 'outside'],
    [{ command: 'npx', root: 'C:\\plug', cwd: 'D:' }, 'outside'],
  ])('T3 on Windows %j: %j', async (config, expected) => {
    expect(await judge(config, windows)).toEqual(expected);
  });
});
