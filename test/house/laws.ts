import { builtinModules } from 'node:module';
import { posix } from 'node:path';
import ts from 'typescript';
import { at, type ImportSite, importsOf, type Source, walk } from './files.js';

/** A law reads one file and answers with what breaks it, one line for each place. */
export type Law = (source: Source) => string[];

/** Ground first. A file imports from its own floor and from floors below it. */
const FLOORS: readonly string[] = [
  'core',
  'telemetry',
  'guard',
  'config',
  'schema',
  'stores',
  'journal',
  'transports',
  'connection',
  'catalog',
  'calls',
  'toolset',
  'adapters',
  'serving',
  'testing',
  'cli',
  'entries',
];

/** Files that no entry for every runtime reaches at once: the one place for `node:` modules. */
const NODE_FILES: readonly string[] = [
  'testing/faults/node-http.ts',
  'transports/config-files.ts',
  'transports/pinned-lookup.ts',
  'transports/stdio/disk.ts',
  'transports/stdio/host.ts',
];

const MAX_FILE_LINES = 250;
const MAX_FUNCTION_LINES = 50;

function isEntry(path: string): boolean {
  return !path.includes('/');
}

function isUnder(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`));
}

function floorOf(path: string): number {
  return FLOORS.indexOf(isEntry(path) ? 'entries' : (path.split('/')[0] ?? ''));
}

/** Type imports obey this like all others. */
export const keepsToItsFloor: Law = (source) => {
  const own = floorOf(source.path);
  if (own < 0) return [`${source.path} is on no floor`];
  const problems: string[] = [];
  for (const site of importsOf(source)) {
    if (site.from === '' || site.from.startsWith('mcp-toolset')) {
      problems.push(at(source, site.node, `imports ${site.from === '' ? 'a computed name' : 'its own package'}`));
    }
    if (!site.from.startsWith('.')) continue;
    const target = posix.join(posix.dirname(source.path), site.from);
    const floor = floorOf(target);
    if (floor < 0 || floor > own || target.startsWith('..')) {
      problems.push(at(source, site.node, `climbs to ${target}`));
    }
  }
  return problems;
};

export const staysShort: Law = (source) => {
  const lines = source.text.trimEnd().split('\n').length;
  return lines > MAX_FILE_LINES ? [`${source.path} has ${lines} lines, more than ${MAX_FILE_LINES}`] : [];
};

export const hasShortFunctions: Law = (source) => {
  const problems: string[] = [];
  walk(source.tree, (node) => {
    if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return;
    const first = source.tree.getLineAndCharacterOfPosition(node.getStart(source.tree)).line;
    const lines = source.tree.getLineAndCharacterOfPosition(node.end).line - first + 1;
    if (lines > MAX_FUNCTION_LINES) problems.push(at(source, node, `function of ${lines} lines`));
  });
  return problems;
};

export const leavesTheConsoleAlone: Law = (source) => {
  if (source.path === 'core/diagnostics.ts' || isUnder(source.path, ['cli'])) return [];
  const problems: string[] = [];
  walk(source.tree, (node) => {
    if (ts.isIdentifier(node) && node.text === 'console') problems.push(at(source, node, 'uses the console'));
  });
  return problems;
};

const TEXT_TESTS = new Set(['includes', 'indexOf', 'search', 'match', 'matchAll', 'startsWith', 'endsWith', 'split']);
const PATTERN_TESTS = new Set([...TEXT_TESTS, 'test', 'exec']);
const TEXT_CHANGES = new Set(['toLowerCase', 'toUpperCase', 'trim', 'normalize', 'slice', 'toString']);

/** An error is told apart by its code or class. Its message is for people and changes between versions. */
export const readsNoMessages: Law = (source) => {
  const problems: string[] = [];
  walk(source.tree, (node) => {
    const named = ts.isPropertyAccessExpression(node) && node.name.text === 'message';
    if (named && isJudged(widest(node))) problems.push(at(source, node, 'decides by the text of a message'));
  });
  return problems;
};

/** The expression that still holds the message's text: through parentheses, casts, defaults and changes of case. */
function widest(node: ts.Expression): ts.Expression {
  const parent = node.parent;
  const isDefault = ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken;
  if (
    ts.isParenthesizedExpression(parent) ||
    ts.isAsExpression(parent) ||
    ts.isNonNullExpression(parent) ||
    isDefault
  ) {
    return widest(parent);
  }
  if (
    ts.isPropertyAccessExpression(parent) &&
    TEXT_CHANGES.has(parent.name.text) &&
    ts.isCallExpression(parent.parent)
  ) {
    return widest(parent.parent);
  }
  return node;
}

function isJudged(node: ts.Expression): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent)) return TEXT_TESTS.has(parent.name.text);
  if (ts.isSwitchStatement(parent)) return parent.expression === node;
  if (ts.isCallExpression(parent) && ts.isPropertyAccessExpression(parent.expression)) {
    return PATTERN_TESTS.has(parent.expression.name.text);
  }
  if (!ts.isBinaryExpression(parent)) return false;
  return /^[!=]==?$/.test(parent.operatorToken.getText()) && (isText(parent.left) || isText(parent.right));
}

/** Whether there is a message at all may be asked. */
function isText(node: ts.Expression): boolean {
  return (ts.isStringLiteralLike(node) && node.text !== '') || ts.isTemplateExpression(node);
}

export const saysWhatItTakes: Law = (source) => {
  const problems: string[] = [];
  walk(source.tree, (node) => {
    if (node.kind === ts.SyntaxKind.AnyKeyword) problems.push(at(source, node, 'uses any'));
  });
  return problems;
};

/** State belongs to a toolset. The one exception is the registry of transports, which is the page's or process's. */
export const holdsNoModuleState: Law = (source) => {
  if (source.path === 'transports/registry.ts') return [];
  const problems: string[] = [];
  for (const statement of source.tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const fixed = (statement.declarationList.flags & ts.NodeFlags.Const) !== 0;
    for (const declaration of statement.declarationList.declarations) {
      if (!fixed || canChange(declaration)) problems.push(at(source, declaration, 'is state of the module'));
    }
  }
  walk(source.tree, (node) => {
    if (!ts.isPropertyDeclaration(node)) return;
    const words = node.modifiers?.map((modifier) => modifier.kind) ?? [];
    if (words.includes(ts.SyntaxKind.StaticKeyword) && !words.includes(ts.SyntaxKind.ReadonlyKeyword)) {
      problems.push(at(source, node, 'is state of the class'));
    }
  });
  return problems;
};

function canChange(declaration: ts.VariableDeclaration): boolean {
  const value = declaration.initializer;
  if (value === undefined) return false;
  if (ts.isNewExpression(value)) {
    const made = value.expression.getText();
    if (made === 'Map' || made === 'Set') return !declaration.type?.getText().startsWith(`Readonly${made}<`);
    return ['WeakMap', 'WeakSet', 'Array', 'AbortController'].includes(made);
  }
  if (ts.isArrayLiteralExpression(value)) return value.elements.length === 0;
  return ts.isObjectLiteralExpression(value) && value.properties.length === 0;
}

/** Packages that a file may load at run time only where named here, and only when they are needed. */
const ON_DEMAND: Readonly<Record<string, readonly string[]>> = {
  '@modelcontextprotocol/client': ['transports', 'connection'],
  '@modelcontextprotocol/server': ['serving'],
  '@modelcontextprotocol/core': [],
  zod: ['config'],
};

/**
 * Files that import parts of such a package by name and are themselves imported on demand: bundlers then leave the
 * package's other parts out, which they cannot do for an import on demand of the package itself.
 */
const PARTS: readonly string[] = [
  'config/files/schemas.ts',
  'transports/sdk-parts.ts',
  'transports/sdk-oauth-parts.ts',
];

/** Importing the root entry, or waking from storage, loads neither the protocol's client nor a schema library. */
export const loadsTheSdkLate: Law = (source) => {
  const problems: string[] = [];
  for (const site of importsOf(source).filter(({ how }) => how !== 'type')) {
    const target = posix.join(posix.dirname(source.path), site.from).replace(/\.js$/, '.ts');
    const name = Object.keys(ON_DEMAND).find((known) => site.from === known || site.from.startsWith(`${known}/`));
    const late = site.how === 'dynamic' || PARTS.includes(source.path);
    if (site.how === 'static' && PARTS.includes(target))
      problems.push(at(source, site.node, `loads ${target} at once`));
    if (name === undefined) continue;
    if (!late) problems.push(at(source, site.node, `loads ${site.from} at once`));
    else if (!isUnder(source.path, ON_DEMAND[name] ?? [])) problems.push(at(source, site.node, `loads ${site.from}`));
  }
  return problems;
};

export const needsNoNode: Law = (source) => {
  if (NODE_FILES.includes(source.path)) return [];
  const needs = (site: ImportSite) => site.from.startsWith('node:') || builtinModules.includes(site.from);
  const sites = importsOf(source).filter(needs);
  return sites.map((site) => at(source, site.node, `imports ${site.from}`));
};

/** A session comes as an argument. What follows a caller unseen is lost, or another's, where requests share work. */
export const passesContextByHand: Law = (source) => {
  const names = /AsyncLocalStorage|async_hooks/.exec(source.text);
  return names === null ? [] : [`${source.path} names ${names[0]}`];
};

export const entriesReExport: Law = (source) => {
  if (!isEntry(source.path)) return [];
  const own = source.tree.statements.filter(
    (statement) => !ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined,
  );
  return own.map((statement) => at(source, statement, 'is more than a re-export'));
};
