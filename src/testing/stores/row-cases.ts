import type { McpConnectionRow, StoredTool } from '../../stores/row.js';
import { holds, same } from '../contract.js';
import { idsIn, read, rowOf, type StoreCase, toolOf } from './sample.js';

/** Names that some engine, language or quoting does not carry: they are data like all others. */
const ODD_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'a\u0000b',
  '\ud800',
  '\udfff',
  `it's "quoted" \`here\``,
  'a;\n--\\',
  '%_?',
  '😀',
  'é',
  'e\u0301',
  '\u202e',
  'x'.repeat(1_024),
];

const SECRET = 'canary-contract-3b1f';

export const rowCases: readonly StoreCase[] = [
  [
    'S1 a row is read as it was written, by its id and in the list',
    async (store) => {
      const row = rowOf('row/whole');
      await store.save(row);
      same(await read(store, row.id), row, 'get');
      same(
        (await store.list()).find(({ id }) => id === row.id),
        row,
        'list',
      );
      const least: McpConnectionRow = { id: 'row/least', name: 'least', type: 'custom', tools: [] };
      await store.save(least);
      const found = await read(store, least.id);
      same(found, least, 'a row with the least');
      same(
        ['url', 'toolFingerprints', 'protocol'].filter(
          (field) => field in found && found[field as 'url'] !== undefined,
        ),
        [],
        'fields that were not written',
      );
    },
  ],
  [
    'S1 nothing but the fields of a row is kept, and of a URL neither query nor userinfo',
    async (store) => {
      const more = {
        headers: { authorization: SECRET },
        session: { id: SECRET },
        execute: () => SECRET,
        token: SECRET,
      };
      const row = {
        ...rowOf('row/more', { url: `https://user:${SECRET}@mcp.example.com/mcp?key=${SECRET}#${SECRET}` }),
        ...more,
        tools: [{ ...toolOf('search'), ...more, _meta: { note: SECRET } }],
        protocol: { ...rowOf('').protocol!, ...more, instructions: SECRET, serverInfo: { name: SECRET } },
      };
      await store.save(row);
      const expected = { ...rowOf('row/more'), tools: [toolOf('search')] };
      const found = await read(store, row.id);
      same(found, expected, 'what is kept');
      holds(!JSON.stringify([found, await store.list()]).includes(SECRET), 'A secret of the caller is in the store');
    },
  ],
  [
    'S2 two servers of one name are two rows, and neither knows of the other',
    async (store) => {
      const [one, two] = [
        rowOf('twin/1'),
        rowOf('twin/2', { url: 'https://other.example.com/mcp', tools: [toolOf('other')] }),
      ];
      await store.save(one);
      await store.save(two);
      same([await read(store, one.id), await read(store, two.id)], [one, two], 'both rows');
      await store.remove(one.id);
      same(await idsIn(store, 'twin/'), [two.id], 'rows after one was removed');
      same(await read(store, two.id), two, 'the other row');
    },
  ],
  [
    'S1 a row that is not there is undefined, and is removed without harm',
    async (store) => {
      holds((await store.get('none/1')) === undefined, 'A row that nobody wrote was read');
      await store.remove('none/1');
      await store.save(rowOf('none/1'));
      await store.remove('none/1');
      holds((await store.get('none/1')) === undefined, 'A row was read after it was removed');
      same(await idsIn(store, 'none/'), [], 'rows');
    },
  ],
  [
    'S9 a save replaces the catalogue as a whole',
    async (store) => {
      await store.save(rowOf('replace/1'));
      const next = rowOf('replace/1', {
        tools: [toolOf('else', { description: 'New.' })],
        protocol: undefined,
        url: undefined,
      });
      await store.save(next);
      same(await read(store, next.id), next, 'after another catalogue');
      await store.save({ ...next, tools: [] });
      same((await read(store, next.id)).tools, [], 'after an empty catalogue');
      same(await idsIn(store, 'replace/'), ['replace/1'], 'rows');
    },
  ],
  [
    'S1 what was written or read may be changed, and the store is not',
    async (store) => {
      const row = JSON.parse(JSON.stringify(rowOf('apart/1')));
      const untouched = JSON.parse(JSON.stringify(row));
      await store.save(row);
      row.tools[0].inputSchema.properties.text.type = 'changed';
      row.toolFingerprints.search = 'changed';
      row.protocol.capabilities.tools = 'changed';
      same(await read(store, 'apart/1'), untouched, 'after the written row was changed');
      const found = await read(store, 'apart/1');
      (found.tools[0]?.inputSchema as { type: string }).type = 'changed';
      (found.tools as StoredTool[]).pop();
      same(await read(store, 'apart/1'), untouched, 'after the read row was changed');
    },
  ],
  [
    'S9 any name of a tool and any id is carried to the letter',
    async (store) => {
      const tools = ODD_NAMES.map((name) => toolOf(name, { title: name, description: name }));
      const toolFingerprints = Object.fromEntries(ODD_NAMES.map((name, index) => [name, String(index).repeat(8)]));
      for (const name of ODD_NAMES) await store.save(rowOf(`odd/${name}`, { name, tools, toolFingerprints }));
      for (const name of ODD_NAMES) {
        same(
          await read(store, `odd/${name}`),
          rowOf(`odd/${name}`, { name, tools, toolFingerprints }),
          JSON.stringify(name),
        );
      }
      same(await idsIn(store, 'odd/'), ODD_NAMES.map((name) => `odd/${name}`).sort(), 'ids');
      for (const name of ODD_NAMES) await store.remove(`odd/${name}`);
      same(await idsIn(store, 'odd/'), [], 'ids after all were removed');
    },
  ],
  [
    'S9 a schema comes back as the same JSON text, its keys in their order',
    async (store) => {
      const text =
        '{"type":"object","properties":{"z":{"const":1e21},"__proto__":{"type":"string"},"a":{"enum":["\\ud800",null,-0.5,"\\u0000"]},"10":{},"9":{}},"constructor":{"x":[]}}';
      const inputSchema = JSON.parse(text);
      const outputSchema = { b: 1, a: { d: 1, c: [] } };
      await store.save(
        rowOf('text/1', { tools: [toolOf('t', { inputSchema, outputSchema, annotations: { title: 'x', a: 1 } })] }),
      );
      const [tool] = (await read(store, 'text/1')).tools;
      const texts = [tool?.inputSchema, tool?.outputSchema, tool?.annotations].map((part) => JSON.stringify(part));
      same(texts, [JSON.stringify(inputSchema), '{"b":1,"a":{"d":1,"c":[]}}', '{"title":"x","a":1}'], 'texts');
      same(JSON.stringify({ ...tool }), JSON.stringify(tool), 'a copy of the tool');
    },
  ],
];
