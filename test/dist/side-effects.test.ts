import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bundle } from '../house/bundle.js';
import { entries, inFolder, installInto, manifest, writeFiles } from '../house/package.js';

const MARK = 'the registration';

/** Whether a bundler keeps what an entry does when it is only imported, given the manifest's word on side effects. */
function keepsRegistration(sideEffects: boolean | readonly string[]): Promise<boolean> {
  return inFolder(async (folder) => {
    writeFiles(folder, {
      'node_modules/fixture/package.json': JSON.stringify({
        name: 'fixture',
        type: 'module',
        sideEffects,
        exports: { './node': './dist/node.js' },
      }),
      'node_modules/fixture/dist/node.js': `import { register } from './registry.js'; register('${MARK}');`,
      'node_modules/fixture/dist/registry.js': 'export const register = (value) => { globalThis.registered = value; };',
    });
    const { text } = await bundle(`import 'fixture/node';`, { folder });
    return text.includes(MARK);
  });
}

it('a bundler keeps a registration that the manifest names, and drops one that it denies', async () => {
  expect(await keepsRegistration(['./dist/node.js'])).toBe(true);
  expect(await keepsRegistration(false)).toBe(false);
});

const named = Array.isArray(manifest.sideEffects) ? manifest.sideEffects : [];

it('every file that the manifest names for its side effects is an entry that a bundler keeps', async () => {
  const files = entries.map(({ file }) => file);
  expect(named.filter((file) => !files.includes(file))).toEqual([]);
  await inFolder(async (folder) => {
    installInto(folder);
    expect(existsSync(`${folder}/node_modules/${manifest.name}/dist`)).toBe(true);
    for (const { name, file } of entries.filter((entry) => named.includes(entry.file))) {
      // A condition that forbids the entry leaves nothing to keep.
      const target =
        typeof manifest.exports[name] === 'object' && manifest.exports[name]?.workerd === null ? 'node' : 'worker';
      const { inputs } = await bundle(`import '${manifest.name}${name.slice(1)}';`, { folder, target });
      const kept = Object.keys(inputs).some((path) => path.endsWith(file.slice(1)));
      expect(kept, name).toBe(true);
    }
  });
});
