/**
 * `npm run test:runtimes [-- name …]`: packs the library, installs the tarball into a project of its own and runs one
 * scenario with it on every runtime. The last line is `N passed, N failed`; the exit code is 0 when nothing failed.
 */
import { chromiumRow } from './rows/chromium.js';
import { processRows } from './rows/processes.js';
import { type Context, check, type Ran, type Row } from './rows/row.js';
import { workerRows } from './rows/workers.js';
import { startServers } from './servers.js';
import { findChromium } from './setup/chromium.js';
import { createConsumer } from './setup/consumer.js';
import { installRuntimes } from './setup/install.js';
import { table } from './table.js';

const ROWS: readonly Row[] = [...processRows, ...workerRows, chromiumRow];
const SIDE_BY_SIDE = 2;
/** The installation included, which takes most of it the first time. */
const WHOLE_MS = 600_000;

interface Result extends Ran {
  readonly name: string;
  readonly ms: number;
}

function chosen(words: readonly string[]): readonly Row[] {
  const has = (row: Row, word: string) => row.name.toLowerCase().includes(word.toLowerCase());
  const unknown = words.filter((word) => !ROWS.some((row) => has(row, word)));
  if (unknown.length > 0) {
    finish(
      0,
      1,
      `No runtime has ${unknown.join(', ')} in its name. There are: ${ROWS.map(({ name }) => name).join('; ')}`,
    );
  }
  return words.length === 0 ? ROWS : ROWS.filter((row) => words.some((word) => has(row, word)));
}

async function runRow(row: Row, context: Context): Promise<Result> {
  const startedAt = Date.now();
  const took = () => Date.now() - startedAt;
  const servers = await startServers();
  try {
    const ran = await row.run(servers.stand, context);
    const left = await servers.settled().then(
      () => '',
      (error: unknown) => String(error),
    );
    const settled = check('nothing is left on the servers', left === '', left);
    return { ...ran, name: row.name, checks: [...ran.checks, settled], ms: took() };
  } catch (error) {
    const failure = check(
      'runs the scenario to its end',
      false,
      error instanceof Error ? error.message : String(error),
    );
    return { name: row.name, version: '—', checks: [failure], ms: took() };
  } finally {
    await servers.close();
  }
}

async function runAll(rows: readonly Row[], context: Context): Promise<readonly Result[]> {
  const results: Result[] = [];
  const queue = rows.entries();
  const work = async () => {
    for (const [index, row] of queue) {
      results[index] = await runRow(row, context);
      print(results[index]);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  return results;
}

function print({ name, version, checks }: Result): void {
  console.log(`\n${name} (${version})`);
  for (const { name: title, ok, ms, error } of checks) {
    console.log(
      `  ${ok ? 'ok    ' : 'NOT OK'} ${title}${ms === undefined ? '' : ` (${ms} ms)`}${error === undefined ? '' : `\n${error.replace(/^/gm, '         ')}`}`,
    );
  }
}

function finish(passed: number, failed: number, note: string): never {
  console.log(`\n${note}\n\n${passed} passed, ${failed} failed`);
  process.exit(failed === 0 ? 0 : 1);
}

async function main(): Promise<never> {
  const rows = chosen(process.argv.slice(2));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  setTimeout(() => finish(0, 1, `Not done after ${WHOLE_MS} ms`), WHOLE_MS).unref();
  console.log('Installing the runtimes and the packed library …');
  const chromium = rows.includes(chromiumRow) ? findChromium() : Promise.reject(new Error('Not asked for'));
  // Its row tells.
  chromium.catch(() => {});
  const [consumer] = await Promise.all([createConsumer(), installRuntimes(), chromium.catch(() => {})]);
  console.log(`Installed: ${consumer.installed.join(', ')}`);
  const results = await runAll(rows, { consumer, chromium });
  const counted = results.map(({ name, version, checks, ms }) => {
    const failed = checks.filter(({ ok }) => !ok).length;
    return { cells: [name, version, checks.length - failed, failed, ms], failed, passed: checks.length - failed };
  });
  const passed = counted.reduce((sum, row) => sum + row.passed, 0);
  const failed = counted.reduce((sum, row) => sum + row.failed, 0);
  const header = ['Runtime', 'Version', 'Passed', 'Failed', 'ms'];
  finish(
    passed,
    failed,
    table(
      header,
      counted.map(({ cells }) => cells),
    ),
  );
}

main().catch((error: unknown) => finish(0, 1, error instanceof Error ? (error.stack ?? error.message) : String(error)));
