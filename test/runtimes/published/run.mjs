// Connects to published servers over their own transport and prints a table. The last line is `N passed, N failed`, in servers.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check } from './check.mjs';
import { serversIn } from './servers.mjs';
import { start, versionOf } from './start.mjs';

const folder = mkdtempSync(join(tmpdir(), 'published-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

async function visit(server) {
  const home = join(folder, server.name);
  mkdirSync(home);
  const { type, config, tail, running, end } = await start(server, home);
  try {
    const { protocol, answer } = await check(server, config, running);
    return { type, protocol, answer };
  } catch (error) {
    throw new Error(`${error.message}\n${tail()}`, { cause: error });
  } finally {
    await end();
  }
}

const only = process.argv.slice(2);
const servers = serversIn(folder).filter(({ name }) => only.length === 0 || only.includes(name));
const rows = [['server', 'version', 'transport', 'era', 'tools', 'call']];
const faults = [];
for (const server of servers) {
  const row = [server.name, versionOf(server)];
  try {
    const { type, protocol, answer } = await visit(server);
    rows.push([...row, type, protocol, `${server.tools}`, answer || 'none']);
  } catch (error) {
    rows.push([...row, 'failed']);
    faults.push(`${server.name}: ${error.stack}`);
  }
}

const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
for (const row of rows)
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
for (const fault of faults) console.log(`\n${fault}`);
console.log(`${servers.length - faults.length} passed, ${faults.length} failed`);
process.exitCode = faults.length === 0 ? 0 : 1;
