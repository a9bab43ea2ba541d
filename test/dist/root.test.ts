import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { bundle, bundleSplit, outsideOf } from '../house/bundle.js';
import { filesUnder, importsOf, parse, root, type Source, walk } from '../house/files.js';
import { passesContextByHand } from '../house/laws.js';
import { entries } from '../house/package.js';

const dist = `${root}dist`;

function readBuilt(path: string): Source {
  return parse(path, readFileSync(`${dist}/${path}`, 'utf8'));
}

/** Built files that a file reaches, itself first, and the packages they import. */
function reach(
  path: string,
  how: readonly string[],
  seen = new Set<string>(),
): { files: string[]; packages: string[] } {
  const packages = new Set<string>();
  const queue = [path];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    for (const site of importsOf(readBuilt(next)).filter((found) => how.includes(found.how))) {
      if (site.from.startsWith('.')) queue.push(posix.join(posix.dirname(next), site.from));
      else packages.add(site.from);
    }
  }
  return { files: [...seen], packages: [...packages].sort() };
}

/** What would need Node, or code made from text, in one of our own files. */
function unwelcomeIn(source: Source): string[] {
  const found: string[] = [];
  walk(source.tree, (node) => {
    if (ts.isIdentifier(node) && ['Buffer', 'process', 'require', '__dirname', 'AsyncLocalStorage'].includes(node.text))
      found.push(node.text);
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return;
    if (ts.isIdentifier(node.expression) && ['Function', 'eval'].includes(node.expression.text)) {
      found.push(node.expression.text);
    }
  });
  return found;
}

it('what is unwelcome is found, and only that', () => {
  const text = `new Function('a'); Function('a'); eval('a'); Buffer.from('a'); import('node:fs');`;
  expect(unwelcomeIn(parse('a.js', text))).toEqual(['Function', 'Function', 'eval', 'Buffer']);
  expect(unwelcomeIn(parse('a.js', `// Buffer\nconst a = 'eval'; value instanceof Function;`))).toEqual([]);
});

it('no file that the root entry reaches needs Node or makes code from text', () => {
  const { files, packages } = reach('index.js', ['static', 'dynamic']);
  expect(files.flatMap((path) => unwelcomeIn(readBuilt(path)).map((word) => `${path}: ${word}`))).toEqual([]);
  expect(packages.filter((name) => /^node:|child_process|cross-spawn/.test(name))).toEqual([]);
});

it('no built file follows its caller by `AsyncLocalStorage`', () => {
  const files = [...filesUnder(dist, '.js'), ...filesUnder(dist, '.d.ts')].map((path) => readBuilt(path));
  expect(files.length).toBeGreaterThan(entries.length);
  expect(files.flatMap(passesContextByHand)).toEqual([]);
});

it('importing the root entry loads neither the SDK nor zod', () => {
  const { packages } = reach('index.js', ['static']);
  expect(packages.filter((name) => /^@modelcontextprotocol\/|^zod/.test(name))).toEqual([]);
  const late = reach('index.js', ['static', 'dynamic']).packages;
  expect(late).toEqual(expect.arrayContaining(['@modelcontextprotocol/client', 'zod/mini', 'strip-json-comments']));
});

it('a bundle for Workers holds no built-in module, with all its dependencies', async () => {
  const root = await bundle(`export * from './dist/index.js'`);
  expect(outsideOf(root)).toEqual([]);
  expect(Object.keys(root.inputs).filter((path) => /cross-spawn|\/ajv\/|child_process/.test(path))).toEqual([]);
});

it('T6 in a bundle that is split, what loads first holds nothing that only configuration files need', async () => {
  const chunks = await bundleSplit(`export * from './dist/index.js'`);
  const files = (from: readonly string[]) =>
    from.filter((path) => /\/zod\/|strip-json-comments|\/dist\/(?:parse|schemas)-/.test(path));
  expect(files(chunks.first)).toEqual([]);
  expect(files(chunks.later).length).toBeGreaterThan(3);
});

it('a bundle with a built-in module would be seen', async () => {
  expect(outsideOf(await bundle(`import 'node:fs'; export * from './dist/index.js'`))).toEqual(['node:fs']);
});

it('every entry has its files', () => {
  const built = filesUnder(dist, '').map((path) => `./dist/${path}`);
  const expected = entries.flatMap(({ file }) => [file, file.replace(/\.js$/, '.d.ts')]);
  expect(expected.filter((path) => !built.includes(path))).toEqual([]);
});
