// Runs the official conformance suite over `client.mjs`, for both revisions, and compares with `expected-failures.yaml`.
// The last line is `N passed, N failed`, in scenarios; the exit code is 0 when nothing failed that is not expected to.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { openGate } from './gate.mjs';
import { judge, readResults } from './judge.mjs';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const CLIENT_MS = 280_000;
const RUN_MS = 300_000;

const runtimes = fileURLToPath(new URL('..', import.meta.url));
const node = join(runtimes, 'node_modules/node22/bin/node');
const suite = join(runtimes, 'node_modules/@modelcontextprotocol/conformance');

/** Every scenario that the suite runs for a revision, those it does not score included. */
function scenariosOf(revision) {
  const { client, not_scored } = parse(readFileSync(join(suite, `requirements/${revision}.yaml`), 'utf8'));
  return [...client, ...not_scored.filter(({ leg }) => leg === 'client').map(({ scenario }) => scenario)];
}

async function runSuite(revision, count, output) {
  const gate = await openGate(count);
  const command = [node, '--import', './conformance/turn.mjs', './conformance/client.mjs'].join(' ');
  const options = ['--command', command, '--requirements', revision, '--timeout', `${CLIENT_MS}`, '-o', output];
  const child = spawn(node, [join(suite, 'dist/index.js'), 'client', ...options], {
    cwd: runtimes,
    env: { ...process.env, CONFORMANCE_GATE: `${gate.port}` },
    stdio: 'ignore',
    detached: true,
  });
  // The suite and the clients that it started are one group; it ends with all of them.
  const end = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {}
  };
  const timer = setTimeout(end, RUN_MS);
  process.once('exit', end);
  await once(child, 'exit');
  clearTimeout(timer);
  process.off('exit', end);
  end();
  gate.close();
}

const expected = parse(readFileSync(new URL('expected-failures.yaml', import.meta.url), 'utf8')).client;
const results = mkdtempSync(join(tmpdir(), 'conformance-'));
process.once('exit', () => rmSync(results, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

let passed = 0;
let failed = 0;
const unused = new Set(expected);
for (const revision of REVISIONS) {
  const output = join(results, revision);
  const scenarios = scenariosOf(revision);
  await runSuite(revision, scenarios.length, output);
  const verdict = judge(readResults(scenarios, output), expected);
  for (const entry of verdict.used) unused.delete(entry);
  for (const line of verdict.lines) console.log(`${revision} ${line}`);
  const { figures, checks } = verdict;
  console.log(
    `${revision}: ${figures.total} scenarios, ${figures.passed} passed, ${figures.expected} expected to fail, ` +
      `${figures.failed} failed; ${checks.passed} checks passed, ${checks.failed} failed, ${checks.warned} warned, ` +
      `${checks.skipped} skipped`,
  );
  passed += figures.passed;
  failed += figures.failed;
}
for (const entry of unused) console.log(`expected-failures.yaml: ${entry} names nothing that ran`);
failed += unused.size;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
