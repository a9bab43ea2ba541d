import { evictDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { McpConnectionStore } from '../../src/stores/row.js';
import { scopedStore } from '../../src/stores/scoped.js';
import type { SqlStorageLike } from '../../src/stores/sql.js';
import { createSqliteMcpConnectionStore } from '../../src/stores/sqlite.js';
import { storeContract } from '../../src/testing/store-contract.js';
import { baselineCases } from '../../src/testing/stores/baseline-cases.js';
import { rowCases } from '../../src/testing/stores/row-cases.js';
import { rowOf, toolOf } from '../../src/testing/stores/sample.js';
import { countTexts, objectNamed, storeLater, watched, within } from './stores-kit.js';

const MIB = 1024 * 1024;
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe('the contract of connection stores, in the storage of a Durable Object', () => {
  const queries = new Set<string>();
  /** The largest of all statements. */
  const most = { bindings: 0, bytes: 0 };
  const watch = (query: string, bindings: readonly unknown[]) => {
    queries.add(query);
    const bytes = bindings.map((each) => (typeof each === 'string' ? new TextEncoder().encode(each).length : 8));
    most.bindings = Math.max(most.bindings, bindings.length);
    most.bytes = Math.max(most.bytes, ...bytes);
  };
  const casesIn = (sql: SqlStorageLike) => storeContract(() => createSqliteMcpConnectionStore(watched(sql, watch)));

  for (const [index, { name }] of storeContract(() => expect.fail()).entries()) {
    it(name, () => within(`case ${index}`, (sql) => casesIn(sql)[index]!.run()), 30_000);
  }

  it('S6 and within a store that knows nothing of ours but its four methods', () =>
    within('wrapped', async (sql) => {
      const ours = createSqliteMcpConnectionStore(sql);
      const wrapped: McpConnectionStore = {
        list: () => ours.list(),
        get: (id) => ours.get(id),
        save: (row) => ours.save(row),
        remove: (id) => ours.remove(id),
      };
      for (const [, run] of [...rowCases, ...baselineCases]) await run(wrapped);
    }));

  it('S9 no statement of these had more than 100 bindings, one longer than 1 MiB, a transaction or a second statement', () => {
    expect(queries.size).toBeGreaterThan(10);
    expect(most.bindings).toBeLessThanOrEqual(100);
    expect(most.bytes).toBe(MIB);
    expect([...queries].filter((query) => /;|\b(?:BEGIN|COMMIT|SAVEPOINT|PRAGMA|ATTACH)\b/i.test(query))).toEqual([]);
  });
});

it('S9 a row outlives the object that wrote it, evicted or cut off', async () => {
  const row = rowOf('kept', { tools: [toolOf('a', { description: 'x'.repeat(3 * MIB) }), toolOf('b')] });
  await within('evicted', (sql) => createSqliteMcpConnectionStore(sql).save(row));
  await evictDurableObject(objectNamed('evicted'));
  const found = await within('evicted', (sql) => plain(createSqliteMcpConnectionStore(sql).get('kept')));
  expect(found).toEqual(row);
  await within('evicted', (_, state) => state.abort('cut off')).catch(() => {});
  expect(await within('evicted', (sql) => plain(createSqliteMcpConnectionStore(sql).list()))).toEqual([row]);
});

it('S3 in memory nothing is left of a baseline after an eviction, and the recorded one still stands', async () => {
  const [first, second] = ['a', 'b'].map((hash) => rowOf('baseline', { toolFingerprints: { search: hash } }));
  await within('baseline', (sql) => createSqliteMcpConnectionStore(sql).save(first!));
  await evictDurableObject(objectNamed('baseline'));
  await within('baseline', (sql) => createSqliteMcpConnectionStore(sql).save(second!));
  const found = await within('baseline', (sql) => plain(createSqliteMcpConnectionStore(sql).get('baseline')));
  expect(found).toMatchObject({ toolFingerprints: { search: 'a' } });
});

it('S9 a save of 16 MiB writes its texts in one statement, and then the row in one', async () => {
  const tools = Array.from({ length: 16 }, (_, index) => toolOf(`t${index}`, { description: 'x'.repeat(MIB - 200) }));
  await within('one statement', (sql) => {
    const writes: string[] = [];
    const store = createSqliteMcpConnectionStore(
      watched(sql, (query) => {
        const [verb] = /^(?:INSERT|UPDATE|DELETE) \w+ \w+/.exec(query) ?? [];
        if (verb !== undefined) writes.push(verb);
      }),
    );
    store.list();
    writes.length = 0;
    store.save(rowOf('big', { tools }));
    expect(writes).toEqual([
      'INSERT INTO mcp_toolset_texts',
      'INSERT INTO mcp_toolset_connections',
      'DELETE FROM mcp_toolset_texts',
    ]);
  });
}, 30_000);

it('S9 a wake reads names, descriptions and fingerprints in one statement, and schemas when one is looked at', async () => {
  await within('wake', async (sql) => {
    const rows = [1, 2, 3].map((id) => rowOf(`wake ${id}`, { tools: [toolOf('a'), toolOf('b')] }));
    for (const row of rows) await createSqliteMcpConnectionStore(sql).save(row);
    const queries: string[] = [];
    const store = createSqliteMcpConnectionStore(watched(sql, (query) => queries.push(query)));
    const found = await store.list();
    expect(found.map(({ tools }) => tools.map(({ name, description }) => [name, description]))).toEqual(
      rows.map(({ tools }) => tools.map(({ name, description }) => [name, description])),
    );
    const reads = queries.filter((query) => query.includes('mcp_toolset_texts'));
    expect(reads).toEqual([expect.stringContaining(`t.part <> 'schemas'`)]);
    queries.length = 0;
    expect(plain(found[0])).toEqual(rows[0]);
    expect(plain(found[0])).toEqual(rows[0]);
    expect(queries).toHaveLength(1);
    expect(queries[0]).toContain('part = ?');
  });
});

it('S9 the same catalogue is not written again', async () => {
  await within('same', async (sql) => {
    const writes: string[] = [];
    const store = createSqliteMcpConnectionStore(
      watched(sql, (query) => void (/^SELECT/.test(query) || writes.push(query))),
    );
    const row = rowOf('same');
    await store.save(row);
    writes.length = 0;
    await store.save(row);
    expect(writes).toEqual([]);
    const checked = { ...row, protocol: { ...row.protocol!, checkedAt: 5 } };
    await store.save(checked);
    expect(writes).toEqual([expect.stringMatching(/^UPDATE mcp_toolset_connections SET head/)]);
    expect(plain(await store.get('same'))).toEqual(checked);
  });
});

it('S9 what many saves wrote before is gone, and readers elsewhere keep the generation before', async () => {
  await within('growth', async (sql) => {
    const store = createSqliteMcpConnectionStore(sql);
    const elsewhere = createSqliteMcpConnectionStore(sql);
    const version = (word: string) => rowOf('growth', { tools: [toolOf('t', { inputSchema: { title: word } })] });
    for (let count = 0; count < 30; count++) await store.save(version(`${count}`));
    // Two texts for this catalogue and for the one before, and the baseline.
    expect(countTexts(sql)).toBe(5);
    const [read, late] = [await elsewhere.get('growth'), await elsewhere.get('growth')];
    await store.save(version('next'));
    expect(plain(read)).toEqual(version('29'));
    await store.save(version('last'));
    expect(() => late?.tools[0]?.inputSchema).toThrow('read the row again');
    expect(plain(await elsewhere.get('growth'))).toEqual(version('last'));
    await store.remove('growth');
    expect(countTexts(sql)).toBe(0);
  });
});

it('S2 a scoped store reads its own rows alone', async () => {
  await within('scoped', async (sql) => {
    const base = createSqliteMcpConnectionStore(sql);
    for (const principal of ['a', 'b', 'c']) await scopedStore(base, principal).save(rowOf('row', { name: principal }));
    let rows = 0;
    const counting = {
      exec: (query: string, ...bindings: unknown[]) => {
        const found = [...sql.exec(query, ...bindings)];
        if (query.includes('LEFT JOIN')) rows += new Set(found.map(({ id }) => id)).size;
        return found;
      },
    };
    const mine = scopedStore(createSqliteMcpConnectionStore(counting), 'b');
    expect((await mine.list()).map(({ name }) => name)).toEqual(['b']);
    expect(rows).toBe(1);
  });
});

it('S9 an hour after a save was cut off its texts are swept away, and no other', async () => {
  await within('swept', async (sql) => {
    const row = rowOf('swept');
    createSqliteMcpConnectionStore(sql).save(row);
    const before = countTexts(sql);
    sql.exec(`INSERT INTO mcp_toolset_texts SELECT substr(generation, 1, 9) || 'left', part, position, text
      FROM mcp_toolset_texts WHERE part = 'index'`);
    createSqliteMcpConnectionStore(sql).save(rowOf('other', { toolFingerprints: undefined }));
    expect(countTexts(sql)).toBe(before + 3);
    storeLater(sql, 2 * 3_600_000).save(rowOf('another', { toolFingerprints: undefined }));
    expect(countTexts(sql)).toBe(before + 4);
    expect(plain(await createSqliteMcpConnectionStore(sql).get('swept'))).toEqual(row);
  });
});
