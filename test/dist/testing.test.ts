import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { root } from '../house/files.js';

/** As a Worker's or a browser's bundler does it, to which no module of Node is known. */
async function bundleFor(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    logLevel: 'silent',
  });
  return outputFiles[0]?.text ?? '';
}

it('S9 the built contract of stores is bundled for Workers, though the fault server beside it needs Node', async () => {
  expect(await bundleFor(`export { storeContract } from './dist/testing.js'`)).toContain('comes back whole');
});

it('a bundle that must have Node is seen', async () => {
  await expect(bundleFor(`import 'node:http'`)).rejects.toThrow('node:http');
});
