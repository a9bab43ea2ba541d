import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { createFileMcpConnectionStore } from 'mcp-toolset/node';
import { storeContract } from 'mcp-toolset/testing';
import { errorOf, same } from './assertions.js';
import { SECRET, type StoresStand, type Task, version, versionOf } from './stores-stand.js';

const RACES = 200;
/** The first of them are over files that nobody has made yet. */
const NEW_FILES = 20;
const LEAD_MS = 4;
const KILLS = 100;
const WRITERS = 4;
const KILL_MS = 150;

export type StoreCheck = readonly [name: string, work: (stand: StoresStand) => Promise<void>];

function start({ program, args }: StoresStand, task: Task): ChildProcess {
  return spawn(program, [...args, 'stores-child.js'], {
    env: { ...process.env, TASK: JSON.stringify(task), MCP_SECRET: SECRET },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  return '';
}

async function contract({ folder }: StoresStand): Promise<void> {
  const store = createFileMcpConnectionStore(`${folder}/contract.db`);
  const cases = storeContract(() => store);
  for (const { run } of cases) await run();
  same(cases.length > 15, true);
  await store.close();
}

/** Two processes offer a baseline for a row that is not there yet. */
async function races(stand: StoresStand): Promise<void> {
  const children = ['one', 'two'].map((who) => start(stand, { kind: 'race', who }));
  try {
    const lines = children.map((child) => createInterface({ input: child.stdout! })[Symbol.asyncIterator]());
    const next = async (index: number) => String((await lines[index]!.next()).value);
    same(await Promise.all([next(0), next(1)]), ['ready', 'ready']);
    const won: Record<string, number> = { one: 0, two: 0 };
    for (let round = 0; round < RACES; round++) {
      const path = `${stand.folder}/race-${Math.min(round, NEW_FILES)}.db`;
      const line = JSON.stringify({ round, path, at: Date.now() + LEAD_MS });
      for (const child of children) child.stdin!.write(`${line}\n`);
      const [one, two] = (await Promise.all([next(0), next(1)])).map((answer) => JSON.parse(answer));
      same([one.round, two.round, one.baseline], [round, round, two.baseline]);
      won[one.baseline] = (won[one.baseline] ?? Number.NaN) + 1;
    }
    // Neither is always first, or there was no race.
    same([won.one! + won.two!, won.one! > 0, won.two! > 0], [RACES, true, true]);
  } finally {
    await Promise.all(children.map(end));
  }
}

async function cutOff(stand: StoresStand, path: string, number: number, statement: number): Promise<string> {
  const child = start(stand, { kind: 'cut-off', path, version: number, end: statement });
  const line = await firstLine(child);
  await end(child);
  return line;
}

/** A process that saves is killed before each of its statements in turn, those that make the tables included. */
async function killedAtEach(stand: StoresStand): Promise<void> {
  for (const before of [false, true]) {
    let statement = 0;
    for (let done = false; !done; statement++) {
      const path = `${stand.folder}/cut-off-${before}-${statement}.db`;
      if (before) {
        const first = createFileMcpConnectionStore(path);
        await first.save(version('old', 'recorded'));
        await first.close();
      }
      done = (await cutOff(stand, path, 1, statement)) === 'done';
      const store = createFileMcpConnectionStore(path);
      const row = await store.get('row');
      const found = row && [versionOf(row), row.toolFingerprints?.baseline];
      const next = ['1', before ? 'recorded' : 'other'];
      const allowed = before ? [['old', 'recorded'], next] : [undefined, next];
      same(
        allowed.some((each) => JSON.stringify(each) === JSON.stringify(found)),
        true,
      );
      if (done) same(found, next);
      await store.save(version('2', 'late'));
      same(versionOf((await store.get('row'))!), '2');
      await store.close();
    }
    same(statement > 8, true);
  }
}

/** Several processes write to one row, and are killed wherever they are. */
async function killedAtRandom(stand: StoresStand): Promise<void> {
  const path = `${stand.folder}/killed.db`;
  const store = createFileMcpConnectionStore(path);
  await store.save(version('first', 'recorded'));
  const seen = new Set<string>();
  for (let kills = 0; kills < KILLS; kills += WRITERS) {
    const children = Array.from({ length: WRITERS }, (_, index) =>
      start(stand, { kind: 'write', path, who: `writer ${kills + index}` }),
    );
    same(await Promise.all(children.map(firstLine)), Array(WRITERS).fill('ready'));
    await Promise.all(
      children.map(async (child) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * KILL_MS));
        await end(child);
      }),
    );
    const row = (await store.get('row'))!;
    seen.add(versionOf(row));
    same(row.toolFingerprints, { baseline: 'recorded' });
  }
  // Each had saved once when it was killed, and was saving again.
  same(seen.size, KILLS / WRITERS);
  await store.save(version('last', 'late'));
  same(versionOf((await store.get('row'))!), 'last');
  await store.close();
}

/** Whatever was written so far, the logs beside the files included. */
async function noSecrets({ folder }: StoresStand): Promise<void> {
  const files = readdirSync(folder);
  same(files.length > NEW_FILES, true);
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'latin1'));
  same(
    texts.some((text) => text.includes('mcp.example.com')),
    true,
  );
  same(
    files.filter((_, index) => texts[index]!.includes(SECRET)),
    [],
  );
}

async function refuses({ folder }: StoresStand): Promise<void> {
  const error = await errorOf(Promise.resolve().then(() => createFileMcpConnectionStore(`${folder}/none.db`)));
  same([error.name, /Node 22\.13.*createSqliteMcpConnectionStore/.test(error.message)], ['McpConfigError', true]);
  same(readdirSync(folder), []);
}

async function unusable({ folder }: StoresStand): Promise<void> {
  for (const path of [`${folder}/no/such/folder.db`, `${process.cwd()}/package.json`]) {
    const error = await errorOf(Promise.resolve(createFileMcpConnectionStore(path).list()));
    same([error.name, error.message.includes(path)], ['McpConfigError', true]);
  }
  const store = createFileMcpConnectionStore(`${folder}/closed.db`);
  await store.save(version('1', 'a'));
  await store.close();
  await store.close();
  same((await errorOf(Promise.resolve(store.get('row')))).code, 'closed');
}

export function storeChecks({ without }: StoresStand): readonly StoreCheck[] {
  if (without) return [['without SQLite the remedy is said', refuses]];
  return [
    ['the contract, in a file', contract],
    [`two processes race for a baseline ${RACES} times`, races],
    ['killed at each statement', killedAtEach],
    [`killed ${KILLS} times at random`, killedAtRandom],
    ['files that cannot be opened, or were closed', unusable],
    ['no secret is in any file', noSecrets],
  ];
}
