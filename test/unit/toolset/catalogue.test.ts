import { describe, expect, it, vi } from 'vitest';
import type { Projection, QuarantinedTool } from '../../../src/catalog/projection.js';
import type { Diagnostic, Report } from '../../../src/core/diagnostics.js';
import type { JsonSchema } from '../../../src/core/tools.js';
import { BARE_SCHEMA, deferSchema } from '../../../src/schema/defer.js';
import { projectGeneric } from '../../../src/schema/generic.js';
import { type Catalogue, createCatalogue } from '../../../src/toolset/catalogue.js';
import type { Shape } from '../../../src/toolset/forms.js';

interface Given {
  readonly name: string;
  readonly raw?: string;
  readonly description?: string;
  readonly outputSchema?: unknown;
  readonly inputSchema?: JsonSchema;
  /** Default: one server's. */
  readonly identity?: string;
}

const OBJECT = { type: 'object' };

/** A projection of one server's tools; each call makes new objects, as each listing does. */
function projection(given: readonly Given[], rest: Partial<Projection> = {}): Projection {
  const active = given.map(
    ({ name, raw = name, identity = 'i', description = 'd', inputSchema = OBJECT, ...more }) => ({
      name,
      server: 's',
      identity,
      tool: { name: raw, description, inputSchema, outputSchema: more.outputSchema, paramHeaders: [] },
    }),
  );
  return { active, quarantined: [], notices: [], ...rest };
}

const refused = (name: string): QuarantinedTool => ({
  name,
  server: 's',
  identity: 'i',
  tool: name,
  reason: 'Broken.',
});
const NOTHING = { added: [], removed: [], changed: [], quarantined: [], withheld: [] };

/** A catalogue that shows everything in full, with no helpers. */
function catalogueOf({ project, report }: Pick<Shape, 'project'> & { readonly report: Report }): Catalogue {
  return createCatalogue({
    execute: async () => ({ content: [] }),
    shape: { project, defer: deferSchema, bare: BARE_SCHEMA },
    report,
    plan: () => ({ tiers: new Map(), isKept: () => false, notices: [] }),
    helpers: () => [],
  });
}

function create() {
  const reports: Diagnostic[] = [];
  const project = (inputSchema: JsonSchema) => projectGeneric(inputSchema, { schemaDepth: 64, schemaNodes: 10_000 });
  return { catalogue: catalogueOf({ project, report: (diagnostic) => void reports.push(diagnostic) }), reports };
}

describe('projection of schemas', () => {
  it('P4 a schema is projected when somebody looks, and once', () => {
    const project = vi.fn((inputSchema: JsonSchema) => ({
      schema: { ...inputSchema, properties: {} },
      losses: ['#: x'],
    }));
    const catalogue = catalogueOf({ project, report: vi.fn() });
    const first = projection([{ name: 'a' }, { name: 'b' }]);
    catalogue.apply(first);
    expect(project).not.toHaveBeenCalled();
    const read = () => catalogue.tools.a!.inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
    expect(read()).toEqual({ type: 'object', properties: {} });
    expect(project).toHaveBeenCalledTimes(1);
    for (const each of [...catalogue.describe(), ...catalogue.describe()]) {
      expect(each).toMatchObject({ inputSchema: { type: 'object', properties: {} }, losses: ['#: x'] });
    }
    read();
    catalogue.counts('i');
    expect(project).toHaveBeenCalledTimes(2);
    // A new name is no new definition.
    catalogue.apply({ ...first, active: first.active.map((entry) => ({ ...entry, name: `${entry.name}2` })) });
    catalogue.describe();
    expect(project).toHaveBeenCalledTimes(2);
    const inputSchema = { type: 'object', title: 'T' };
    catalogue.apply(projection([{ name: 'a', inputSchema }, { name: 'b' }]));
    expect(project).toHaveBeenCalledTimes(2);
    expect(read()).toEqual({ type: 'object', title: 'T', properties: {} });
    expect(project).toHaveBeenCalledTimes(3);
  });
});

