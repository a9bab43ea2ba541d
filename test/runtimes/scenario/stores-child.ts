/** A process beside the scenario's own, over the same file. */
import { createInterface } from 'node:readline';
import { createFileMcpConnectionStore } from 'mcp-toolset/node';
import { type Task, version } from './stores-stand.js';

const task: Task = JSON.parse(process.env.TASK ?? '');

/** Answers lines until its input ends. */
async function race(who: string): Promise<void> {
  const stores = new Map<string, ReturnType<typeof createFileMcpConnectionStore>>();
  console.log('ready');
  for await (const line of createInterface({ input: process.stdin })) {
    const { round, path, at } = JSON.parse(line);
    const store = stores.get(path) ?? createFileMcpConnectionStore(path);
    stores.set(path, store);
    // Both begin in the same millisecond, as far as they can.
    while (Date.now() < at);
    await store.save({ ...version(who, who), id: `race ${round}`, tools: [] });
    const row = await store.get(`race ${round}`);
    console.log(JSON.stringify({ round, baseline: row?.toolFingerprints?.baseline }));
  }
}

interface Driver {
  readonly prototype: { prepare(query: string): unknown };
}

/** Ends this process before the statement of that number is even prepared, as nothing but the system can. */
function endAt(end: number): void {
  const find = (name: string) =>
    (process as unknown as { getBuiltinModule(name: string): Record<string, Driver> | undefined }).getBuiltinModule(
      name,
    );
  const driver = find('bun:sqlite')?.Database ?? find('node:sqlite')?.DatabaseSync;
  if (driver === undefined) throw new Error('There is no SQLite');
  const { prepare } = driver.prototype;
  let count = 0;
  driver.prototype.prepare = function (query) {
    if (count++ === end) process.kill(process.pid, 'SIGKILL');
    return prepare.call(this, query);
  };
}

async function write(path: string, who: string): Promise<never> {
  const store = createFileMcpConnectionStore(path);
  await store.save(version(`${who} first`, who));
  console.log('ready');
  for (let count = 0; ; count++) await store.save(version(`${who} ${count}`, who));
}

if (task.kind === 'race') await race(task.who);
else if (task.kind === 'write') await write(task.path, task.who);
else {
  endAt(task.end);
  await createFileMcpConnectionStore(task.path).save(version(String(task.version), 'other'));
  console.log('done');
}
