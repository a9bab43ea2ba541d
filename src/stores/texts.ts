import type { RunSql, SqlRow } from './sql.js';

/** The parts of a row that may be longer than a row of the database. */
export type Part = 'index' | 'schemas' | 'baseline';

export interface NewText {
  readonly generation: string;
  readonly part: Part;
  readonly text: string;
}

/** Bytes of UTF-8 in one row of a database. A Durable Object takes 2 MB. */
const CHUNK_BYTES = 1024 * 1024;
/** A Durable Object takes 100 bindings in one statement, and each row has two. */
const ROWS_A_STATEMENT = 50;
/** A text that nothing refers to and that is older than this is of a save that was cut off. */
const ABANDONED_MS = 3_600_000;
const TIME_DIGITS = 9;

/** Names a generation: later ones have later names, and no two the same. */
export function nameGeneration(now: number, random: () => Uint8Array): string {
  return timeDigits(now) + Array.from(random(), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function timeDigits(ms: number): string {
  return Math.max(0, ms).toString(36).padStart(TIME_DIGITS, '0');
}

/** Writes texts that no row refers to yet: in how many statements changes nothing that a reader sees. Says how many rows. */
export function writeTexts(run: RunSql, texts: readonly NewText[]): number {
  const rows = texts.flatMap(({ generation, part, text }) =>
    splitText(text).map((chunk, position) => ({
      values: `(?, '${part}', ${position}, ?)`,
      bindings: [generation, chunk],
    })),
  );
  for (let start = 0; start < rows.length; start += ROWS_A_STATEMENT) {
    const some = rows.slice(start, start + ROWS_A_STATEMENT);
    run(
      `INSERT INTO mcp_toolset_texts (generation, part, position, text) VALUES ${some.map(({ values }) => values).join(', ')}`,
      ...some.flatMap(({ bindings }) => bindings),
    );
  }
  return rows.length;
}

/** Pieces that are no longer than a row may be; a character is in one of them. An empty text is one empty piece. */
export function splitText(text: string, bytes = CHUNK_BYTES): string[] {
  const encoder = new TextEncoder();
  const room = new Uint8Array(bytes);
  const pieces: string[] = [];
  let start = 0;
  do {
    const { read } = encoder.encodeInto(text.slice(start, start + bytes), room);
    pieces.push(text.slice(start, start + read));
    start += read;
  } while (start < text.length);
  return pieces;
}

/** One text out of its pieces; undefined where one is missing. */
export function joinText(rows: readonly SqlRow[]): string | undefined {
  const pieces: string[] = [];
  for (const { position, text } of rows) if (typeof text === 'string') pieces[Number(position)] = text;
  return pieces.length > 0 && Object.keys(pieces).length === rows.length && pieces.length === rows.length
    ? pieces.join('')
    : undefined;
}

export function readText(run: RunSql, generation: string, part: Part): string | undefined {
  return joinText(
    run('SELECT position, text FROM mcp_toolset_texts WHERE generation = ? AND part = ?', generation, part),
  );
}

export function dropTexts(run: RunSql, generations: readonly unknown[]): void {
  const known = generations.filter((each) => typeof each === 'string');
  if (known.length === 0) return;
  const marks = known.map(() => '?').join(', ');
  run(`DELETE FROM mcp_toolset_texts WHERE generation IN (${marks})`, ...known);
}

/** Removes what saves left that were cut off between their statements. One that is under way is younger. */
export function sweepTexts(run: RunSql, now: number): void {
  run(
    `DELETE FROM mcp_toolset_texts WHERE generation < ? AND generation NOT IN (
       SELECT generation FROM mcp_toolset_connections
       UNION ALL SELECT previous FROM mcp_toolset_connections WHERE previous IS NOT NULL
       UNION ALL SELECT baseline FROM mcp_toolset_connections WHERE baseline IS NOT NULL)`,
    timeDigits(now - ABANDONED_MS),
  );
}
