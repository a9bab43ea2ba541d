import { keyOf } from './codec.js';
import type { RunSql, SqlRow } from './sql.js';
import { joinText } from './texts.js';

/** A row of the table of servers with its texts, as one statement saw them: no other statement comes between. */
export interface Found {
  readonly key: string;
  readonly head: unknown;
  readonly generation: string;
  /** The generation of the recorded fingerprints. */
  readonly recorded: string | null;
  readonly index: string | undefined;
  readonly schemas: string | undefined;
  readonly baseline: string | undefined;
}

type Reading = 'without schemas' | 'whole';

export function findRow(run: RunSql, id: string, reading: Reading): Found | undefined {
  return select(run, reading, 'c.id = ?', keyOf(id))[0];
}

export function findRows(run: RunSql, prefix: string): readonly Found[] {
  const start = keyOf(prefix).slice(0, -1);
  return select(run, 'without schemas', 'c.id >= ? AND c.id < ?', start, `${start}\u{10ffff}`);
}

function select(run: RunSql, reading: Reading, where: string, ...bindings: readonly string[]): readonly Found[] {
  const rows = run(
    `SELECT c.id, c.head, c.generation, c.baseline, t.part, t.position, t.text
     FROM mcp_toolset_connections c LEFT JOIN mcp_toolset_texts t
     ON t.generation IN (c.generation, c.baseline)${reading === 'whole' ? '' : ` AND t.part <> 'schemas'`}
     WHERE ${where}`,
    ...bindings,
  );
  const byKey = new Map<unknown, SqlRow[]>();
  for (const row of rows) {
    const own = byKey.get(row.id);
    if (own === undefined) byKey.set(row.id, [row]);
    else own.push(row);
  }
  return [...byKey.values()].map(gather);
}

/** A row without texts comes once, with nothing in the place of a text. */
function gather(rows: readonly SqlRow[]): Found {
  const { id, head, generation, baseline } = rows[0]!;
  const textOf = (part: string) => joinText(rows.filter((row) => row.part === part));
  return {
    key: String(id),
    head,
    generation: String(generation),
    recorded: baseline === null ? null : String(baseline),
    index: textOf('index'),
    schemas: textOf('schemas'),
    baseline: textOf('baseline'),
  };
}
