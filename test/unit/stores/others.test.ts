import { describe, expect, it } from 'vitest';
import { createMemoryMcpConnectionStore } from '../../../src/stores/memory.js';
import { retrustMcpServer } from '../../../src/stores/retrust.js';
import type { McpConnectionStore } from '../../../src/stores/row.js';
import { scopedStore } from '../../../src/stores/scoped.js';
import { storeContract } from '../../../src/testing/store-contract.js';
import { rowOf } from '../../../src/testing/stores/sample.js';

/** A store of somebody else's: the four methods, promises, and rows that went through JSON text. */
function createOther(): McpConnectionStore {
  const store = createMemoryMcpConnectionStore();
  const later = async <T>(value: T): Promise<T> => {
    const given = await value;
    return given === undefined ? given : JSON.parse(JSON.stringify(given));
  };
  return {
    list: () => later(store.list() as never),
    get: (id) => later(store.get(id) as never),
    save: async (row) => store.save(row),
    remove: async (id) => store.remove(id),
  };
}

describe('a store of somebody else’s', () => {
  for (const { name, run } of storeContract(createOther)) it(`keeps the contract: ${name}`, run, 30_000);
});

describe('scopedStore', () => {
  for (const { name, run } of storeContract(() => scopedStore(createMemoryMcpConnectionStore(), 'a'))) {
    it(`keeps the contract: ${name}`, run, 30_000);
  }

  it.each(['', undefined, 5])('S2 the principal %j is refused', (principal) => {
    expect(() => scopedStore(createMemoryMcpConnectionStore(), principal as never)).toThrow('non-empty string');
  });

  it('S2 principals whose texts are alike have their own rows', async () => {
    const store = createMemoryMcpConnectionStore();
    const principals = ['a', 'A', 'a ', 'a:', '\ud800', '\ud801', 'é', 'e\u0301'];
    for (const principal of principals) await scopedStore(store, principal).save(rowOf('row', { name: principal }));
    for (const principal of principals) {
      expect((await scopedStore(store, principal).list()).map(({ name }) => name)).toEqual([principal]);
    }
  });

  it('S1 a store below is given the fields of a row alone, and no principal', async () => {
    const given: unknown[] = [];
    const below: McpConnectionStore = { ...createOther(), save: (row) => void given.push(row) };
    await scopedStore(below, 'somebody@example.com').save({ ...rowOf('row'), headers: {}, session: {} } as never);
    expect(Object.keys(given[0] as object).sort()).toEqual([
      'id',
      'name',
      'protocol',
      'toolFingerprints',
      'tools',
      'type',
      'url',
    ]);
    expect(JSON.stringify(given)).not.toContain('somebody');
  });

  it('S3 a row that cannot be read is in the list, and is not read there either', async () => {
    const refuse = (): never => {
      throw new Error('damaged');
    };
    const broken = Object.defineProperties(
      { id: '', name: 'docs', type: 'http' },
      { tools: { get: refuse, enumerable: true } },
    );
    const below = createOther();
    await scopedStore(below, 'a').save(rowOf('row'));
    const list = async () =>
      (await below.list()).map(({ id }) => Object.defineProperty(broken, 'id', { value: id }) as never);
    const [row] = await scopedStore({ ...below, list }, 'a').list();
    expect(row).toMatchObject({ id: 'row', name: 'docs' });
    expect(() => row?.tools).toThrow('damaged');
  });
});

describe('retrustMcpServer', () => {
  it('S6 `tools` of another form is refused before the store is asked', async () => {
    const store = new Proxy({} as McpConnectionStore, { get: () => expect.fail() });
    for (const tools of ['a', {}, [5], [{ name: 'a' }], [{ fingerprint: 'a' }]]) {
      await expect(retrustMcpServer(store, 'docs', { tools: tools as never })).rejects.toMatchObject({
        code: 'config',
      });
    }
  });

  it('S6 of two servers of one name, each is moved to what it publishes itself', async () => {
    const store = createMemoryMcpConnectionStore();
    const [one, two] = [rowOf('1'), rowOf('2', { tools: rowOf('2').tools.slice(1) })];
    await store.save(one);
    await store.save(two);
    await retrustMcpServer(store, 'docs', { tools: ['search'] });
    const moved = await store.get('1');
    expect(moved?.toolFingerprints?.search).not.toBe(one.toolFingerprints?.search);
    expect(moved?.toolFingerprints?.fetch).toBe(one.toolFingerprints?.fetch);
    expect((await store.get('2'))?.toolFingerprints).toEqual(two.toolFingerprints);
  });

  it('S6 a name that is a slip is told from one that is unknown', async () => {
    const store = createMemoryMcpConnectionStore();
    await store.save(rowOf('1'));
    await expect(retrustMcpServer(store, 'doc')).rejects.toThrow('Did you mean `docs`?');
    await expect(retrustMcpServer(store, 'docs', { tools: ['serch'] })).rejects.toThrow('Did you mean `search`');
  });
});
