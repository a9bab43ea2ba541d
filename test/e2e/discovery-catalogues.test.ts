import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { asSchema } from 'ai';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanText } from '../../src/core/hidden-text.js';
import { fingerprintTool, type McpOptions } from '../../src/index.js';
import { argumentsFor } from '../support/sample.js';
import { compile, metaErrors, scaffoldIn, schemasIn } from '../support/schemas.js';
import { createRig, definitionBytes, ERAS, namesOf, remoteOf, remoteTools, tool } from './rig.js';

// What published servers answered to `tools/list`. The texts are their authors', so they stay outside the repository.
const FOLDER = new URL('../../../shared/catalogues/', import.meta.url);
const rig = createRig();

type Schema = Record<string, unknown>;

interface Catalogue {
  readonly server: string;
  readonly tools: readonly { readonly name: string; readonly inputSchema: Schema }[];
}

/** The shapes that published schemas have, in words of our own. */
const SHAPES: readonly Schema[] = [
  { type: 'object' },
  { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      from: { type: 'object', properties: { at: { type: 'integer' } }, required: ['at'] },
      to: { $ref: '#/properties/from', description: 'The end.' },
      each: { type: 'array', items: { $ref: '#/properties/from/properties/at' } },
    },
    required: ['from', 'to'],
  },
  {
    type: 'object',
    properties: { filter: { $ref: '#/$defs/filter' } },
    $defs: {
      filter: {
        oneOf: [
          { type: 'object', properties: { is: { type: 'string' } }, required: ['is'] },
          {
            type: 'object',
            properties: { all: { type: 'array', items: { $ref: '#/$defs/filter' } } },
            required: ['all'],
          },
        ],
      },
    },
  },
];

