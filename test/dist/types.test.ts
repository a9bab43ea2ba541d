import { expect, it } from 'vitest';
import { entries, inFolder, installInto, manifest, runTool, writeFiles } from '../house/package.js';

const everyEntry = entries
  .map(({ name }, index) => `export * as entry${index} from '${manifest.name}${name.slice(1)}';`)
  .join('\n');

/** What the compiler says about a consumer that has our dependencies and no types of any platform but the web's. */
async function errorsOf(consumer: string, resolution: 'bundler' | 'nodenext'): Promise<string[]> {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'esnext.disposable'],
    module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: resolution,
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    preserveSymlinks: true,
    noEmit: true,
  };
  const printed = await inFolder((folder) => {
    installInto(folder);
    writeFiles(folder, {
      'package.json': '{ "type": "module" }',
      'consumer.ts': consumer,
      'tsconfig.json': JSON.stringify({ compilerOptions, files: ['consumer.ts'] }),
    });
    return runTool(folder, 'typescript/bin/tsc', '-p', '.');
  });
  return printed.split('\n').filter((line) => line.includes('error TS'));
}

// The consumer names one type of Node's, to show that it has none of them and that errors are seen.
it.each(['bundler', 'nodenext'] as const)(
  'the declarations stand on their own, resolved as %s',
  async (resolution) => {
    const errors = await errorsOf(`${everyEntry}\nexport const bytes: Buffer = 1;`, resolution);
    // The SDK's declarations name Buffer too: none of them is reached.
    expect(errors).toEqual([expect.stringMatching(/^consumer\.ts.+ Cannot find name 'Buffer'/)]);
  },
  120_000,
);
