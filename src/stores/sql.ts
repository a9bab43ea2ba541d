import { isMcpError, McpConfigError } from '../core/errors.js';
import { isRecord } from '../core/json.js';

/**
 * What a SQLite store needs of a database: a Durable Object's `ctx.storage.sql` has this shape. Of a driver with prepared
 * statements it is `{ exec: (query, ...bindings) => database.prepare(query).all(...bindings) }`.
 */
export interface SqlStorageLike {
  /** Runs one statement with its bindings, at once, and gives its rows as objects; no rows where it has none. */
  exec(query: string, ...bindings: unknown[]): Iterable<Record<string, unknown>>;
}

export type SqlRow = Readonly<Record<string, unknown>>;

/** One statement, its rows read to the end. */
export type RunSql = (query: string, ...bindings: readonly unknown[]) => readonly SqlRow[];

/**
 * Runs statements over a database that somebody else opened.
 *
 * @throws McpConfigError (from each statement) where the database refuses it, or its `exec` is another kind of function.
 */
export function createRunSql(sql: SqlStorageLike): RunSql {
  if (typeof (sql as Partial<SqlStorageLike> | undefined)?.exec !== 'function') throw notSql();
  return (query, ...bindings) => {
    try {
      const answer: unknown = sql.exec(query, ...bindings);
      if (!isRecord(answer) && !Array.isArray(answer)) throw notSql();
      if (!(Symbol.iterator in answer)) throw notSql();
      const rows = [...(answer as Iterable<unknown>)];
      if (!rows.every(isRecord)) throw notSql();
      return rows;
    } catch (cause) {
      if (isMcpError(cause)) throw cause;
      throw new McpConfigError(
        'The database of the connection store refused a statement; see `cause` for its code, and whether its file is writable, whole and not held by another program.',
        { cause },
      );
    }
  };
}

/** Drivers have functions of this name that take no bindings and give no rows: nothing would be kept, and nobody told. */
function notSql(): McpConfigError {
  return new McpConfigError(
    'The SQL storage must have an `exec(query, ...bindings)` that runs one statement at once and gives its rows as objects: `{ exec: (query, ...bindings) => database.prepare(query).all(...bindings) }`.',
  );
}
