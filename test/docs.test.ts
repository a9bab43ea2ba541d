import { expect, it } from 'vitest';
import { pages, read, regionOf, synced } from '../docs/sync.js';

it('every TypeScript snippet in the documents is a region of an example, word for word', () => {
  for (const path of pages()) {
    const page = read(path);
    const { text, unmarked } = synced(page, read);
    expect(page, `${path}: run npm run docs`).toBe(text);
    expect(unmarked, `${path}: lines of snippets that come from no example`).toEqual([]);
  }
});

it('the README begins with its two commands', () => {
  const commands = [...read('README.md').matchAll(/^\s*(?:\$ )?(npm .+)$/gm)].map((match) => match[1]);
  expect(commands.slice(0, 2)).toEqual(['npm ci && npm run demo', 'npm ci && npm test']);
});

const example = 'before\n  // #region one\n  a();\n\n    b();\n  // #endregion one\n// #region two\n$&\n// #endregion';
const marked = '# A\n\n<!-- snippet: examples/a.ts#one -->\n```ts\nold();\n```\n\nText.\n';

it('a marked snippet is filled from its example, and only its own lines change', () => {
  expect(synced(marked, () => example)).toEqual({ text: marked.replace('old();', 'a();\n\n  b();'), unmarked: [] });
  expect(synced(marked.replace('#one', '#two'), () => example).text).toContain('\n$&\n```');
});

it('a snippet without a marker is seen', () => {
  const page = `${marked}\n\`\`\`sh\nnpm ci\n\`\`\`\n\n\`\`\`ts\nc();\n\`\`\`\n`;
  expect(synced(page, () => example).unmarked).toEqual([14]);
});

it('a region that is not there is an error', () => {
  expect(() => regionOf(example, 'three')).toThrow('no region three');
});
