import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { filesUnder, importsOf, parse, type Source, walk } from '../../house/files.js';

/** Stands in the SDK's code and in none of the library's; names are kept, since nothing here is minified. */
const SDK = /class StreamableHTTPClientTransport|StreamableHTTPClientTransport = class/;
/** What is left of the library where one small function of it is used. webpack keeps a whole module of it. */
const SMALL_BYTES = 32 * 1024;

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} kB`;

/** A file of a bundle. They are large: only those are parsed whose syntax matters. */
interface BundledFile {
  readonly path: string;
  readonly text: string;
}

function readBundle(folder: string): BundledFile[] {
  const files = filesUnder(folder, 'js').filter((path) => /\.m?js$/.test(path));
  return files.map((path) => ({ path, text: readFileSync(`${folder}/${path}`, 'utf8') }));
}

/** The files that are loaded with an entry, before anything is asked of it. */
function loadedWith(entry: string, files: readonly BundledFile[]): BundledFile[] {
  const loaded = new Set<BundledFile>();
  const queue = [entry];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const path = next;
    const file = files.find((found) => found.path === path);
    if (file === undefined || loaded.has(file)) continue;
    loaded.add(file);
    const sites = importsOf(parse(path, file.text)).filter(({ how, from }) => how === 'static' && from.startsWith('.'));
    queue.push(...sites.map(({ from }) => posix.join(posix.dirname(path), from)));
  }
  return [...loaded];
}

const sizeOf = (files: readonly BundledFile[]) => files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

/** Throws unless the SDK is in the bundle, but not in what is loaded first. Gives both sizes in words. */
export function checkLazy(folder: string, entry: string): string {
  const files = readBundle(folder);
  const first = loadedWith(entry, files);
  if (first.length === 0) throw new Error(`There is no ${entry} in the bundle.`);
  if (!files.some(({ text }) => SDK.test(text))) throw new Error('The SDK is not in the bundle.');
  const early = first.filter(({ text }) => SDK.test(text));
  if (early.length > 0) throw new Error(`The SDK is loaded first, with ${early.map(({ path }) => path).join()}.`);
  return `${kilobytes(sizeOf(first))}, later ${kilobytes(sizeOf(files) - sizeOf(first))}`;
}

/** Throws when more is loaded of the library than the one function that was used. */
export function checkShaken(folder: string, entry: string): string {
  const first = loadedWith(entry, readBundle(folder));
  const size = sizeOf(first);
  if (first.some(({ text }) => SDK.test(text))) throw new Error('The SDK was not shaken off.');
  if (size === 0 || size > SMALL_BYTES) throw new Error(`One function of the library is ${size} bytes.`);
  return `one function ${kilobytes(size)}`;
}

/**
 * Throws when a bundle imports a module of Node's, or makes code from text. zod, which the SDK needs, asks in two places
 * whether it may, and does without where it may not: those are let pass here, and bundles are run where it is refused.
 */
export function checkNeedsNoNode(folder: string): void {
  const found = readBundle(folder).flatMap(({ path, text }) => unwelcomeIn(parse(path, text)));
  if (found.length > 0) throw new Error(`The bundle needs what is not everywhere: ${found.join(', ')}.`);
}

function unwelcomeIn(source: Source): string[] {
  const modules = importsOf(source).filter(({ how, from }) => how !== 'type' && !from.startsWith('.'));
  const found = modules.map(({ from }) => `import of '${from}'`);
  walk(source.tree, (node) => {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
    const called = node.expression.getText(source.tree).replace(/^globalThis\./, '');
    if (!['eval', 'Function', 'require'].includes(called)) return;
    if (called !== 'Function' || !isOfZod(source.text, node.pos)) found.push(`${called}()`);
  });
  return found.map((what) => `${what} in ${source.path}`);
}

/** Bundlers write before each module where it comes from. */
function isOfZod(text: string, position: number): boolean {
  const before = text.slice(0, position);
  return before.startsWith('node_modules/zod/', before.lastIndexOf('node_modules/'));
}
