import { McpConfigError } from '../core/errors.js';
import { type EncodedRow, encodeFingerprints, encodeRow, keyOf } from './codec.js';
import { decodeForList, decodeRow, type FoundRow } from './decode.js';
import { type Found, findRow, findRows } from './found.js';
import { LAYOUT, type LayoutStep, prepareTables } from './layout.js';
import { type McpConnectionStore, REBASE, type Rebase, type RebasingStore } from './row.js';
import { createRunSql, type RunSql, type SqlStorageLike } from './sql.js';
import { dropTexts, type NewText, nameGeneration, readText, sweepTexts, writeTexts } from './texts.js';

/**
 * Rows in a SQLite database, such as that of a Durable Object: `createSqliteMcpConnectionStore(ctx.storage.sql)`.
 *
 * The tables are made at the first use, and begin with `mcp_toolset_`. Each method is a few statements and no transaction, and
 * is done when it returns; whatever is cut off between two statements leaves the row as it was or as it is to be (S9).
 * Schemas stay in the database until one of them is read.
 *
 * @throws McpConfigError (from its methods) where the database refuses a statement or `sql` is none, a row cannot be read, or a
 * later version wrote the tables.
 */
export function createSqliteMcpConnectionStore(sql: SqlStorageLike): McpConnectionStore {
  return createSqlStore(sql, SQL_STORE_PARTS);
}

export interface SqlStoreParts {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Bytes that do not come twice. */
  random(): Uint8Array;
  readonly layout: readonly LayoutStep[];
}

export const SQL_STORE_PARTS: SqlStoreParts = {
  now: () => Date.now(),
  random: () => crypto.getRandomValues(new Uint8Array(12)),
  layout: LAYOUT,
};

/** The schemas of a row that was read. Once they leave the database, whoever still holds the row finds them here. */
interface Held {
  readonly generation: string;
  text?: string | undefined;
}

interface State {
  readonly run: RunSql;
  readonly parts: SqlStoreParts;
  /** By key: what was read last of each row. */
  readonly held: Map<string, Held>;
  swept: boolean;
}

/** Others may be faster for a while; a database that never answers `RETURNING` is another matter. */
const MAX_TRIES = 20;

export function createSqlStore(sql: SqlStorageLike, parts: SqlStoreParts): RebasingStore {
  const run = createRunSql(sql);
  const state: State = { run, parts, held: new Map(), swept: false };
  let prepared = false;
  const prepare = () => {
    if (!prepared) prepareTables(run, parts.layout);
    prepared = true;
  };
  return {
    list(prefix = '') {
      prepare();
      return findRows(run, prefix).map((found) => decodeForList(foundIn(state, found)));
    },
    get(id) {
      prepare();
      const found = findRow(run, id, 'without schemas');
      return found === undefined ? undefined : decodeRow(foundIn(state, found));
    },
    save(row) {
      prepare();
      // Reads what the row has of an earlier one, before that may leave the database.
      const encoded = encodeRow(row);
      repeat(() => saveOnce(state, row.id, encoded));
    },
    remove(id) {
      prepare();
      removeRow(state, keyOf(id));
    },
    [REBASE](id, rebase) {
      prepare();
      repeat(() => rebaseOnce(state, id, rebase));
    },
  };
}

function repeat(attempt: () => boolean): void {
  for (let tries = 0; tries < MAX_TRIES; tries++) if (attempt()) return;
  throw new McpConfigError(
    'The connection store could not be written: after each try the database had other rows. Its `exec` must give the rows of `RETURNING`.',
  );
}

function foundIn(state: State, { key, head, generation, recorded, index, baseline }: Found): FoundRow {
  const last = state.held.get(key);
  const held: Held = last?.generation === generation ? last : { generation };
  state.held.set(key, held);
  return {
    key,
    head,
    index,
    schemas: () => held.text ?? readText(state.run, generation, 'schemas'),
    baseline: recorded === null ? null : baseline,
  };
}

