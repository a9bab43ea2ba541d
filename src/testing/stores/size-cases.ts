import type { McpConnectionRow, StoredTool } from '../../stores/row.js';
import { holds, same } from '../contract.js';
import { read, rowOf, type StoreCase, toolOf } from './sample.js';

const MANY = 10_000;
const MIB = 1024 * 1024;

/** About as many bytes as asked for in all, as a server may publish them. */
function manyTools(count: number, bytes: number): StoredTool[] {
  const filler = 'ä'.repeat(Math.floor(bytes / count / 4));
  return Array.from({ length: count }, (_, index) =>
    toolOf(`tool_${index}`, {
      description: `${index} ${filler}`,
      inputSchema: { type: 'object', properties: { [`p${index}`]: { description: filler } } },
    }),
  );
}

/** Every tool, its schemas looked at. */
function textOf(row: McpConnectionRow): string {
  return JSON.stringify(row.tools);
}

export const sizeCases: readonly StoreCase[] = [
  [
    'S9 a catalogue of 10,000 tools and 16 MiB comes back whole, and so does what replaces it',
    async (store) => {
      const tools = manyTools(MANY, 16 * MIB);
      const toolFingerprints = Object.fromEntries(
        tools.map(({ name }, index) => [name, String(index).padStart(64, '0')]),
      );
      const row = rowOf('big/1', { tools, toolFingerprints });
      await store.save(row);
      const found = await read(store, row.id);
      holds(textOf(found) === textOf(row), 'The catalogue is not the same');
      same(found.toolFingerprints, toolFingerprints, 'the baseline');
      await store.save({ ...row, tools: tools.slice(0, 3) });
      same((await read(store, row.id)).tools, tools.slice(0, 3), 'the small catalogue after it');
      await store.remove(row.id);
    },
  ],
  [
    'S9 one tool may be longer than a row of a database, in any script',
    async (store) => {
      const long = '😀é\u0000"\\a漢'.repeat(MIB / 4);
      const row = rowOf('long/1', {
        tools: [toolOf('long', { description: long, inputSchema: { type: 'object', title: long } })],
      });
      await store.save(row);
      holds(textOf(await read(store, row.id)) === textOf(row), 'The tool is not the same');
      await store.remove(row.id);
    },
  ],
  [
    'S9 of catalogues that are saved at once one is there, whole',
    async (store) => {
      const rows = Array.from({ length: 10 }, (_, index) =>
        rowOf('at-once/1', {
          tools: Array.from({ length: 50 }, (_, tool) => toolOf(`t${tool}`, { description: `${index}` })),
        }),
      );
      const readers = rows.map(async (row) => {
        await store.save(row);
        return textOf(await read(store, row.id));
      });
      const texts = rows.map(textOf);
      const seen = [...(await Promise.all(readers)), textOf(await read(store, 'at-once/1'))];
      same(
        seen.filter((text) => !texts.includes(text)).map((text) => text.slice(0, 100)),
        [],
        'catalogues that nobody saved',
      );
    },
  ],
  [
    'S9 rows that are saved at once are all there',
    async (store) => {
      const rows = Array.from({ length: 20 }, (_, index) => rowOf(`many/${index}`, { name: `server ${index}` }));
      await Promise.all(rows.map((row) => store.save(row)));
      for (const row of rows) same(await read(store, row.id), row, row.id);
      await Promise.all(rows.map(({ id }) => store.remove(id)));
    },
  ],
  [
    'S9 what was read stays what it was, whatever is saved, removed or looked at since',
    async (store) => {
      const versions = ['one', 'two', 'three'].map((word) =>
        rowOf('since/1', { tools: [toolOf('t', { inputSchema: { type: 'object', title: word } })] }),
      );
      const found: McpConnectionRow[] = [];
      for (const row of versions) {
        await store.save(row);
        found.push(await read(store, row.id));
      }
      await store.remove('since/1');
      same(found, versions, 'rows that were read before');
    },
  ],
];
