import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `npm run bench [-- scenario …]`: installs the peers where missing, builds the library, runs the scenarios in turn. */
const BENCH = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SCENARIOS = ['connect', 'many', 'stall', 'calls', 'in-process', 'import', 'memory', 'tokens'];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !SCENARIOS.includes(name));
if (unknown.length > 0) {
  console.error(`No scenario ${unknown.join(', ')}. There are: ${SCENARIOS.join(', ')}.`);
  process.exit(2);
}

function run(command, args, options) {
  const { status } = spawnSync(command, args, { stdio: 'inherit', ...options });
  if (status !== 0) process.exit(status ?? 1);
}

// npm is a script of the shell's on Windows.
const npm = (args, cwd) => run('npm', args, { cwd, shell: process.platform === 'win32' });
if (!existsSync(`${BENCH}node_modules`)) npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], BENCH);
if (process.env.BENCH_LIBRARY === undefined) npm(['run', 'build', '--silent'], ROOT);
// The peers share one abort signal among all their requests, which Node warns of a thousand times over.
const flags = ['--expose-gc', '--disable-warning=MaxListenersExceededWarning'];
for (const name of wanted.length > 0 ? wanted : SCENARIOS) {
  run(process.execPath, [...flags, `${BENCH}scenarios/${name}.mjs`], { cwd: BENCH });
}
