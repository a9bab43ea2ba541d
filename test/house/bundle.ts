import { build, type Metafile } from 'esbuild';
import { root } from './files.js';

export interface Bundle {
  readonly text: string;
  readonly inputs: Metafile['inputs'];
}

/** Bundles as for a Worker: no platform's own modules, and the conditions that its bundler sets. */
export async function bundle(entry: string, options: { folder?: string } = {}): Promise<Bundle> {
  const result = await build({
    stdin: { contents: entry, resolveDir: options.folder ?? root, sourcefile: 'consumer.js' },
    absWorkingDir: options.folder ?? root,
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser', 'import'],
    mainFields: ['browser', 'module', 'main'],
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
