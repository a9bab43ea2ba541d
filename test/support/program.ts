import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { root } from '../house/files.js';

const run = promisify(execFile);

/**
 * Bundles a program over the library's sources and runs it in a process of its own, which must end by itself. Resolves to what
 * it wrote on its standard output.
 */
export async function runProgram(
  body: string,
  { flags = [] }: { readonly flags?: readonly string[] } = {},
): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `import { mcpTools } from './src/index.ts';\n${body}`, resolveDir: root, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  });
  const code = outputFiles[0]!.text;
  const running = run(process.execPath, [...flags, '--input-type=module', '-'], { cwd: root, timeout: 15_000 });
  running.child.stdin!.end(code);
  return (await running).stdout.trim();
}
