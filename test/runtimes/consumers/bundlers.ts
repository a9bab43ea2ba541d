import { join } from 'node:path';
import { checkLazy, checkNeedsNoNode, checkShaken } from './bundles.js';
import { type Consumer, drive } from './consumer.js';
import { runScript, runTool, TOOLS, versionOf } from './tools.js';

interface Bundled {
  readonly name: string;
  readonly tool: string;
  /** Runs the bundler over one entry. */
  bundle(folder: string, entry: string, into: string): Promise<unknown>;
  /** The file that the bundler makes of `scenario.js`, where it has another name. */
  readonly entry?: string;
  /** Node's modules may stay imports. */
  readonly forNode?: boolean;
  /** An application has no other entry than its page. */
  readonly oneEntry?: boolean;
}

function bundled(row: Bundled): Consumer {
  const { name, tool, bundle, entry = 'scenario.js' } = row;
  const into = name.replaceAll(/\W+/g, '-');
  return {
    name,
    version: () => versionOf(tool),
    project: tool,
    async build(folder) {
      await bundle(folder, 'scenario.js', into);
      if (!row.forNode) checkNeedsNoNode(join(folder, into));
      const sizes = checkLazy(join(folder, into), entry);
      if (row.oneEntry) return sizes;
      await bundle(folder, 'small.js', `${into}-small`);
      return `${sizes}, ${checkShaken(join(folder, `${into}-small`), entry.replace('scenario', 'small'))}`;
    },
    run: (folder, urls) => drive(folder, `${into}/${entry}`, urls),
  };
}

const vite = (folder: string, ...args: string[]) => runTool(folder, 'vite/bin/vite.js', 'build', ...args);
const webpack = (target: string) => (folder: string, entry: string, into: string) =>
  runScript(folder, 'webpack.mjs', `${TOOLS}/webpack`, target, entry, into);
const rolldown = (platform: string) => (folder: string, entry: string, into: string) =>
  runTool(folder, 'rolldown/bin/cli.mjs', entry, '--format', 'esm', '--platform', platform, '--dir', into);
const esbuild = (platform: string) => (folder: string, entry: string, into: string) =>
  runScript(folder, 'esbuild.mjs', `${TOOLS}/esbuild`, entry, into, platform, 'split');

export const bundlers: readonly Consumer[] = [
  bundled({ name: 'esbuild, for Node', tool: 'esbuild', forNode: true, bundle: esbuild('node') }),
  bundled({ name: 'esbuild, for browsers', tool: 'esbuild', bundle: esbuild('browser') }),
  bundled({
    name: 'Vite, application',
    tool: 'vite',
    entry: 'index.js',
    oneEntry: true,
    bundle: (folder, _entry, into) => vite(folder, '--outDir', into),
  }),
  bundled({
    name: 'Vite, library',
    tool: 'vite',
    bundle: (folder, entry, into) => vite(folder, '--outDir', into, '--mode', entry),
  }),
  bundled({
    name: 'Vite, SSR',
    tool: 'vite',
    forNode: true,
    bundle: (folder, entry, into) => vite(folder, '--outDir', into, '--ssr', entry),
  }),
  bundled({ name: 'webpack, for Node', tool: 'webpack', entry: 'main.js', forNode: true, bundle: webpack('node22') }),
  bundled({ name: 'webpack, for Workers', tool: 'webpack', entry: 'main.js', bundle: webpack('webworker') }),
  bundled({ name: 'rolldown, for Node', tool: 'rolldown', forNode: true, bundle: rolldown('node') }),
  bundled({ name: 'rolldown, for browsers', tool: 'rolldown', bundle: rolldown('browser') }),
];
