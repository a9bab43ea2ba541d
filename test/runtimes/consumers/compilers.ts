import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Consumer, drive } from './consumer.js';
import { runTool, TOOLS, versionOf } from './tools.js';

const NO_TYPES: readonly string[] = [];

interface Compiled {
  /** A folder of the installed tools. */
  readonly tool: string;
  readonly resolution: 'nodenext' | 'bundler';
  /** What the platform is known from: the library for the web's types, or a package of types. */
  readonly platform: 'dom' | 'node' | '@cloudflare/workers-types';
  /** The extension of the source: `cts` compiles to CommonJS. */
  readonly extension?: 'ts' | 'cts';
}

/** A strict program that checks the declarations it reaches, and that has no types but its platform's. */
function compiled({ tool, resolution, platform, extension = 'ts' }: Compiled): Consumer {
  const kind = `${resolution} ${platform}${extension === 'cts' ? ' CommonJS' : ''}`;
  const name = `${tool} ${kind}`.replaceAll(/\W+/g, '-');
  const compilerOptions = {
    target: 'es2022',
    module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: resolution,
    lib: platform === 'dom' ? ['es2022', 'dom'] : ['es2022'],
    types: platform === 'dom' ? NO_TYPES : [platform === 'node' ? `${TOOLS}/@types/node` : `${TOOLS}/${platform}`],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmitOnError: true,
    rootDir: '.',
    outDir: name,
  };
  return {
    name: `TypeScript ${kind}`,
    version: () => versionOf(tool),
    project: 'typescript',
    async build(folder) {
      const source = `${name}.${extension}`;
      copyFileSync(join(folder, 'scenario.ts'), join(folder, source));
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ compilerOptions, files: [source] }));
      await runTool(folder, `${tool}/bin/tsc`, '-p', `${name}.json`);
      return `skipLibCheck: false, types: [${platform === 'dom' ? '' : platform}]`;
    },
    run: (folder, urls) => drive(folder, `${name}/${name}.${extension === 'cts' ? 'cjs' : 'js'}`, urls),
  };
}

export const compilers: readonly Consumer[] = [
  compiled({ tool: 'typescript', resolution: 'nodenext', platform: 'dom' }),
  compiled({ tool: 'typescript', resolution: 'bundler', platform: 'dom' }),
  compiled({ tool: 'typescript', resolution: 'bundler', platform: '@cloudflare/workers-types' }),
  compiled({ tool: 'typescript5', resolution: 'nodenext', platform: 'node' }),
  compiled({ tool: 'typescript5', resolution: 'bundler', platform: 'dom' }),
  compiled({ tool: 'typescript7', resolution: 'nodenext', platform: 'dom' }),
  compiled({ tool: 'typescript7', resolution: 'nodenext', platform: 'dom', extension: 'cts' }),
];
