import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The repository's folder, with a slash at the end. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

/** A TypeScript file as text and as a tree; its path is relative to the folder it was read from, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
  readonly tree: ts.SourceFile;
}

export function parse(path: string, text: string): Source {
  return { path, text, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
}

/**
 * Paths of all files under a folder, sorted, relative to it, with forward slashes; installed packages are not looked into.
 * A folder that does not exist has none.
 */
export function filesUnder(folder: string, ending: string): string[] {
  return existsSync(folder) ? [...pathsIn(folder, '')].filter((path) => path.endsWith(ending)).sort() : [];
}

function* pathsIn(folder: string, prefix: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile()) yield `${prefix}${entry.name}`;
    else if (entry.isDirectory() && entry.name !== 'node_modules')
      yield* pathsIn(`${folder}/${entry.name}`, `${prefix}${entry.name}/`);
  }
}

export function readSources(folder: string, ending = '.ts'): Source[] {
  return filesUnder(folder, ending).map((path) => parse(path, readFileSync(`${folder}/${path}`, 'utf8')));
}

/** Calls `visit` for a node and for everything below it. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** One line for a report: where, and what is wrong there. */
export function at(source: Source, node: ts.Node, problem: string): string {
  const { line } = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree));
  return `${source.path}:${line + 1} ${problem}`;
}

export interface ImportSite {
  readonly node: ts.Node;
  readonly from: string;
  /** A type import leaves nothing in the built file; `import { type X }` does leave an import. */
  readonly how: 'static' | 'dynamic' | 'type';
}

/** Every import, re-export, dynamic import and import type of a file. */
export function importsOf(source: Source): ImportSite[] {
  const sites: ImportSite[] = [];
  walk(source.tree, (node) => {
    const site = importSite(node);
    if (site !== undefined) sites.push(site);
  });
  return sites;
}

function importSite(node: ts.Node): ImportSite | undefined {
  if (ts.isImportDeclaration(node)) {
    const typeOnly = node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
    return { node, from: textOf(node.moduleSpecifier), how: typeOnly ? 'type' : 'static' };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined) {
    return { node, from: textOf(node.moduleSpecifier), how: node.isTypeOnly ? 'type' : 'static' };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return { node, from: textOf(node.argument.literal), how: 'type' };
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return { node, from: textOf(node.arguments[0]), how: 'dynamic' };
  }
  return undefined;
}

/** The text of a string literal. Anything computed gives an empty string, which no law accepts as a module's name. */
function textOf(node: ts.Node | undefined): string {
  return node !== undefined && ts.isStringLiteralLike(node) ? node.text : '';
}
