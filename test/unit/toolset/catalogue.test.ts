import { describe, expect, it } from 'vitest';
import type { Projection, QuarantinedTool } from '../../../src/catalog/projection.js';
import type { Diagnostic } from '../../../src/core/diagnostics.js';
import { createCatalogue } from '../../../src/toolset/catalogue.js';

interface Given {
  readonly name: string;
  readonly raw?: string;
  readonly description?: string;
  readonly outputSchema?: unknown;
}

/** A projection of one server's tools; each call makes new objects, as each listing does. */
function projection(given: readonly Given[], rest: Partial<Projection> = {}): Projection {
  const active = given.map(({ name, raw = name, description = 'd', outputSchema }) => ({
    name,
    server: 's',
    identity: 'i',
    tool: { name: raw, description, inputSchema: { type: 'object' }, outputSchema, paramHeaders: [] },
  }));
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

function create() {
  const reports: Diagnostic[] = [];
  const catalogue = createCatalogue(
    async () => ({ content: [] }),
    (diagnostic) => void reports.push(diagnostic),
  );
  return { catalogue, reports };
}

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

  it('L1 a quarantine takes a tool off the map and says so once', () => {
    const { catalogue } = create();
    catalogue.apply(projection([{ name: 'a' }]));
    const broken = projection([], { quarantined: [refused('a'), refused('')] });
    expect(catalogue.apply(broken)).toEqual({ ...NOTHING, removed: ['a'], quarantined: ['a'] });
    expect(catalogue.apply(broken)).toEqual(NOTHING);
    expect(catalogue.find('i', 'a')).toEqual({ state: 'quarantined', reason: 'Broken.' });
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
