import { fingerprintTool } from '../../core/fingerprint.js';
import { retrustMcpServer } from '../../stores/retrust.js';
import type { McpConnectionRow, McpConnectionStore } from '../../stores/row.js';
import { scopedStore } from '../../stores/scoped.js';
import { holds, refuses, same } from '../contract.js';
import { idsIn, read, rowOf, type StoreCase, toolOf } from './sample.js';

const RACERS = 20;

async function baselineOf(store: McpConnectionStore, id: string) {
  return (await read(store, id)).toolFingerprints;
}

/** A server of its own name, with what was recorded of it before it published other tools. */
async function drifted(store: McpConnectionStore, name: string) {
  const [before, after] = [toolOf('a'), toolOf('a', { description: 'Changed.' })];
  const other = toolOf('b');
  const recorded = { a: await fingerprintTool(before), gone: 'c'.repeat(64) };
  const published = { a: await fingerprintTool(after), b: await fingerprintTool(other) };
  const row = rowOf(`retrust/${name}`, { name, tools: [before], toolFingerprints: recorded });
  await store.save(row);
  await store.save({ ...row, tools: [after, other] });
  return { id: row.id, recorded, published };
}

export const baselineCases: readonly StoreCase[] = [
  [
    'S3 a recorded baseline stays, whatever a later save has',
    async (store) => {
      const row = rowOf('baseline/1');
      await store.save(row);
      await store.save({ ...row, toolFingerprints: { search: 'f'.repeat(64) } });
      same(await baselineOf(store, row.id), row.toolFingerprints, 'after another one');
      await store.save({ ...row, toolFingerprints: {}, tools: [toolOf('new')] });
      same(await baselineOf(store, row.id), row.toolFingerprints, 'after an empty one');
      await store.save({ ...row, toolFingerprints: undefined });
      same(await baselineOf(store, row.id), row.toolFingerprints, 'after none');
    },
  ],
  [
    'S3 the first baseline is recorded when it comes, an empty one too',
    async (store) => {
      const row = rowOf('first/1', { toolFingerprints: undefined });
      await store.save(row);
      holds((await baselineOf(store, row.id)) === undefined, 'There is a baseline that nobody wrote');
      await store.save({ ...row, toolFingerprints: {} });
      await store.save({ ...row, toolFingerprints: { search: 'a' } });
      same(await baselineOf(store, row.id), {}, 'the first one');
    },
  ],
  [
    'S3 removed and saved again, a row has the baseline that it is saved with',
    async (store) => {
      for (const from of ['get', 'list'] as const) {
        const row = rowOf(`again/${from}`);
        await store.save(row);
        const listed = (await store.list()).find(({ id }) => id === row.id);
        const found = from === 'get' ? await read(store, row.id) : (listed as McpConnectionRow);
        await store.remove(row.id);
        await store.save({ ...found, toolFingerprints: { search: 'd' } });
        same(await read(store, row.id), { ...row, toolFingerprints: { search: 'd' } }, `read by ${from}`);
      }
    },
  ],
  [
    'S3 of writers that race for a first baseline one wins, and all see it',
    async (store) => {
      const offers = Array.from({ length: RACERS }, (_, index) => ({ search: String(index) }));
      const seen = await Promise.all(
        offers.map(async (toolFingerprints) => {
          await store.save(rowOf('race/1', { toolFingerprints }));
          return baselineOf(store, 'race/1');
        }),
      );
      const winner = await baselineOf(store, 'race/1');
      holds(
        offers.some(({ search }) => search === winner?.search),
        'The baseline is of nobody',
      );
      same(seen, Array(RACERS).fill(winner), 'what the writers see');
    },
  ],
  [
    'S6 a whole server is trusted anew by clearing its baseline',
    async (store) => {
      const { id } = await drifted(store, 'whole');
      await retrustMcpServer(store, 'whole');
      const row = await read(store, id);
      holds(row.toolFingerprints === undefined, 'The baseline is still there');
      same(
        row.tools.map(({ name }) => name),
        ['a', 'b'],
        'the catalogue',
      );
      await store.save({ ...row, toolFingerprints: { a: 'e' } });
      same(await baselineOf(store, id), { a: 'e' }, 'the next baseline');
    },
  ],
  [
    'S6 named tools alone are moved to what is published, and the others stay as recorded',
    async (store) => {
      const { id, recorded, published } = await drifted(store, 'named');
      await retrustMcpServer(store, 'named', { tools: [] });
      same(await baselineOf(store, id), recorded, 'after none was named');
      await retrustMcpServer(store, 'named', { tools: ['b'] });
      same(await baselineOf(store, id), { ...recorded, b: published.b }, 'after the added one');
      await retrustMcpServer(store, 'named', { tools: [{ name: 'a', fingerprint: published.a }] });
      same(await baselineOf(store, id), { ...recorded, ...published }, 'after the changed one');
    },
  ],
  [
    'S6 a tool that is not what was looked at, or is not published, is refused with all that was named with it',
    async (store) => {
      const { id, recorded, published } = await drifted(store, 'refused');
      const stale = { name: 'a', fingerprint: recorded.a };
      const wanted: Parameters<typeof retrustMcpServer>[2][] = [
        { tools: ['b', stale] },
        { tools: ['b', 'gone'] },
        { tools: ['b', '__proto__'] },
        { tools: [{ name: 'b', fingerprint: published.a }] },
        { tools: ['b', { name: 'a' } as never] },
      ];
      for (const options of wanted) {
        await refuses(() => retrustMcpServer(store, 'refused', options), 'config', JSON.stringify(options));
      }
      await refuses(() => retrustMcpServer(store, 'no such server'), 'config', 'an unknown server');
      same(await baselineOf(store, id), recorded, 'the baseline');
    },
  ],
  [
    'S2 the rows of one principal are invisible to every other',
    async (store) => {
      const [one, two] = [scopedStore(store, 'one'), scopedStore(store, 'two')];
      const [mine, other] = [
        rowOf('scoped/1'),
        rowOf('scoped/1', { tools: [toolOf('mine')], toolFingerprints: { mine: 'a' } }),
      ];
      await one.save(mine);
      await two.save(other);
      same([await read(one, mine.id), await read(two, other.id)], [mine, other], 'rows of one id');
      same([await idsIn(one, ''), await idsIn(two, '')], [[mine.id], [other.id]], 'lists');
      holds((await store.get(mine.id)) === undefined, 'A row of a principal has its own id in the store');
      await retrustMcpServer(one, mine.name);
      holds((await baselineOf(one, mine.id)) === undefined, 'The baseline of one is still there');
      same(await read(two, other.id), other, 'the other row, after a retrust');
      await one.remove(mine.id);
      same([await idsIn(one, ''), await idsIn(two, '')], [[], [other.id]], 'lists after a removal');
      await two.remove(other.id);
    },
  ],
];
