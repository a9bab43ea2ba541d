import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { bundle, outsideOf } from '../house/bundle.js';
import { inFolder, installInto, writeFiles } from '../house/package.js';

const CONSUMER = `import { createPinnedFetch } from 'mcp-toolset/node';
const { code, message } = await createPinnedFetch()('https://mcp.example.com/').catch((error) => error);
console.log(code + ': ' + message);`;

/** Runs the built package as a consumer does who has its dependencies and none of its optional peers. */
function runAlone(file: string): Promise<string> {
  return inFolder(async (folder) => {
    installInto(folder);
    writeFiles(folder, { 'consumer.mjs': file });
    const flags = ['--preserve-symlinks', '--preserve-symlinks-main'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, 'consumer.mjs'], { cwd: folder });
    return stdout.trim();
  });
}

it('G8 without `undici` the node entry loads, and the pinned fetch says what to install', async () => {
  expect(await runAlone(CONSUMER)).toMatch(/^config: .*`undici`.*install it/);
});

it('G8 a bundle for Node is made without `undici` too, and says the same', async () => {
  const text = await inFolder(async (folder) => {
    installInto(folder);
    return (await bundle(CONSUMER, { folder, target: 'node' })).text;
  });
  expect(await runAlone(text)).toMatch(/^config: .*`undici`.*install it/);
});

it('the node entry cannot be bundled for a Worker or a browser', async () => {
  await inFolder(async (folder) => {
    installInto(folder);
    await expect(bundle(`export * from 'mcp-toolset/node';`, { folder })).rejects.toThrow('mcp-toolset/node');
    expect(outsideOf(await bundle(`export * from 'mcp-toolset/node';`, { folder, target: 'node' }))).toContain(
      'node:dns',
    );
  });
});
