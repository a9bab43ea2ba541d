import { build, type Metafile } from 'esbuild';
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
  const result = await build({
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
  });
  return { text: result.outputFiles[0]?.text ?? '', inputs: result.metafile.inputs };
}

/** Every module that a bundle would have to find outside itself: a built-in one, by any of its names. */
export function outsideOf({ inputs }: Bundle): string[] {
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  return [...new Set(imports.filter((site) => site.external).map((site) => site.path))].sort();
}
