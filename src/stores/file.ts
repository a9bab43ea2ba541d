import { McpClosedError, McpConfigError } from '../core/errors.js';
import { quietly } from '../core/quietly.js';
import { sleep } from '../core/sleep.js';
import { type McpConnectionStore, REBASE, type RebasingStore } from './row.js';
import { createSqlStore, SQL_STORE_PARTS } from './sqlite.js';

/** A store in a file, which stays open until it is closed, or the process ends. */
export interface FileMcpConnectionStore extends McpConnectionStore, AsyncDisposable {
  /** Closes the file. Schemas that nobody has looked at yet can no longer be read, and every method rejects with `closed`. */
  close(): Promise<void>;
}

/** What is used of the SQLite of Node, Deno and Bun. */
interface Database {
  prepare(query: string): { all(...bindings: unknown[]): Iterable<Record<string, unknown>> };
  close(): void;
}

type OpenFile = (path: string) => Database;

/** How long a statement waits for another process's, in milliseconds. */
const BUSY_MS = 10_000;
/** The file is turned to a write-ahead log by whoever is first, for which SQLite does not always wait. */
const OPEN_TRIES = 100;
const OPEN_PAUSE_MS = 20;

/**
 * Rows in a SQLite file that any number of processes of one machine may use at once (S9). The runtime's own SQLite is used: Node from
 * 22.13, Bun, Deno. The file is made at the first use, in a folder that must be there, with a write-ahead log beside it; both must
 * be on a local disk.
 *
 * @throws McpConfigError at once where the runtime has no SQLite or `path` is empty; as a rejection of the methods where the
 * file cannot be opened, and as {@link createSqliteMcpConnectionStore} says.
 */
export function createFileMcpConnectionStore(path: string): FileMcpConnectionStore {
  if (typeof path !== 'string' || path === '') {
    throw new McpConfigError('`path` of createFileMcpConnectionStore must be the path of a file.');
  }
  const openFile = findSqlite();
  let opening: Promise<{ readonly database: Database; readonly store: RebasingStore }> | undefined;
  const closing = new AbortController();
  const open = async () => {
    if (closing.signal.aborted) throw new McpClosedError(`The connection store \`${path}\` was closed.`);
    opening ??= openDatabase(openFile, path, closing.signal).then((database) => ({
      database,
      store: createSqlStore(
        { exec: (query, ...bindings) => database.prepare(query).all(...bindings) },
        SQL_STORE_PARTS,
      ),
    }));
    try {
      return (await opening).store;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  const close = async () => {
    closing.abort();
    const opened = await opening?.catch(() => undefined);
    opening = undefined;
    opened?.database.close();
  };
  const store: RebasingStore & FileMcpConnectionStore = {
    list: async (prefix) => (await open()).list(prefix),
    get: async (id) => (await open()).get(id),
    save: async (row) => (await open()).save(row),
    remove: async (id) => (await open()).remove(id),
    [REBASE]: async (id, rebase) => (await open())[REBASE](id, rebase),
    close,
    [Symbol.asyncDispose]: close,
  };
  return store;
}

async function openDatabase(openFile: OpenFile, path: string, closing: AbortSignal): Promise<Database> {
  for (let tries = 1; ; tries++) {
    let database: Database | undefined;
    try {
      database = openFile(path);
      for (const pragma of [`busy_timeout = ${BUSY_MS}`, 'journal_mode = WAL'])
        database.prepare(`PRAGMA ${pragma}`).all();
      return database;
    } catch (cause) {
      quietly(() => database?.close());
      if (tries === OPEN_TRIES || closing.aborted || !isBusy(cause)) {
        throw new McpConfigError(
          `The connection store \`${path}\` cannot be opened: it must be a SQLite database, or not there yet, in a folder that is there and can be written to.`,
          { cause },
        );
      }
      await sleep(OPEN_PAUSE_MS, closing);
    }
  }
}

/** SQLite's own numbers for what somebody else has locked, by the names that the runtimes have for them. */
function isBusy(error: unknown): boolean {
  const { errcode, errno } = error as { readonly errcode?: unknown; readonly errno?: unknown };
  const code = Number(errcode ?? errno) & 0xff;
  return code === 5 || code === 6;
}

interface SqliteModule {
  readonly DatabaseSync?: new (path: string) => Database;
  readonly Database?: new (path: string) => Database;
}

/** Not by an import: a bundler would look for the modules of all runtimes at once, and none of them has all. */
function findSqlite(): OpenFile {
  const { process } = globalThis as {
    readonly process?: { getBuiltinModule?(name: string): SqliteModule | undefined };
  };
  const find = (name: string) => quietly(() => process?.getBuiltinModule?.(name));
  const Bun = find('bun:sqlite')?.Database;
  if (Bun !== undefined) return (path) => new Bun(path);
  const Node = find('node:sqlite')?.DatabaseSync;
  if (Node !== undefined) return (path) => new Node(path);
  throw new McpConfigError(
    'createFileMcpConnectionStore needs the SQLite of the runtime: Node 22.13 or later, Bun or Deno. On an older Node give a database of your own to createSqliteMcpConnectionStore.',
  );
}
