import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../house/files.js';
import { openWorkshop } from '../consumers/project.js';
import { cases, checkOutput, ERAS, type Stage, startServer } from './cases.js';
import { type Deployed, deploy } from './wrangler.js';

/** Where the example names its server, in its configuration. */
const VARS = '{ "docs": "https://docs.example.com/mcp" }';

let passed = 0;
let failed = 0;

async function judge(title: string, run: () => Promise<void> | void): Promise<void> {
  try {
    await run();
    passed += 1;
    console.log(`passed  ${title}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED  ${title}\n${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The example as it is, with the packed library and with servers of ours in its vars. */
function prepare(folder: string, servers: Stage['servers']): void {
  const path = join(folder, 'wrangler.jsonc');
  const config = readFileSync(path, 'utf8');
  if (!config.includes(VARS)) throw new Error(`The example's configuration no longer has ${VARS}.`);
  const urls = Object.fromEntries(ERAS.map((era) => [era, servers[era].url]));
  writeFileSync(path, config.replace(VARS, JSON.stringify(urls)));
}

const servers = { modern: await startServer('modern'), legacy: await startServer('legacy') };
const workshop = await openWorkshop();
let worker: Deployed | undefined;
try {
  const folder = await workshop.project('worker', join(root, 'examples/worker'));
  prepare(folder, servers);
  worker = await deploy(folder);
  const stage: Stage = { worker, servers };
  for (const { title, run } of cases) {
    for (const era of ERAS) await judge(`${era}: ${title}`, () => run(stage, era));
  }
} finally {
  await worker?.close();
  await Promise.all(ERAS.map((era) => servers[era].close()));
  workshop.remove();
}
const output = worker.output();
await judge('nothing is logged that nobody took', () => checkOutput(output));
if (failed > 0) console.log(`\nwrangler wrote:\n${output}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
