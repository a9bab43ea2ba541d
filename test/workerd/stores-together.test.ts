import { expect, it } from 'vitest';
import { type McpConnectionRow, REBASE, type RebasingStore } from '../../src/stores/row.js';
import type { SqlStorageLike } from '../../src/stores/sql.js';
import { createSqlStore, SQL_STORE_PARTS } from '../../src/stores/sqlite.js';
import { rowOf, toolOf } from '../../src/testing/stores/sample.js';
import { clear, countTexts, storeLater, watched, within } from './stores-kit.js';

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));
const openStore = (sql: SqlStorageLike) => createSqlStore(sql, SQL_STORE_PARTS);

/** Every tool of a version says which it is; so do its URL and the baseline that it offers. */
const version = (mark: string): McpConnectionRow =>
  rowOf('row', {
    url: `https://mcp.example.com/${mark}`,
    tools: ['a', 'b'].map((name) => toolOf(name, { description: mark, inputSchema: { type: 'object', title: mark } })),
    toolFingerprints: { mark },
  });

type Act = (store: RebasingStore) => unknown;

interface Met {
  readonly row: McpConnectionRow | null;
  /** The statement of the one before which the other did all of its own. */
  readonly at: number;
  /** That statement. */
  readonly query: string;
}

/** Has `other` do its work before each statement of `one` in turn, as another process may, and gives what is there at the end. */
function meet(sql: SqlStorageLike, from: McpConnectionRow | undefined, one: Act, other: Act): readonly Met[] {
  const met: Met[] = [];
  for (let at = 0; ; at++) {
    clear(sql);
    if (from !== undefined) openStore(sql).save(from);
    let count = 0;
    let query: string | undefined;
    one(
      openStore(
        watched(sql, (text) => {
          if (count++ !== at) return;
          query = text;
          other(openStore(sql));
        }),
      ),
    );
    if (query === undefined) return met;
    met.push({ row: plain((openStore(sql).get('row') as McpConnectionRow) ?? null), at, query });
    // Two catalogues and a baseline: who came second has cleared away after itself.
    expect(countTexts(sql)).toBeLessThanOrEqual(5);
    // And nothing stays for good but what the row has.
    storeLater(sql, 2 * 3_600_000).save(rowOf('sweeps', { toolFingerprints: undefined }));
    openStore(sql).remove('row');
    openStore(sql).remove('sweeps');
    expect(countTexts(sql)).toBe(0);
  }
}

/** The version of a row, which must be of one alone. */
function markOf({ tools, url }: McpConnectionRow): string {
  const marks = new Set(tools.flatMap((tool) => [tool.description, (tool.inputSchema as { title: string }).title]));
  expect([tools.length, marks.size]).toEqual([2, 1]);
  expect(url).toBe(`https://mcp.example.com/${[...marks][0]}`);
  return [...marks][0]!;
}

const isWrite = ({ query }: Met) => query.startsWith('INSERT INTO mcp_toolset_connections');

it('S3 S9 of two first saves, wherever they meet, one records its baseline and both leave a whole row', async () => {
  await within('first', (sql) => {
    const met = meet(
      sql,
      undefined,
      (store) => store.save(version('one')),
      (store) => store.save(version('other')),
    );
    const published = met.findIndex(isWrite);
    expect(published).toBeGreaterThan(2);
    for (const { row, at } of met) {
      // The other one was done before the one was seen, or found it there.
      expect(row?.toolFingerprints).toEqual({ mark: at <= published ? 'other' : 'one' });
      expect(markOf(row!)).toBe(at <= published ? 'one' : 'other');
    }
  });
});

it('S3 S9 a save that meets another save of a recorded row changes no baseline', async () => {
  await within('second', (sql) => {
    const met = meet(
      sql,
      version('old'),
      (store) => store.save(version('one')),
      (store) => store.save(version('other')),
    );
    for (const { row } of met) {
      expect(row?.toolFingerprints).toEqual({ mark: 'old' });
      expect(['one', 'other']).toContain(markOf(row!));
    }
  });
});

it('S3 S9 a save that meets a removal leaves its own row or none', async () => {
  await within('removal', (sql) => {
    const met = meet(
      sql,
      version('old'),
      (store) => store.save(version('one')),
      (store) => store.remove('row'),
    );
    const rows = met.map(({ row }) => row && [markOf(row), row.toolFingerprints?.mark]);
    for (const row of rows) expect([null, ['one', 'one']]).toContainEqual(row);
    expect(rows).toContainEqual(null);
    expect(rows).toContainEqual(['one', 'one']);
    const removing = meet(
      sql,
      version('old'),
      (store) => store.remove('row'),
      (store) => store.save(version('other')),
    );
    for (const { row } of removing) if (row !== null) expect(markOf(row)).toBe('other');
  });
});

it('S3 S9 a save that finds the same catalogue and meets another save leaves one of the two', async () => {
  await within('same', (sql) => {
    const same: Act = (store) => store.save({ ...version('old'), protocol: undefined });
    for (const { row } of meet(sql, version('old'), same, (store) => store.save(version('other')))) {
      expect(row?.toolFingerprints).toEqual({ mark: 'old' });
      expect(['old', 'other']).toContain(markOf(row!));
    }
  });
});

it('S6 a retrust is of what is published at the moment of it', async () => {
  await within('retrust', (sql) => {
    const retrust: Act = (store) => store[REBASE]('row', (row) => ({ mark: markOf(row) }));
    const met = meet(sql, version('old'), retrust, (store) => store.save(version('other')));
    const moved = met.findIndex(({ query }) => query.startsWith('UPDATE mcp_toolset_connections SET baseline'));
    expect(moved).toBeGreaterThan(0);
    for (const { row, at } of met) {
      expect(markOf(row!)).toBe('other');
      expect(row?.toolFingerprints).toEqual({ mark: at <= moved ? 'other' : 'old' });
    }
  });
});

it('S6 of two retrusts neither is lost', async () => {
  await within('retrusts', (sql) => {
    const add =
      (name: string): Act =>
      (store) =>
        store[REBASE]('row', ({ toolFingerprints }) => ({ ...toolFingerprints, [name]: name }));
    for (const { row } of meet(sql, version('old'), add('one'), add('other'))) {
      expect(row?.toolFingerprints).toEqual({ mark: 'old', one: 'one', other: 'other' });
    }
  });
});

it('S9 a row is read as it was or as it is, whoever saves it twice meanwhile', async () => {
  await within('reader', (sql) => {
    const twice: Act = (store) => {
      store.save(version('other'));
      store.save(version('another'));
    };
    const seen: string[] = [];
    meet(
      sql,
      version('old'),
      (store) => seen.push((store.get('row') as McpConnectionRow).tools[0]!.description!),
      twice,
    );
    expect(new Set(seen)).toEqual(new Set(['old', 'another']));
  });
});