/** False: the row changed meanwhile. */
function saveOnce(state: State, id: string, encoded: EncodedRow): boolean {
  const { run } = state;
  const before = findRow(run, id, 'whole');
  const hasBaseline = before !== undefined && before.recorded !== null;
  const sameTexts = before?.index === encoded.index && before.schemas === encoded.schemas;
  if (before !== undefined && sameTexts && (hasBaseline || encoded.baseline === undefined)) {
    return before.head === encoded.head || replaceHead(run, before, encoded);
  }
  const generation = newGeneration(state);
  const texts: NewText[] = [
    { generation, part: 'index', text: encoded.index },
    { generation, part: 'schemas', text: encoded.schemas },
  ];
  let recorded: string | null = null;
  if (encoded.baseline !== undefined && !hasBaseline) {
    recorded = newGeneration(state);
    texts.push({ generation: recorded, part: 'baseline', text: encoded.baseline });
  }
  const after = publish(run, encoded, { generation, recorded, texts: writeTexts(run, texts) });
  if (after === undefined || (after.baseline === null && encoded.baseline !== undefined)) return false;
  release(state, encoded.key);
  dropTexts(run, [after.dropped, after.baseline === recorded ? null : recorded]);
  if (!state.swept) sweepTexts(run, state.parts.now());
  state.swept = true;
  return true;
}

function newGeneration({ parts }: State): string {
  return nameGeneration(parts.now(), parts.random);
}

/** The catalogue is the same; only what was learned of the server is not. */
function replaceHead(run: RunSql, { key, generation }: Found, { head }: EncodedRow): boolean {
  return (
    run(
      'UPDATE mcp_toolset_connections SET head = ? WHERE id = ? AND generation = ? RETURNING id',
      head,
      key,
      generation,
    ).length > 0
  );
}

interface NewGeneration {
  readonly generation: string;
  readonly recorded: string | null;
  /** How many rows of text were written. */
  readonly texts: number;
}

/**
 * The one statement that a reader sees: all texts are there, and the row refers to them. Of several writers of a first baseline it
 * lets one win (S3). No answer: the process stood still for so long that another one swept its texts away.
 */
function publish(run: RunSql, { key, head }: EncodedRow, { generation, recorded, texts }: NewGeneration) {
  const [row] = run(
    `INSERT INTO mcp_toolset_connections (id, head, generation, baseline)
     SELECT ?, ?, ?, ? WHERE (SELECT count(*) FROM mcp_toolset_texts WHERE generation IN (?, ?)) = ?
     ON CONFLICT (id) DO UPDATE SET head = excluded.head, dropped = previous, previous = generation,
       generation = excluded.generation, baseline = coalesce(baseline, excluded.baseline)
     RETURNING dropped, baseline`,
    key,
    head,
    generation,
    recorded,
    generation,
    recorded,
    texts,
  );
  return row;
}

/** Whoever read the row and not yet its schemas keeps them. */
function release({ run, held }: State, key: string): void {
  const own = held.get(key);
  if (own !== undefined) own.text = readText(run, own.generation, 'schemas');
  held.delete(key);
}

function removeRow(state: State, key: string): void {
  const [gone] = state.run(
    'DELETE FROM mcp_toolset_connections WHERE id = ? RETURNING generation, previous, dropped, baseline',
    key,
  );
  release(state, key);
  if (gone !== undefined) dropTexts(state.run, [gone.generation, gone.previous, gone.dropped, gone.baseline]);
}

/** False: the row changed meanwhile. */
function rebaseOnce(state: State, id: string, rebase: Rebase | undefined): boolean {
  const { run } = state;
  const before = findRow(run, id, 'without schemas');
  if (before === undefined) return true;
  const { key, generation, recorded } = before;
  const text = rebase === undefined ? undefined : rebasedText(decodeRow(foundIn(state, before)), rebase);
  const next = text === undefined ? null : newGeneration(state);
  if (next !== null && text !== undefined) writeTexts(run, [{ generation: next, part: 'baseline', text }]);
  const [done] = run(
    `UPDATE mcp_toolset_connections SET baseline = ? WHERE id = ? AND generation = ? AND baseline IS ? RETURNING id`,
    next,
    key,
    generation,
    recorded,
  );
  dropTexts(run, [done === undefined ? next : recorded]);
  return done !== undefined;
}

function rebasedText(row: ReturnType<typeof decodeRow>, rebase: Rebase): string | undefined {
  return encodeFingerprints(rebase(row), row.name);
}
