import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../house/files.js';
import { openWorkshop } from '../consumers/project.js';
import { installRuntimes } from '../setup/install.js';
import { cases, checkOutput, ERAS, type Stage, startServer } from './cases.js';
import { type Config, type Deployed, deployToDev, deployToWorkerd } from './wrangler.js';

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

/** The example's configuration with servers of ours in its vars. Comments in it have lines of their own. */
function configure(folder: string, servers: Stage['servers']): Config {
  const path = join(folder, 'wrangler.jsonc');
  const config: Config = JSON.parse(readFileSync(path, 'utf8').replaceAll(/^\s*\/\/.*$/gm, ''));
  const urls = Object.fromEntries(ERAS.map((era) => [era, servers[era].url]));
  if (Object.keys(config.vars).join() !== 'MCP_SERVERS') throw new Error('The example has other vars than it had.');
  const configured = { ...config, vars: { MCP_SERVERS: urls } };
  writeFileSync(path, JSON.stringify(configured));
  return configured;
}

async function judgeDeployment(folder: string, deploy: (config: Config) => Promise<Deployed>): Promise<void> {
  const servers = { modern: await startServer('modern'), legacy: await startServer('legacy') };
  let worker: Deployed | undefined;
  try {
    worker = await deploy(configure(folder, servers));
    const stage: Stage = { worker, servers };
    for (const { title, run } of cases) {
      for (const era of ERAS) await judge(`${worker.name}, ${era}: ${title}`, () => run(stage, era));
    }
  } finally {
    await worker?.close();
    await Promise.all(ERAS.map((era) => servers[era].close()));
  }
  const output = worker.output();

  await judge(`${worker.name}: nothing is logged but its requests`, () => checkOutput(output));
}

await installRuntimes();
const workshop = await openWorkshop();
try {
  const folder = await workshop.project('worker', join(root, 'examples/worker'));
  await judgeDeployment(folder, () => deployToDev(folder));
  await judgeDeployment(folder, (config) => deployToWorkerd(folder, config));
} finally {
  workshop.remove();
}
console.log('\nwrangler dev does not pass on that a client went away, so that W9 is shown in full by workerd alone.');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
