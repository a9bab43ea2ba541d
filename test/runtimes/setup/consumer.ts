import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { npm } from './install.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SCENARIO = fileURLToPath(new URL('../scenario', import.meta.url));
const LIBRARY = 'mcp-toolset';
/** The same tarball under another name: a second copy in one process. */
const SECOND = 'mcp-toolset-again';

/** A project outside the repository that has installed the packed library, as a user of it does. */
export interface Consumer {
  readonly folder: string;
  /** The library and what came with it, as `name version`. */
  readonly installed: readonly string[];
  /** One file of the scenario with all that it imports; conditions as the README gives them. */
  bundle(file: 'worker.js' | 'page.js', conditions: readonly string[]): Promise<string>;
}

/** Packs the built library and installs the tarball and the scenario into a new folder. It is removed at exit. */
export async function createConsumer(): Promise<Consumer> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcp-toolset-consumer-')));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await npm(['run', 'build', '--silent'], ROOT);
  await npm(['pack', '--ignore-scripts', '--pack-destination', folder], ROOT);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  const dependencies = { [LIBRARY]: `file:./${tarball}`, [SECOND]: `file:./${tarball}` };
  const manifest = { name: 'consumer', version: '1.0.0', private: true, type: 'module', dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], folder);
  // The types are taken off and nothing else: each file stays one, and imports stay as they are written.
  const entryPoints = readdirSync(SCENARIO).map((name) => join(SCENARIO, name));
  await build({ entryPoints, outdir: folder, format: 'esm', target: 'es2022', tsconfigRaw: '{}', logLevel: 'silent' });
  return {
    folder,
    installed: installedIn(folder),
    bundle: (file, conditions) => bundle(folder, file, conditions),
  };
}

function installedIn(folder: string): string[] {
  const lock: { packages: Record<string, { version: string }> } = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  );
  const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
  return packages.map(([path, { version }]) => `${path.slice('node_modules/'.length)} ${version}`);
}

async function bundle(folder: string, file: string, conditions: readonly string[]): Promise<string> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [file],
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
    tsconfigRaw: '{}',
    logLevel: 'silent',
  });
  if (metafile.inputs[`node_modules/${LIBRARY}/dist/index.js`] === undefined) {
    throw new Error(`The bundle of ${file} does not hold the packed library: ${Object.keys(metafile.inputs)}`);
  }
  return outputFiles[0]?.text ?? '';
}
