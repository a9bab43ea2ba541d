import { describe, expect, it } from 'vitest';
import { McpConfigError } from '../../src/core/errors.js';
import { LAYOUT } from '../../src/stores/layout.js';
import { retrustMcpServer } from '../../src/stores/retrust.js';
import { type McpConnectionRow, type McpConnectionStore, REBASE, type RebasingStore } from '../../src/stores/row.js';
import type { SqlStorageLike } from '../../src/stores/sql.js';
import { createSqliteMcpConnectionStore, createSqlStore, SQL_STORE_PARTS } from '../../src/stores/sqlite.js';
import { rowOf, toolOf } from '../../src/testing/stores/sample.js';
import { CANARY_HEADERS, CANARY_QUERY, expectNoSecrets, SECRETS } from '../support/canaries.js';
import { clear, countTexts, dump, endingAt, storeLater, within } from './stores-kit.js';

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const BASELINE = { a: 'a'.repeat(64) };
const OLD = rowOf('row', { tools: [toolOf('a'), toolOf('gone')], toolFingerprints: BASELINE });
const NEW = rowOf('row', {
  tools: [toolOf('a', { description: 'Changed.' }), toolOf('b')],
  toolFingerprints: { a: 'other' },
  url: 'https://mcp.example.com/new',
});
/** Longer than one row of the database. */
const LONG = { ...NEW, tools: [toolOf('a', { description: 'Long. '.repeat(200_000) })] };
const OTHER = rowOf('other', { name: 'other' });

interface Act {
  readonly name: string;
  /** What is there before; absent: nothing. */
  readonly from?: McpConnectionRow;
  readonly act: (store: RebasingStore) => void;
  /** What is there once it is done. */
  readonly to?: McpConnectionRow;
}

const ACTS: readonly Act[] = [
  { name: 'the first save', act: (store) => store.save(OLD), to: OLD },
  {
    name: 'a save of another catalogue',
    from: OLD,
    act: (store) => store.save(LONG),
    to: { ...LONG, toolFingerprints: BASELINE },
  },
  {
    name: 'a save of the same catalogue',
    from: OLD,
    act: (store) => store.save({ ...OLD, protocol: undefined }),
    to: plain({ ...OLD, protocol: undefined }),
  },
  {
    name: 'the save that records a baseline',
    from: plain({ ...OLD, toolFingerprints: undefined }),
    act: (store) => store.save(OLD),
    to: OLD,
  },
  { name: 'a removal', from: OLD, act: (store) => store.remove('row') },
  {
    name: 'a retrust',
    from: OLD,
    act: (store) => store[REBASE]('row', ({ toolFingerprints }) => ({ ...toolFingerprints, b: 'b' })),
    to: { ...OLD, toolFingerprints: { ...BASELINE, b: 'b' } },
  },
];

const openStore = (sql: SqlStorageLike) => createSqlStore(sql, SQL_STORE_PARTS);

/** Cuts `act` off before each of its statements in turn, and hands over what is found then. */
function cutOff(sql: SqlStorageLike, { from, act }: Act, judge: (found: unknown, done: boolean) => void): number {
  for (let end = 0; ; end++) {
    clear(sql);
    openStore(sql).save(OTHER);
    if (from !== undefined) openStore(sql).save(from);
    const ending = endingAt(sql, end);
    let done = true;
    try {
      act(openStore(ending.sql));
    } catch {
      done = false;
    }
    const after = openStore(sql);
    judge(plain(after.get('row') ?? null), done);
    expect(plain(after.get('other'))).toEqual(OTHER);
    // Whoever comes next is not held up, and what was left goes in time.
    after.save(NEW);
    expect(plain(after.get('row'))).toMatchObject({ tools: NEW.tools, url: NEW.url });
    storeLater(sql, 2 * 3_600_000).save({ ...OTHER, tools: [] });
    after.remove('row');
    after.remove('other');
    expect(countTexts(sql)).toBe(0);
    if (done) return end;
  }
}

