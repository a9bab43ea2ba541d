import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** A fence of TypeScript with the marker before it, if there is one: `<!-- snippet: examples/agent.ts#region -->`. */
const FENCE =
  /(?:<!-- snippet: (?<file>[^\s#]+)#(?<region>\S+) -->\n+)?(?<open>^ *```(?:ts|typescript|tsx)\b.*\n)(?<code>[\s\S]*?)^ *```$/gm;

export interface Page {
  /** The page as it should be. */
  readonly text: string;
  /** Lines of the page, as it is, whose fence of TypeScript comes from no example. */
  readonly unmarked: readonly number[];
}

export function pages(): string[] {
  const docs = readdirSync(`${root}docs`).filter((name) => name.endsWith('.md'));
  return ['README.md', ...docs.map((name) => `docs/${name}`)];
}

export function read(path: string): string {
  return readFileSync(root + path, 'utf8');
}

/** The lines between `// #region name` and `// #endregion`, without the indentation they share. */
export function regionOf(source: string, name: string): string {
  const lines = source.split('\n');
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`);
  const length = lines.slice(start + 1).findIndex((line) => /^\s*\/\/ #endregion/.test(line));
  if (start < 0 || length < 0) throw new Error(`There is no region ${name}: add // #region ${name} and // #endregion.`);
  const region = lines.slice(start + 1, start + 1 + length);
  const indents = region.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const shared = Math.min(...indents);
  return region.map((line) => `${line.slice(shared)}\n`).join('');
}

/** A page with each marked fence filled from its example. */
export function synced(page: string, example: (path: string) => string): Page {
  const unmarked: number[] = [];
  const text = page.replace(FENCE, (...match) => {
    const { file, region, open, code } = match.at(-1) as Record<string, string | undefined>;
    const [whole, offset] = [match[0] as string, match.at(-3) as number];
    if (file === undefined || region === undefined) {
      unmarked.push(page.slice(0, offset).split('\n').length);
      return whole;
    }
    return whole.replace(`${open}${code}`, () => `${open}${regionOf(example(file), region)}`);
  });
  return { text, unmarked };
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  for (const path of pages()) writeFileSync(root + path, synced(read(path), read).text);
}
