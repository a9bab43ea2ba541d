import { McpConfigError } from '../core/errors.js';
import type { RunSql } from './sql.js';

/**
 * What leads from each layout of the tables to the next, from no tables on. There are no transactions, so a step may be cut off
 * anywhere and begun again, also by two processes at once: each statement must do no harm when it is repeated.
 */
export type LayoutStep = readonly string[];

export const LAYOUT: readonly LayoutStep[] = [
  [
    // One row for each server. `generation` names its catalogue among the texts, `previous` the one before, which readers may
    // still hold, `dropped` the one that the last save put out of use, and `baseline` the recorded fingerprints.
    `CREATE TABLE IF NOT EXISTS mcp_toolset_connections (
      id TEXT PRIMARY KEY NOT NULL, head TEXT NOT NULL, generation TEXT NOT NULL, previous TEXT, dropped TEXT, baseline TEXT)`,
    `CREATE TABLE IF NOT EXISTS mcp_toolset_texts (
      generation TEXT NOT NULL, part TEXT NOT NULL, position INTEGER NOT NULL, text TEXT NOT NULL,
      PRIMARY KEY (generation, part, position))`,
  ],
];

/**
 * Brings the tables to the newest layout. The database may hold tables of others: the layout is remembered in a table of our own.
 *
 * @throws McpConfigError where a later version of this library wrote them: what it means by them is not known.
 */
export function prepareTables(run: RunSql, layout: readonly LayoutStep[]): void {
  run('CREATE TABLE IF NOT EXISTS mcp_toolset_layout (part TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL)');
  const version = Number(run(`SELECT version FROM mcp_toolset_layout WHERE part = 'connections'`)[0]?.version ?? 0);
  if (!(version <= layout.length)) {
    throw new McpConfigError(
      'The tables of the connection store were written by a later version of mcp-toolset; use that version, or another database.',
    );
  }
  layout.slice(version).forEach((step, index) => {
    for (const statement of step) run(statement);
    const reached = version + index + 1;
    run(
      `INSERT INTO mcp_toolset_layout (part, version) VALUES ('connections', ?)
       ON CONFLICT (part) DO UPDATE SET version = max(version, excluded.version)`,
      reached,
    );
  });
}
