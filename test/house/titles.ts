import ts from 'typescript';
import { at, type Source, walk } from './files.js';

const TESTS = new Set(['it', 'test']);
const GROUPS = new Set(['describe', 'suite']);
const WAYS_OUT = new Set(['skip', 'todo', 'only', 'fails']);
const CONDITIONS = new Set(['skipIf', 'runIf']);
const SHORT_WAYS_OUT = new Set(['xit', 'xtest', 'xdescribe', 'fit', 'fdescribe']);

/** The families of rules, as their ids begin. */
const RULE_ID = /\b[WNLDPRCASGTVO]\d{1,2}\b/g;

/**
 * The titles of a file's tests: of `it` and `test`, also through `.each`, `.for`, `.concurrent`. Those of tests that run
 * only under a condition are left out: a rule counts as proven by a test that runs everywhere.
 */
export function titlesOf(source: Source): string[] {
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    const [first = '', ...rest] = ts.isCallExpression(node) ? chainOf(node.expression) : [];
    if (rest.some((name) => CONDITIONS.has(name))) return;
    if (ts.isCallExpression(node) && TESTS.has(first)) titles.push(...textsOf(node.arguments[0]));
    ts.forEachChild(node, visit);
  };
  visit(source.tree);
  return titles;
}

function textsOf(title: ts.Expression | undefined): string[] {
  if (title === undefined) return [];
  if (ts.isStringLiteralLike(title)) return [title.text];
  if (!ts.isTemplateExpression(title)) return [];
  return [title.head.text, ...title.templateSpans.map((span) => span.literal.text)];
}

/** `it.skip.each(rows)` gives it, skip, each. */
function chainOf(node: ts.Expression): string[] {
  if (ts.isIdentifier(node)) return [node.text];
  if (ts.isPropertyAccessExpression(node)) return [...chainOf(node.expression), node.name.text];
  if (ts.isCallExpression(node)) return chainOf(node.expression);
  return ts.isTaggedTemplateExpression(node) ? chainOf(node.tag) : [];
}

export function rulesIn(titles: readonly string[]): Set<string> {
  return new Set(titles.flatMap((title) => title.match(RULE_ID) ?? []));
}

/** Tests that are left out, put off or run alone, by a chained word, by an option or from inside the test. */
export function leftOut(source: Source): string[] {
  const problems: string[] = [];
  walk(source.tree, (node) => {
    if (!ts.isCallExpression(node)) return;
    const [first = '', ...rest] = chainOf(node.expression);
    const runner = TESTS.has(first) || GROUPS.has(first);
    const word = rest.find((name) => WAYS_OUT.has(name));
    const fromInside = rest.length === 1 && rest[0] === 'skip';
    if (SHORT_WAYS_OUT.has(first)) problems.push(at(source, node, first));
    else if ((runner || fromInside) && word !== undefined) problems.push(at(source, node, `${first}.${word}`));
    else if (runner) problems.push(...optionsOut(source, node));
  });
  return problems;
}

function optionsOut(source: Source, call: ts.CallExpression): string[] {
  const names = call.arguments
    .filter(ts.isObjectLiteralExpression)
    .flatMap((options) => options.properties.map((property) => property.name?.getText(source.tree) ?? ''));
  return names.filter((name) => WAYS_OUT.has(name)).map((name) => at(source, call, `{ ${name} }`));
}
