import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** What the suite wrote down of each scenario; `checks` is empty where it wrote nothing. */
export function readResults(scenarios, output) {
  return scenarios.map((scenario) => {
    const parent = join(output, dirname(scenario));
    const stamped = new RegExp(`^${basename(scenario)}-\\d{4}-\\d{2}-\\d{2}T`);
    const folder = existsSync(parent) ? readdirSync(parent).find((name) => stamped.test(name)) : undefined;
    const file = (name) => (folder === undefined ? '' : join(parent, folder, name));
    if (!existsSync(file('checks.json'))) return { scenario, checks: [], done: false, stderr: '' };
    const read = (name) => readFileSync(file(name), 'utf8');
    const done = read('stdout.txt').trimEnd().split('\n').at(-1) === 'done';
    return { scenario, checks: JSON.parse(read('checks.json')), done, stderr: read('stderr.txt') };
  });
}

const count = (checks, status) => checks.filter((check) => check.status === status).length;
const isBad = ({ status }) => status === 'FAILURE' || status === 'WARNING';

/** What is wrong with a scenario, as `scenario:check-id`; by its bare name where no check says so. */
function faultsOf({ scenario, checks, done }) {
  const faults = [...new Set(checks.filter(isBad).map(({ id }) => `${scenario}:${id}`))];
  if (faults.length > 0) return faults;
  // A scenario that checked nothing has not passed, and neither has a client that failed unnoticed.
  return done && count(checks, 'SUCCESS') > 0 ? [] : [scenario];
}

/**
 * Compares results with the failures that are expected: `scenario` for all of it, `scenario:check-id` for one check. A scenario
 * passes where nothing is wrong, and an expected failure that did not happen fails it.
 */
export function judge(results, expected) {
  const figures = { total: results.length, passed: 0, expected: 0, failed: 0 };
  const lines = [];
  const used = [];
  for (const result of results) {
    const { scenario } = result;
    const mine = expected.filter((entry) => entry === scenario || entry.startsWith(`${scenario}:`));
    used.push(...mine);
    const faults = faultsOf(result);
    const unexpected = faults.filter((fault) => !mine.includes(fault) && !mine.includes(scenario));
    const stale = mine.filter((entry) => (entry === scenario ? faults.length === 0 : !faults.includes(entry)));
    lines.push(...unexpected.map((fault) => `failed: ${fault}`), ...stale.map((entry) => `now passes: ${entry}`));
    if (unexpected.length > 0) lines.push(...result.stderr.trim().split('\n').slice(0, 20));
    figures[unexpected.length + stale.length > 0 ? 'failed' : mine.length > 0 ? 'expected' : 'passed'] += 1;
  }
  const all = results.flatMap(({ checks }) => checks);
  const checks = {
    passed: count(all, 'SUCCESS'),
    failed: count(all, 'FAILURE'),
    warned: count(all, 'WARNING'),
    skipped: count(all, 'SKIPPED'),
  };
  return { figures, checks, lines, used };
}
