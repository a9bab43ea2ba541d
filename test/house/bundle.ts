import { type BuildOptions, build, type Metafile } from 'esbuild';
import { root } from './files.js';

export interface Bundle {
  readonly text: string;
  readonly inputs: Metafile['inputs'];
}

const CONDITIONS = { worker: ['workerd', 'worker', 'browser', 'import'], node: ['node', 'import'] } as const;

/** Bundles as for a Worker, or for Node: no platform's own modules, and the conditions that its bundler sets. */
export async function bundle(
  entry: string,
  { folder = root, target = 'worker' }: { readonly folder?: string; readonly target?: keyof typeof CONDITIONS } = {},
): Promise<Bundle> {
  const result = await build(optionsFor(entry, folder, target));
  return { text: result.outputFiles[0]?.text ?? '', inputs: result.metafile.inputs };
}

function optionsFor(entry: string, folder: string, target: keyof typeof CONDITIONS) {
  return {
    stdin: { contents: entry, resolveDir: folder, sourcefile: 'consumer.js' },
    absWorkingDir: folder,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    platform: target === 'node' ? 'node' : 'neutral',
    conditions: [...CONDITIONS[target]],
    mainFields: target === 'node' ? ['module', 'main'] : ['browser', 'module', 'main'],
    external: ['node:*', 'cloudflare:*'],
    logLevel: 'silent',
  } as const satisfies BuildOptions;
}

/** The files of a bundle that keeps what is imported on demand apart: those that load at once, and the others. */
export async function bundleSplit(entry: string): Promise<{ readonly first: string[]; readonly later: string[] }> {
  const { metafile } = await build({ ...optionsFor(entry, root, 'worker'), splitting: true, outdir: 'out' });
  const waiting = Object.keys(metafile.outputs).filter((path) => metafile.outputs[path]?.entryPoint === 'consumer.js');
  const loaded = new Set(waiting);
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    for (const { kind, path: next } of metafile.outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || loaded.has(next)) continue;
      loaded.add(next);
      waiting.push(next);
    }
  }
  const filesOf = (has: boolean) =>
    Object.entries(metafile.outputs).flatMap(([path, { inputs }]) =>
      loaded.has(path) === has ? Object.keys(inputs) : [],
    );
  return { first: filesOf(true), later: filesOf(false) };
}

/** Every module that a bundle would have to find outside itself: a built-in one, by any of its names. */
export function outsideOf({ inputs }: Bundle): string[] {
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  return [...new Set(imports.filter((site) => site.external).map((site) => site.path))].sort();
}
