import { execSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { root } from '../house/files.js';

it('the package holds the built files, the manifest, the licence and the pages that npm shows', () => {
  const printed = execSync('npm pack --dry-run --json --ignore-scripts', { cwd: root, encoding: 'utf8' });
  const [pack] = Object.values<{ files: { path: string }[] }>(JSON.parse(printed));
  const paths = (pack?.files ?? []).map(({ path }) => path);
  expect(paths.filter((path) => !path.startsWith('dist/')).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  expect(paths).toContain('dist/index.js');
  expect(paths).toContain('dist/index.d.ts');
});
