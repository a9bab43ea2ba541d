import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse, readSources, root } from './house/files.js';
import { leftOut, rulesIn, titlesOf } from './house/titles.js';

/** Rules that are done, and those that are begun, with what of them is done or still to come. */
const { done, begun }: { done: string[]; begun: Record<string, string> } = JSON.parse(
  readFileSync(`${root}test/rules-done.json`, 'utf8'),
);
const listed = [...done, ...Object.keys(begun)];
const tests = readSources(`${root}test`, '.test.ts');
const cited = rulesIn(tests.flatMap(titlesOf));

it('every rule that is done or begun is named in the title of a test', () => {
  expect(listed.filter((rule) => !cited.has(rule))).toEqual([]);
});

it('no title names a rule that rules-done.json does not list', () => {
  const unknown = tests.flatMap((source) => {
    const rules = [...rulesIn(titlesOf(source))].filter((rule) => !listed.includes(rule));
    return rules.map((rule) => `${source.path} names ${rule}`);
  });
  expect(unknown).toEqual([]);
});

it('no test is left out, put off or run alone', () => {
  const sources = [...readSources(`${root}test`), ...readSources(`${root}src`)];
  expect(sources.flatMap(leftOut)).toEqual([]);
});

it('every test file is one that a project of vitest.config.ts runs', () => {
  const runs = /^(unit|dist|e2e|workerd)\/.+\.test\.ts$|^types\/.+\.test-d\.ts$|^[^/]+\.test\.ts$/;
  const paths = readSources(`${root}test`).map((source) => source.path);
  const looksLikeATest = paths.filter((path) => /[.-](test|spec|test-d)\.ts$/.test(path));
  expect(looksLikeATest.filter((path) => !runs.test(path))).toEqual([]);
});

// The page of rules lies beside the repository where the library is worked on, and nowhere else.
const page = `${root}../shared/design/behaviour.md`;

it('every rule of the list is on the page of rules, where that is at hand', () => {
  const text = existsSync(page) ? readFileSync(page, 'utf8') : undefined;
  const known = text === undefined ? listed : [...text.matchAll(/^- ([A-Z]\d{1,2}) /gm)].map((match) => match[1]);
  expect(listed.filter((rule) => !known.includes(rule))).toEqual([]);
  expect(listed).toEqual([...new Set(listed)]);
});

it('titles are read from tests alone', () => {
  const source = parse(
    'a.test.ts',
    `// it('W1 in a comment')
     describe('W2 in a group', () => {
       it('W3 W5 said twice', () => {});
       test.each([1])('W6 %s', () => {});
       it.for([1]).concurrent(\`W7 \${name} W8\`, () => {});
       it(name, () => {});
       log('W9');
       it.skipIf(condition)('N1', () => {});
       describe.runIf(condition)('a', () => { it('N2', () => {}); });
     });`,
  );
  expect([...rulesIn(titlesOf(source))]).toEqual(['W3', 'W5', 'W6', 'W7', 'W8']);
});

it.each([
  `it.skip('a', () => {});`,
  `it.todo('a');`,
  `describe.only('a', () => {});`,
  `it.concurrent.only.each([1])('a', () => {});`,
  `it('a', { skip: true }, () => {});`,
  `it('a', (context) => context.skip());`,
  `xit('a', () => {});`,
])('a test left out is seen (%#)', (text) => {
  expect(leftOut(parse('a.test.ts', text))).not.toEqual([]);
});

it('a test that runs is not taken for one left out', () => {
  expect(
    leftOut(parse('a.test.ts', `it('a', { timeout: 5 }, () => { list.find(only); cursor.skip.now(); });`)),
  ).toEqual([]);
});
