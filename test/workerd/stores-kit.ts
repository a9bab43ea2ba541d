import { type ObjectNamespace, type ObjectState, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { SqlStorageLike } from '../../src/stores/sql.js';
import { createSqlStore, SQL_STORE_PARTS } from '../../src/stores/sqlite.js';

const objects = (env as unknown as { readonly OBJECTS: ObjectNamespace }).OBJECTS;

export const objectNamed = (name: string) => objects.getByName(name);

/** Works within a Durable Object of that name; what it stores is there for whoever comes next. */
export function within<Result>(
  name: string,
  work: (sql: SqlStorageLike, state: ObjectState) => Result | Promise<Result>,
): Promise<Result> {
  return runInDurableObject(objectNamed(name), (_, state) => work(state.storage.sql, state));
}

/** The same database, of which `before` sees each statement and may throw. */
export function watched(
  sql: SqlStorageLike,
  before: (query: string, bindings: readonly unknown[]) => void,
): SqlStorageLike {
  return {
    exec(query, ...bindings) {
      before(query, bindings);
      return sql.exec(query, ...bindings);
    },
  };
}

/** A process that ends before its statement of that number, counted from 0: nothing it does afterwards arrives. */
export function endingAt(sql: SqlStorageLike, end: number): { readonly sql: SqlStorageLike; count(): number } {
  let count = 0;
  const ending = watched(sql, () => {
    if (count >= end) throw new Error('The process has ended');
    count += 1;
  });
  return { sql: ending, count: () => count };
}

/** A store whose clock is ahead of the others'. */
export function storeLater(sql: SqlStorageLike, ms: number) {
  return createSqlStore(sql, { ...SQL_STORE_PARTS, now: () => Date.now() + ms });
}

/** Everything that is stored, as one text. */
export function dump(sql: SqlStorageLike): string {
  const tables = ['connections', 'texts', 'layout'].map((table) => [...sql.exec(`SELECT * FROM mcp_toolset_${table}`)]);
  return JSON.stringify(tables);
}

export function countTexts(sql: SqlStorageLike): number {
  return Number([...sql.exec('SELECT count(*) AS n FROM mcp_toolset_texts')][0]?.n);
}

export function clear(sql: SqlStorageLike): void {
  for (const table of ['connections', 'texts', 'layout']) sql.exec(`DROP TABLE IF EXISTS mcp_toolset_${table}`);
}
