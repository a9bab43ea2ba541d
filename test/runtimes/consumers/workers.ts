import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPATIBILITY, serveWorker } from '../../support/workerd-serve.js';
import { checkNeedsNoNode } from './bundles.js';
import type { Consumer } from './consumer.js';
import { NODE_22, run, runScript, strangerIn, TOOLS, versionOf } from './tools.js';

/** Serves a bundle in the Workers runtime, without Node's modules, and asks it for the scenario. */
async function runInWorkerd(file: string, urls: readonly string[]): Promise<string> {
  const source = readFileSync(file, 'utf8');
  const worker = await serveWorker({ code: source, compatibility: COMPATIBILITY[0]! });
  try {
    const response = await fetch(`${worker.origin}/?${new URLSearchParams(urls.map((url) => ['url', url]))}`);
    const text = await response.text();
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}\n${worker.output()}`);
    return text;
  } finally {
    await worker.close();
  }
}

interface Deployed {
  readonly name: string;
  readonly tool: string;
  bundle(folder: string, into: string): Promise<unknown>;
}

function deployed({ name, tool, bundle }: Deployed): Consumer {
  const into = 'worker-built';
  return {
    name,
    version: () => versionOf(tool),
    project: tool,
    async build(folder) {
      await bundle(folder, into);
      checkNeedsNoNode(join(folder, into));
      return 'one file, run in workerd';
    },
    run: (folder, urls) => runInWorkerd(join(folder, into, 'worker.js'), urls),
  };
}

export const workers: readonly Consumer[] = [
  deployed({
    name: 'esbuild, for Workers',
    tool: 'esbuild',
    bundle: (folder, into) => runScript(folder, 'esbuild.mjs', `${TOOLS}/esbuild`, 'worker.js', into, 'worker'),
  }),
  deployed({
    name: 'wrangler deploy --dry-run',
    tool: 'wrangler',
    bundle: (folder, into) =>
      run(NODE_22, [`${TOOLS}/wrangler/bin/wrangler.js`, 'deploy', '--dry-run', '--outdir', into], {
        cwd: folder,
        env: strangerIn(folder),
      }),
  }),
];