it.each(ACTS)(
  'S9 $name, cut off before any of its statements, leaves the old row or the new one',
  async (each) => {
    await within('cut off', (sql) => {
      const [old, next] = [plain(each.from ?? null), plain(each.to ?? null)];
      const seen: unknown[] = [];
      const statements = cutOff(sql, each, (found, done) => {
        expect([old, next]).toContainEqual(found);
        if (done) expect(found).toEqual(next);
        seen.push(found);
      });
      expect(statements).toBeGreaterThan(1);
      // The old one, then the new one, and never back.
      expect(seen).toEqual([
        ...seen.filter((found) => JSON.stringify(found) === JSON.stringify(old)),
        ...seen.filter((found) => JSON.stringify(found) !== JSON.stringify(old)),
      ]);
    });
  },
  60_000,
);

const DAMAGES: readonly [what: string, statement: string][] = [
  ['its head', `UPDATE mcp_toolset_connections SET head = '{"name":"docs"' WHERE id = '"row"'`],
  ['the type in its head', `UPDATE mcp_toolset_connections SET head = '{"name":"docs"}' WHERE id = '"row"'`],
  [
    'the protocol in its head',
    `UPDATE mcp_toolset_connections SET head = '{"name":"docs","type":"http","protocol":1}' WHERE id = '"row"'`,
  ],
  ['its index, cut off', `UPDATE mcp_toolset_texts SET text = substr(text, 1, 50) WHERE part = 'index'`],
  ['its index, of another form', `UPDATE mcp_toolset_texts SET text = '[["a"]]' WHERE part = 'index'`],
  ['its index, gone', `DELETE FROM mcp_toolset_texts WHERE part = 'index'`],
  ['its fingerprints, cut off', `UPDATE mcp_toolset_texts SET text = substr(text, 1, 20) WHERE part = 'baseline'`],
  ['its fingerprints, of another form', `UPDATE mcp_toolset_texts SET text = '{"a":1}' WHERE part = 'baseline'`],
  ['its fingerprints, null', `UPDATE mcp_toolset_texts SET text = 'null' WHERE part = 'baseline'`],
  ['its fingerprints, gone', `DELETE FROM mcp_toolset_texts WHERE part = 'baseline'`],
  ['the name of its fingerprints', `UPDATE mcp_toolset_connections SET baseline = 'nothing' WHERE id = '"row"'`],
  ['the name of its catalogue', `UPDATE mcp_toolset_connections SET generation = 'nothing' WHERE id = '"row"'`],
];

function failure(work: () => unknown): McpConfigError {
  try {
    work();
  } catch (error) {
    if (error instanceof McpConfigError) return error;
    throw error;
  }
  throw new Error('It was not refused');
}

