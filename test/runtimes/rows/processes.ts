import { existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { markedWith } from '../scenario/marked.js';
import type { Check, Stand } from '../scenario/scenario.js';
import { CANARY, type StdioStand } from '../scenario/stdio-stand.js';
import type { StoresStand } from '../scenario/stores-stand.js';
import { type Ended, run } from '../setup/command.js';
import { RUNTIMES } from '../setup/install.js';
import { check, ROW_MS, type Row } from './row.js';

interface Program {
  readonly name: string;
  /** What the version must begin with: a fallback to another program of the same name would be seen. */
  readonly version: string;
  /** Below `node_modules`. */
  readonly path: string;
  readonly args: readonly string[];
}

const NODES = [20, 22, 24, 26].map((major) => ({
  name: `Node ${major}`,
  version: `${major}.`,
  path: `node${major}/bin/node`,
  args: [],
}));

const PROGRAMS: readonly Program[] = [
  ...NODES,
  // Not `bun run`, which puts folders of its own before the PATH.
  { name: 'Bun', version: '1.', path: '.bin/bun', args: [] },
  { name: 'Deno', version: '2.', path: '.bin/deno', args: ['run', '-A', '--no-check', '--node-modules-dir=manual'] },
];

const SERVERS_NODE = join(RUNTIMES, 'node_modules/node22/bin/node');
const EVERYTHING = join(RUNTIMES, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const SCRIPTED = fileURLToPath(new URL('../../support/stdio-server.mjs', import.meta.url));

export const processRows: readonly Row[] = PROGRAMS.map((program) => ({
  name: program.name,
  run: async (stand, { consumer: { folder } }) => {
    const path = join(RUNTIMES, 'node_modules', program.path);
    if (!existsSync(path)) {
      const platform = `${process.platform} ${process.arch}`;
      throw new Error(`node_modules/${program.path} is missing: npm installed no ${program.name} for ${platform}`);
    }
    const start: Start = (file, env) =>
      run(path, [...program.args, file], { cwd: folder, env: { ...homeIn(folder), ...env }, timeoutMs: ROW_MS });
    const { version, checks } = await runHttp(start, stand);
    const right = check('is the runtime asked for', version.startsWith(program.version), `It is ${version}`);
    const stdio = await runStdio(start, folder);
    const stores = await runStores(start, folder, {
      program: path,
      args: program.args,
      without: program.version === '20.',
    });
    return { version, checks: [...checks, right, ...stdio, ...stores] };
  },
}));

type Start = (file: string, env: Readonly<Record<string, string>>) => Promise<Ended>;

function homeIn(folder: string) {
  const home = join(folder, 'home');
  return { HOME: home, DENO_DIR: home, DENO_NO_UPDATE_CHECK: '1' };
}

async function runHttp(start: Start, stand: Stand) {
  const ended = await start('process.js', { PATH: '', STAND: JSON.stringify(stand) });
  const { version, checks } = reportIn<{ readonly version: string; readonly checks: readonly Check[] }>(ended);
  return { version, checks: [...checks, endsByItself('the process', ended)] };
}

/** The servers run on one and the same Node; what is tried is who starts them. */
async function runStdio(start: Start, folder: string): Promise<readonly Check[]> {
  const mine = mkdtempSync(join(folder, 'stdio-'));
  const inherited = {
    HOME: homeIn(folder).HOME,
    LOGNAME: 'somebody',
    PATH: `${dirname(SERVERS_NODE)}:/usr/bin:/bin`,
    SHELL: '/bin/sh',
    TERM: 'dumb',
    USER: 'somebody',
  };
  mkdirSync(inherited.HOME, { recursive: true });
  const stand: StdioStand = {
    node: SERVERS_NODE,
    everything: EVERYTHING,
    scripted: SCRIPTED,
    folder: mine,
    inherited,
  };
  const env = { ...inherited, [CANARY]: 'a secret', NODE_OPTIONS: '--no-warnings', STAND: JSON.stringify(stand) };
  try {
    const ended = await start('stdio.js', env);
    const { checks } = reportIn<{ readonly checks: readonly Check[] }>(ended);
    return [...checks, endsByItself('stdio: the process', ended), leavesNobody(await start('leave.js', env))];
  } finally {
    // A check that failed has said so; nobody of it stays on the machine.
    for (const pid of markedWith(mine)) process.kill(pid, 'SIGKILL');
  }
}

async function runStores(start: Start, folder: string, how: Omit<StoresStand, 'folder'>): Promise<readonly Check[]> {
  const mine = mkdtempSync(join(folder, 'stores-'));
  const ended = await start('stores.js', { PATH: '', STAND: JSON.stringify({ ...how, folder: mine }) });
  const { checks } = reportIn<{ readonly checks: readonly Check[] }>(ended);
  return [...checks, endsByItself('stores: the process', ended)];
}

function leavesNobody(ended: Ended): Check {
  const { mark, running } = reportIn<{ readonly mark: string; readonly running: number }>(ended);
  const left = markedWith(mark).length;
  const error = `${howItEnded(ended)}; there were ${running}, and ${left} are left`;
  return check('stdio: a host that exits takes the tree with it', running === 3 && left === 0, error);
}

function endsByItself(who: string, ended: Ended): Check {
  return check(`${who} ends by itself`, ended.code === 0, `${howItEnded(ended)}:\n${ended.stderr}`);
}

function howItEnded({ code, timedOut }: Ended): string {
  return timedOut ? `It still ran after ${ROW_MS} ms` : `Exit code ${code}`;
}

/** The report is the last line. */
function reportIn<T>(ended: Ended): T {
  try {
    return JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? '');
  } catch {
    throw new Error(`It printed no report. ${howItEnded(ended)}:\n${ended.stdout}\n${ended.stderr}`);
  }
}