describe('apply', () => {
  it('L5 the map is one object, in the order of the projection, whatever came before', () => {
    const { catalogue } = create();
    const { tools } = catalogue;
    for (const names of [['b', 'd'], ['a', 'b', 'c', 'd'], ['d'], [], ['c', 'd', '__proto__'], ['a', 'constructor']]) {
      catalogue.apply(projection(names.map((name) => ({ name }))));
      expect(Object.keys(tools)).toEqual(names);
      expect(catalogue.describe().map(({ name }) => name)).toEqual(names);
    }
    expect(catalogue.tools).toBe(tools);
    expect(Object.getPrototypeOf(tools)).toBeNull();
  });

  it('N6 says by name what moved: keys before, less removed, with added, are the keys after', () => {
    const { catalogue } = create();
    expect(catalogue.apply(projection([{ name: 'a' }, { name: 'b' }, { name: 'c' }]))).toEqual({
      ...NOTHING,
      added: ['a', 'b', 'c'],
    });
    expect(catalogue.apply(projection([{ name: 'a' }, { name: 'b', description: 'new' }, { name: 'd' }]))).toEqual({
      ...NOTHING,
      added: ['d'],
      removed: ['c'],
      changed: ['b'],
    });
    expect(catalogue.apply(projection([{ name: 'a' }, { name: 'b', description: 'new' }, { name: 'd' }]))).toEqual(
      NOTHING,
    );
    expect(
      catalogue.apply(projection([{ name: 'a', outputSchema: {} }, { name: 'b', description: 'new' }, { name: 'd' }])),
    ).toEqual(NOTHING);
  });

  it('N4 a tool under another name is removed and added, is reported, and stays the same object', () => {
    const { catalogue, reports } = create();
    catalogue.apply(projection([{ name: 'a', raw: 'r' }]));
    const { a } = catalogue.tools;
    expect(catalogue.apply(projection([{ name: 'a_1', raw: 'r' }]))).toEqual({
      ...NOTHING,
      added: ['a_1'],
      removed: ['a'],
    });
    expect(catalogue.tools.a_1).toBe(a);
    expect(reports).toMatchObject([{ code: 'name-moved', tool: 'r', data: { from: 'a', to: 'a_1' } }]);
  });

  it('N4 two tools that change names with each other are both changed', () => {
    const { catalogue } = create();
    catalogue.apply(
      projection([
        { name: 'a', raw: 'r' },
        { name: 'b', raw: 's' },
      ]),
    );
    expect(
      catalogue.apply(
        projection([
          { name: 'a', raw: 's' },
          { name: 'b', raw: 'r' },
        ]),
      ),
    ).toEqual({
      ...NOTHING,
      changed: ['a', 'b'],
    });
  });

  it("N3 N4 another server's tool under a name is a change, however alike it is", () => {
    const { catalogue } = create();
    catalogue.apply(projection([{ name: 'a', identity: 'i' }]));
    expect(catalogue.apply(projection([{ name: 'a', identity: 'j' }]))).toEqual({ ...NOTHING, changed: ['a'] });
  });

  it('L1 a quarantine takes a tool off the map and says so once', () => {
    const { catalogue } = create();
    catalogue.apply(projection([{ name: 'a' }]));
    const broken = projection([], { quarantined: [refused('a'), refused('')] });
    expect(catalogue.apply(broken)).toEqual({ ...NOTHING, removed: ['a'], quarantined: ['a'] });
    expect(catalogue.apply(broken)).toEqual(NOTHING);
    expect(catalogue.find('i', 'a')).toEqual({ state: 'quarantined', reason: 'Broken.' });
    expect(catalogue.find('j', 'a')).toMatchObject({ state: 'unknown' });
    expect(catalogue.counts('i').tools).toEqual({ active: 0, quarantined: 2, withheld: 0 });
    expect(catalogue.apply(projection([{ name: 'a' }]))).toEqual({ ...NOTHING, added: ['a'] });
  });

  it('L5 a tool that was away shows its present definition when it is back', () => {
    const { catalogue } = create();
    catalogue.apply(projection([{ name: 'a', description: 'old' }]));
    const { a } = catalogue.tools;
    catalogue.apply(projection([]));
    catalogue.apply(projection([{ name: 'a', description: 'new' }]));
    expect(catalogue.tools.a).toBe(a);
    expect(a?.description).toBe('new');
    expect(catalogue.describe()).toMatchObject([{ description: 'new' }]);
  });

  it('O1 a notice is reported while it is new, and again after it was gone', () => {
    const { catalogue, reports } = create();
    const notice: Diagnostic = { code: 'filter-unmatched', level: 'warn', message: 'm', data: { entry: 'x' } };
    for (const notices of [[notice, notice], [notice], [], [{ ...notice }]])
      catalogue.apply(projection([], { notices }));
    expect(reports).toEqual([notice, notice]);
  });
});

