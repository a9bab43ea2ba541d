import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRig, definitionBytes, ERAS, tool } from './rig.js';

// What published servers answered to `tools/list`. The texts are their authors', so they stay outside the repository.
const FOLDER = new URL('../../../shared/catalogues/', import.meta.url);
const rig = createRig();

interface Catalogue {
  readonly server: string;
  readonly tools: readonly { readonly name: string }[];
}

function readCatalogues(): Catalogue[] {
  if (!existsSync(FOLDER)) {
    console.log('The real catalogues are not beside the repository; a made-up one stands in for them.');
    const tools = Array.from({ length: 50 }, (_, index) => tool(`tool.${index}`, { title: `Tool ${index}` }));
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

it.each(ERAS)(
  'L1 L5 N3 %s: every tool of every catalogue loads beside all others, and its bytes are stable',
  { timeout: 60_000 },
  async (era) => {
    const servers = await Promise.all(
      catalogues.map(async ({ server, tools }) => ({ name: server, tools, raw: await rig.raw({ era, tools }) })),
    );
    const configs = servers.map(({ name, raw }) => ({ name, type: 'http', url: raw.url }) as const);
    const { toolset, diagnostics } = await rig.wire(configs);
    const names = Object.keys(toolset.tools);
    expect(names).toHaveLength(catalogues.reduce((sum, { tools }) => sum + tools.length, 0));
    for (const name of names) expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
    expect(diagnostics.filter(({ code }) => code !== 'name-rewritten')).toEqual([]);
    for (const { name, tools } of servers) {
      const own = Object.values(toolset.tools).filter(({ metadata }) => metadata.server === name);
      expect(new Set(own.map(({ metadata }) => metadata.tool))).toEqual(new Set(tools.map((each) => each.name)));
    }
    const first = definitionBytes(toolset);

    servers.forEach(({ tools, raw }, index) => {
      raw.set({ pages: scattered(tools, index + 1, Math.max(1, Math.ceil(tools.length / 7))) });
    });
    const change = await toolset.refresh();
    expect(change).toEqual({ added: [], removed: [], changed: [], quarantined: [], withheld: [] });
    expect(definitionBytes(toolset)).toBe(first);
    const again = await rig.wire(configs);
    expect(definitionBytes(again.toolset)).toBe(first);
  },
);