function readCatalogues(): Catalogue[] {
  if (!existsSync(FOLDER)) {
    console.log('The real catalogues are not beside the repository; made-up ones stand in for them.');
    const tools = Array.from({ length: 50 }, (_, index) => ({
      ...tool(`tool.${index}`, { title: `Tool ${index}` }),
      inputSchema: SHAPES[index % SHAPES.length]!,
    }));
    return [
      { server: 'one', tools },
      { server: 'two', tools },
    ];
  }
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json'));
  return files.map((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Catalogue);
}

const catalogues = readCatalogues();

/** The tools turned round by `by` places, in pages of `size`. */
function scattered<T>(tools: readonly T[], by: number, size: number): T[][] {
  const turned = tools.map((_, index) => tools[(index + by) % tools.length]!);
  return Array.from({ length: Math.max(1, Math.ceil(turned.length / size)) }, (_, page) =>
    turned.slice(page * size, (page + 1) * size).reverse(),
  );
}

/** One server for each catalogue, all in one toolset. */
async function serveAll(era: (typeof ERAS)[number], options: McpOptions = {}) {
  const servers = await Promise.all(
    catalogues.map(async ({ server, tools }) => ({ name: server, tools, raw: await rig.raw({ era, tools }) })),
  );
  const configs = servers.map(({ name, raw }) => ({ name, type: 'http', url: raw.url }) as const);
  return { servers, configs, ...(await rig.wire(configs, options)) };
}

it.each(ERAS)(
  'L1 L5 N3 %s: every tool of every catalogue loads beside all others, and its bytes are stable',
  { timeout: 120_000 },
  async (era) => {
    const { servers, configs, toolset, diagnostics } = await serveAll(era);
    const names = namesOf(toolset.tools);
    expect(names).toHaveLength(catalogues.reduce((sum, { tools }) => sum + tools.length, 0));
    for (const name of names) expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
    // Some have more names and descriptions than a budget, which is theirs to have and ours to say (D4).
    const usual = ['name-rewritten', 'disclosure-budget-exceeded', 'hidden-text'];
    expect(diagnostics.filter(({ code }) => !usual.includes(code))).toEqual([]);
    for (const { name, tools } of servers) {
      const own = Object.values(remoteOf(toolset.tools)).filter(({ metadata }) => metadata.server === name);
      expect(new Set(own.map(({ metadata }) => metadata.tool))).toEqual(new Set(tools.map((each) => each.name)));
    }
    const first = definitionBytes(toolset);
    const described = JSON.stringify(remoteTools(toolset));

    servers.forEach(({ tools, raw }, index) => {
      raw.set({ pages: scattered(tools, index + 1, Math.max(1, Math.ceil(tools.length / 7))) });
    });
    const change = await toolset.refresh();
    expect(change).toEqual({ added: [], removed: [], changed: [], quarantined: [], withheld: [] });
    expect(definitionBytes(toolset)).toBe(first);
    expect(JSON.stringify(remoteTools(toolset))).toBe(described);
    const again = await rig.wire(configs);
    expect(definitionBytes(again.toolset)).toBe(first);
    expect(JSON.stringify(remoteTools(again.toolset))).toBe(described);
  },
);

/** Nothing that the original accepts may be refused: tried on arguments that its author may have had in mind. */
function expectNoTightening(original: Schema, projected: unknown): number {
  const reading = String(original.$schema).includes('draft-07') ? 'draft-07' : '2020-12';
  const accepts = compile(original, { reading })!;
  const samples = fc.sample(argumentsFor(original), { numRuns: 200, seed: 7 });
  const accepted = samples.filter((value) => accepts(value));
  const check = compile(projected, { reading })!;
  for (const value of accepted) expect([value, check(value)]).toEqual([value, true]);
  return accepted.length;
}

it('P4 P3 S4 the schema of every tool of every catalogue is projected, and nothing is tightened', {
  timeout: 120_000,
}, async () => {
  const { toolset } = await serveAll('legacy', { disclosure: { budget: Number.POSITIVE_INFINITY } });
  const originals = new Map(
    catalogues.flatMap(({ server, tools }) => tools.map((each) => [`${server} ${each.name}`, each])),
  );
  const figures = { tools: 0, referring: 0, lossy: 0, losses: [] as string[] };
  for (const { name, server, tool: raw, inputSchema, losses = [], descriptionHash } of remoteTools(toolset)) {
    const entry = originals.get(`${server} ${raw}`)!;
    const refers = [...schemasIn(entry.inputSchema)].some(([, each]) => Object.hasOwn(each, '$ref'));
    figures.tools += 1;
    figures.referring += refers ? 1 : 0;
    figures.lossy += losses.length > 0 ? 1 : 0;
    figures.losses.push(...losses.map((loss) => `${name} ${loss}`));
    expect([name, scaffoldIn(inputSchema), metaErrors(inputSchema)]).toEqual([name, [], []]);
    expect(inputSchema).toMatchObject({ type: 'object', properties: {} });
    expect(await asSchema(toolset.tools[name]!.inputSchema as never).jsonSchema).toEqual(inputSchema);
    expect(descriptionHash).toBe(await fingerprintTool(entry));
    if (!refers) {
      // Nothing is touched but a root without properties and text that nobody sees, and so nothing can be tightened.
      const visible = JSON.parse(cleanText(JSON.stringify(entry.inputSchema)));
      expect([name, losses, inputSchema]).toEqual([name, [], { properties: {}, ...visible }]);
      continue;
    }
    expect([name, expectNoTightening(entry.inputSchema, inputSchema)]).toEqual([
      name,
      expect.toSatisfy((count) => count > 10),
    ]);
  }
  expect(figures.tools).toBe(originals.size);
  expect(figures.referring).toBeGreaterThan(0);
  if (process.env.CATALOGUE_FIGURES !== undefined) console.log(figures);
});

it('D2 P0 the schema of every tool of every catalogue has a deferred form that takes all that it takes', {
  timeout: 240_000,
}, async () => {
  const { toolset, servers } = await serveAll('legacy', { disclosure: { budget: 0 } });
  for (const { disclosure } of toolset.servers) expect(disclosure).toBe('deferred');
  const originals = new Map(
    servers.flatMap(({ name, tools }) => tools.map((each) => [`${name} ${each.name}`, each.inputSchema])),
  );
  const figures = { tools: 0, parameters: 0, typed: 0, samples: 0 };
  for (const { name, server, tool: raw, inputSchema } of remoteTools(toolset)) {
    const original = originals.get(`${server} ${raw}`)!;
    const {
      type,
      properties,
      required = [],
      ...rest
    } = inputSchema as Schema & { properties: Schema; required?: string[] };
    expect([name, type, rest, metaErrors(inputSchema)]).toEqual([name, 'object', {}, []]);
    expect(Object.keys(properties)).toEqual(
      expect.arrayContaining([...required, ...Object.keys((original.properties ?? {}) as Schema)]),
    );
    const keywords = new Set([...schemasIn(inputSchema)].flatMap(([, each]) => Object.keys(each)));
    for (const keyword of ['type', 'properties', 'required', 'items']) keywords.delete(keyword);
    expect([name, ...keywords]).toEqual([name]);
    expect(await asSchema(toolset.tools[name]!.inputSchema as never).jsonSchema).toEqual(inputSchema);
    figures.tools += 1;
    figures.parameters += Object.keys(properties).length;
    figures.typed += Object.values(properties).filter((each) => Object.hasOwn(each as Schema, 'type')).length;
    figures.samples += expectNoTightening(original, inputSchema);
  }
  expect(figures.tools).toBe(originals.size);
  // Nearly every parameter tells what it is.
  expect(figures.typed / figures.parameters).toBeGreaterThan(0.9);
  expect(figures.samples).toBeGreaterThan(figures.tools * 20);
  if (process.env.CATALOGUE_FIGURES !== undefined) console.log(figures);
});