it('N6 N8 named takes own names only, projected before raw', () => {
  const { catalogue } = create();
  catalogue.apply(
    projection([
      { name: 'a', raw: 'b' },
      { name: 'b', raw: 'c' },
    ]),
  );
  expect(catalogue.named('b')).toBe(catalogue.tools.b);
  expect(catalogue.named('c')).toBe(catalogue.tools.b);
  expect(catalogue.named('a')).toBe(catalogue.tools.a);
  for (const name of ['toString', '__proto__', '']) expect(catalogue.named(name)).toBeUndefined();
});

it('N6 suggests for raw and for projected names, and shows the one to call', () => {
  const { catalogue } = create();
  catalogue.apply(projection([{ name: 'get_weather_0123456789ab', raw: 'get.weather' }]));
  for (const name of ['get.wether', 'get_weather_0123456789ac'])
    expect(catalogue.suggest(name)).toBe(' Did you mean `get_weather_0123456789ab`?');
});

const named = (count: number) => Array.from({ length: count }, (_, index) => ({ name: `t${index}` }));

it('W1 many tools are made in several turns, and are those of the map', async () => {
  const { catalogue } = create();
  const turns = vi.spyOn(globalThis, 'setTimeout');
  try {
    const many = projection(named(1_000));
    await catalogue.prepare(many);
    expect(turns).toHaveBeenCalledTimes(3);
    expect(catalogue.describe()).toEqual([]);
    expect(catalogue.apply(many).added).toHaveLength(1_000);
  } finally {
    turns.mockRestore();
  }
});

describe('tools that left', () => {
  /** Which of these are the objects they were, once all are there again. */
  function survivors(given: readonly Given[], leave: (catalogue: Catalogue) => void): string[] {
    const { catalogue } = create();
    catalogue.apply(projection(given));
    const before = { ...catalogue.tools };
    leave(catalogue);
    catalogue.apply(projection(given));
    return given.map(({ name }) => name).filter((name) => catalogue.tools[name] === before[name]);
  }
  const leaveAll = (catalogue: Catalogue) => void catalogue.apply(projection([]));

  it('L7 a thousand are kept, and of more those that left first are forgotten', () => {
    const tools = named(1_001);
    expect(survivors(named(1_000), leaveAll)).toHaveLength(1_000);
    expect(survivors(tools, leaveAll)).toEqual(tools.slice(1).map(({ name }) => name));
    const [first, ...rest] = tools;
    const lastToLeave = survivors(tools, (catalogue) => {
      catalogue.apply(projection([first!]));
      leaveAll(catalogue);
    });
    expect(lastToLeave).toEqual(tools.filter(({ name }) => name !== rest[0]!.name).map(({ name }) => name));
  });

  it('L7 one that came back is not among them, and counts anew when it leaves again', () => {
    const tools = named(1_002);
    const [first, ...rest] = tools;
    const stayed = survivors(tools, (catalogue) => {
      catalogue.apply(projection(rest));
      catalogue.apply(projection(tools));
      catalogue.apply(projection([first!]));
    });
    expect(stayed).toEqual(tools.filter(({ name }) => name !== rest[0]!.name).map(({ name }) => name));
  });

  it('L7 their definitions are bounded together', () => {
    const large = (name: string) => ({ name, description: 'x'.repeat(1_500_000) });
    const tools = [large('a'), large('b'), large('c'), { name: 'd' }];
    expect(survivors(tools, leaveAll)).toEqual(['b', 'c', 'd']);
  });

  it('L7 one with too many values to measure counts as much as all may', () => {
    const vast = { name: 'a', inputSchema: { type: 'object', enum: Array.from({ length: 100_000 }, () => 0) } };
    expect(survivors([vast], leaveAll)).toEqual(['a']);
    expect(survivors([vast, { name: 'b' }], leaveAll)).toEqual(['b']);
  });
});
