import { NODE_22, run } from './tools.js';

/** A way to use the package, in a project of its own: one row of the table. */
export interface Consumer {
  readonly name: string;
  /** Of the tool, which may not be installed yet when this is written down. */
  version(): string;
  /** Rows of the same project share its folder. */
  readonly project: string;
  /** Gives what is worth a word in the table. Throws when it cannot be built, or is built other than it should be. */
  build?(folder: string): Promise<string>;
  /** Gives the lines of the scenario, one for each URL. */
  run(folder: string, urls: readonly string[]): Promise<string>;
}

/** Runs a program. It must print nothing but its lines: a warning of the runtime is a fault. */
async function runQuietly(node: string, folder: string, ...args: string[]): Promise<string> {
  const { stdout, stderr } = await run(node, args, { cwd: folder });
  if (stderr !== '') throw new Error(`It wrote to stderr:\n${stderr}`);
  return stdout.trim();
}

/** Runs the scenario of a built file, where no code can be made from text. */
export function drive(folder: string, file: string, urls: readonly string[]): Promise<string> {
  return runQuietly(NODE_22, folder, '--disallow-code-generation-from-strings', 'drive.mjs', file, ...urls);
}

/** A program that no tool has touched. */
export function program(name: string, node: string, version: () => string, file: string): Consumer {
  return { name, version, project: 'node', run: (folder, urls) => runQuietly(node, folder, file, ...urls) };
}