describe('a damaged row', () => {
  it.each(DAMAGES)(
    'S3 %s: is refused, keeps no other from being read, and is not trusted anew by a save',
    async (_, statement) => {
      await within('damaged', async (sql) => {
        clear(sql);
        const store = openStore(sql);
        store.save(OLD);
        sql.exec(statement);
        store.save(OTHER);
        const refused = failure(() => store.get('row'));
        expect(refused.message).toContain('`remove`');
        const listed = store.list() as McpConnectionRow[];
        expect(plain(listed.find(({ id }) => id === 'other'))).toEqual(OTHER);
        const row = listed.find(({ id }) => id === 'row')!;
        for (const field of ['tools', 'toolFingerprints', 'protocol'] as const) failure(() => row[field]);
        // A save heals what it writes. What was recorded is not written, so that it stays refused where that is damaged.
        store.save(NEW);
        const baseline = await Promise.resolve()
          .then(() => store.get('row'))
          .then(
            (healed) => healed?.toolFingerprints,
            (error: unknown) => (error instanceof McpConfigError ? BASELINE : undefined),
          );
        expect(baseline).toEqual(BASELINE);
        store.remove('row');
        store.save(NEW);
        expect(plain(store.get('row'))).toEqual(NEW);
      });
    },
  );

  it.each([
    ['cut off', `UPDATE mcp_toolset_texts SET text = substr(text, 1, 50) WHERE part = 'schemas'`],
    [
      'cut off at their end',
      `UPDATE mcp_toolset_texts SET text = substr(text, 1, length(text) - 3) WHERE part = 'schemas'`,
    ],
    ['of another form', `UPDATE mcp_toolset_texts SET text = replace(text, '[', '{') WHERE part = 'schemas'`],
    ['gone', `DELETE FROM mcp_toolset_texts WHERE part = 'schemas'`],
  ])('S3 whose schemas are %s is refused where one is looked at', async (_, statement) => {
    await within('schemas', (sql) => {
      clear(sql);
      const store = openStore(sql);
      store.save(OLD);
      sql.exec(statement);
      const row = store.get('row') as McpConnectionRow;
      expect(row.tools.map(({ name }) => name)).toEqual(['a', 'gone']);
      const error = failure(() => row.tools[0]?.inputSchema);
      expect(error.server).toBe('docs');
      failure(() => row.tools[0]?.inputSchema);
    });
  });

  it('S6 is trusted anew as a whole even where its fingerprints cannot be read, and not by one tool', async () => {
    await within('retrust', async (sql) => {
      clear(sql);
      const store: McpConnectionStore = openStore(sql);
      await store.save(OLD);
      sql.exec(`UPDATE mcp_toolset_texts SET text = '{' WHERE part = 'baseline'`);
      await expect(retrustMcpServer(store, OLD.name, { tools: ['a'] })).rejects.toMatchObject({ code: 'config' });
      await retrustMcpServer(store, OLD.name);
      expect(plain(await store.get('row'))).toEqual(plain({ ...OLD, toolFingerprints: undefined }));
    });
  });
});

describe('layouts', () => {
  it('S9 rows of an older layout are there after a step to a newer one, also where it was cut off', async () => {
    await within('layout', (sql) => {
      const newer = [
        ...LAYOUT,
        [
          'CREATE TABLE IF NOT EXISTS mcp_toolset_notes (id TEXT PRIMARY KEY)',
          'INSERT INTO mcp_toolset_notes SELECT id FROM mcp_toolset_connections WHERE true ON CONFLICT DO NOTHING',
        ],
      ];
      for (let end = 0; end < 8; end++) {
        clear(sql);
        sql.exec('DROP TABLE IF EXISTS mcp_toolset_notes');
        openStore(sql).save(OLD);
        const parts = { ...SQL_STORE_PARTS, layout: newer };
        try {
          createSqlStore(endingAt(sql, end).sql, parts).list();
        } catch {
          // Cut off.
        }
        expect(plain(createSqlStore(sql, parts).get('row'))).toEqual(OLD);
        expect([...sql.exec('SELECT id FROM mcp_toolset_notes')]).toEqual([{ id: '"row"' }]);
        // And whoever knows the older one alone does not touch them.
        expect(failure(() => openStore(sql).list()).message).toContain('later version');
        expect(failure(() => openStore(sql).save(NEW)).message).toContain('later version');
      }
    });
  });

  it('S9 a layout that is no number is not taken for an older one', async () => {
    await within('no layout', (sql) => {
      clear(sql);
      openStore(sql).save(OLD);
      sql.exec(`UPDATE mcp_toolset_layout SET version = 'x'`);
      failure(() => openStore(sql).list());
    });
  });
});

it('S1 no secret of a row is in any stored byte', async () => {
  await within('canaries', (sql) => {
    const headers = { ...CANARY_HEADERS, authorization: `Bearer ${SECRETS.token}` };
    const row = {
      ...rowOf('secret', { url: `https://${SECRETS.user}:x@mcp.example.com/mcp${CANARY_QUERY}` }),
      headers,
      env: { KEY: SECRETS.env },
      session: { id: SECRETS.token },
      tools: [{ ...toolOf('a'), _meta: headers, headers }],
      protocol: { ...OLD.protocol!, instructions: SECRETS.header, headers },
    };
    const store = createSqliteMcpConnectionStore(sql);
    store.save(row);
    expect(dump(sql)).toContain('mcp.example.com/mcp');
    expectNoSecrets(dump(sql), store.get('secret'), store.list());
  });
});
