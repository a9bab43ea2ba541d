import { fileURLToPath } from 'node:url';
import { startSdkServer } from '../../support/sdk-servers.js';
import { installRuntimes } from '../setup/install.js';
import { bundlers } from './bundlers.js';
import { compilers } from './compilers.js';
import { type Consumer, program } from './consumer.js';
import { openWorkshop, type Workshop } from './project.js';
import { NODE_22, versionOf } from './tools.js';
import { workers } from './workers.js';

const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url));
/** `npm run test:consumers [-- word …]`: all of them, or those with such a word in their names. */
const words = process.argv.slice(2);
/** What the scenario says of the two servers. */
const EXPECTED = ['modern 12 hello tool-error', 'legacy 12 hello tool-error'].join('\n');
/** Each of them keeps a processor busy. */
const AT_ONCE = 2;

const all: readonly Consumer[] = [
  program('Node, import', process.execPath, () => process.versions.node, 'program.js'),
  program('Node, import', NODE_22, () => versionOf('node22'), 'program.js'),
  program('Node, require()', NODE_22, () => versionOf('node22'), 'program.cjs'),
  ...bundlers,
  ...workers,
  ...compilers,
];
const consumers = all.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (consumers.length === 0) throw new Error(`No consumer is named ${words.join(' or ')}.`);

interface Row {
  readonly consumer: Consumer;
  readonly built: string;
  readonly ran: string;
  readonly note: string;
  readonly error?: unknown;
}

async function judge(consumer: Consumer, workshop: Workshop, urls: readonly string[]): Promise<Row> {
  let built = consumer.build === undefined ? '-' : 'no';
  let note = '';
  try {
    const folder = await workshop.project(consumer.project, FIXTURES);
    if (consumer.build !== undefined) {
      note = await consumer.build(folder);
      built = 'yes';
    }
    const printed = await consumer.run(folder, urls);
    if (printed !== EXPECTED) throw new Error(`It printed\n${printed}\nwhere this was to be expected:\n${EXPECTED}`);
    return { consumer, built, ran: 'yes', note };
  } catch (error) {
    return { consumer, built, ran: 'no', note, error };
  }
}

/** Runs all of them, a few at a time, and gives their rows in order. */
async function judgeAll(workshop: Workshop, urls: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  const queue = [...consumers.entries()];
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      rows[next[0]] = await judge(next[1], workshop, urls);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return rows;
}

function table(rows: readonly Row[]): string {
  const cells = rows.map(({ consumer, built, ran, note }) => [consumer.name, consumer.version(), built, ran, note]);
  const lines = [['consumer', 'version', 'built', 'ran', ''], ...cells];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

await installRuntimes();
const servers = await Promise.all([startSdkServer({ mode: 'modern-only' }), startSdkServer({ mode: 'legacy-only' })]);
const workshop = await openWorkshop();
try {
  const rows = await judgeAll(
    workshop,
    servers.map(({ url }) => url),
  );
  const failed = rows.filter(({ error }) => error !== undefined);
  for (const { consumer, error } of failed) {
    console.error(
      `\n${consumer.name} ${consumer.version()}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  console.log(`\n${table(rows)}\n`);
  console.log(`${rows.length - failed.length} passed, ${failed.length} failed`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} finally {
  workshop.remove();
  await Promise.all(servers.map((server) => server.close()));
}
