import { describe, expect, it } from 'vitest';
import {
  type DisclosureRules,
  planDisclosure,
  type ServerSizes,
  type ToolSizes,
} from '../../../src/catalog/disclosure.js';

interface Sizes {
  readonly full: number;
  /** Of the schema alone. */
  readonly deferred?: number;
  readonly bare?: number;
  readonly floor?: number;
}

const tool = (name: string, { full, deferred = 0, bare = 0, floor = 0 }: Sizes): ToolSizes => ({
  name,
  floor,
  tokens: (form) => (form === 'full' ? full : floor + (form === 'deferred' ? deferred : bare)),
  schemaTokens: (form) => (form === 'deferred' ? deferred : bare),
});

const server = (name: string, ...tools: readonly Sizes[]): ServerSizes => ({
  identity: `id of ${name}`,
  name,
  configuredName: name,
  listed: true,
  tools: tools.map((sizes, index) => tool(`${name}__${index}`, sizes)),
});

function plan(servers: readonly ServerSizes[], rules: Partial<DisclosureRules> = {}) {
  const made = planDisclosure(servers, { budget: 100, total: undefined, alwaysLoad: [], ...rules });
  return { ...made, tiers: servers.map(({ identity }) => made.tiers.get(identity)) };
}

describe('each server by its own budget', () => {
  const cases: readonly (readonly [what: string, tools: readonly Sizes[], tier: string])[] = [
    ['no tools', [], 'full'],
    ['exactly the budget', [{ full: 60 }, { full: 40 }], 'full'],
    ['one token more', [{ full: 60 }, { full: 41 }], 'deferred'],
    [
      'names of parameters that just fit',
      [
        { full: 500, deferred: 60 },
        { full: 500, deferred: 40 },
      ],
      'deferred',
    ],
    ['names of parameters that do not', [{ full: 500, deferred: 101, bare: 9 }], 'bare'],
    ['names and descriptions do not count for the schemas', [{ full: 500, deferred: 100, floor: 300 }], 'deferred'],
    ['nothing would be gained', [{ full: 500, deferred: 200, bare: 101 }], 'deferred'],
  ];
  it.each(cases)('D1 D3 %s', (_, tools, tier) => {
    expect(plan([server('a', ...tools)]).tiers).toEqual([tier]);
  });

  it('D1 one server is not judged by what another publishes', () => {
    expect(plan([server('a', { full: 100 }), server('b', { full: 101 })]).tiers).toEqual(['full', 'deferred']);
  });

  it('D1 is told as soon as the budget is passed', () => {
    const looked: string[] = [];
    const sizes = (name: string): ToolSizes => ({
      ...tool(name, { full: 60, deferred: 1 }),
      tokens: (form) => {
        looked.push(`${name} ${form}`);
        return 60;
      },
    });
    const tools = ['1', '2', '3', '4'].map(sizes);
    expect(plan([{ ...server('a'), tools }]).tiers).toEqual(['deferred']);
    expect(looked).toEqual(['1 full', '2 full']);
  });

  it('D4 names and descriptions beyond the budget are reported with their number, their size and the way down', () => {
    const { tiers, notices } = plan([server('a', { full: 500, deferred: 5, floor: 60 }, { full: 500, floor: 41 })]);
    expect(tiers).toEqual(['deferred']);
    expect(notices).toEqual([
      expect.objectContaining({
        code: 'disclosure-budget-exceeded',
        server: 'a',
        message: expect.stringMatching(/2 tools.*101 tokens.*100.*`tools` filter/),
        data: { scope: 'server', tools: 2, floor: 101, budget: 100 },
      }),
    ]);
    expect(plan([server('a', { full: 500, floor: 100 })]).notices).toEqual([]);
  });
});

describe('alwaysLoad', () => {
  it('D1 keeps a server in full by its name, the configured one too', () => {
    const big = server('a', { full: 500 });
    expect(plan([big], { alwaysLoad: ['a'] }).tiers).toEqual(['full']);
    expect(plan([{ ...big, name: 'a_12345678' }], { alwaysLoad: ['a'] }).tiers).toEqual(['full']);
  });

  it('D1 keeps one tool in full, and the rest of its server is judged as ever', () => {
    const made = plan([server('a', { full: 90, deferred: 90 }, { full: 90, deferred: 20 })], { alwaysLoad: ['a__0'] });
    expect(made.tiers).toEqual(['deferred']);
    expect([made.isKept('a__0'), made.isKept('a__1')]).toEqual([true, false]);
  });

  it('D1 a server of which every tool is kept hides nothing', () => {
    expect(plan([server('a', { full: 500 })], { alwaysLoad: ['a__0'] }).tiers).toEqual(['full']);
  });

  it('D1 names what matches nothing, unless a server could not be read', () => {
    const { notices } = plan([server('a', { full: 1 })], { alwaysLoad: ['a', 'a__0', 'b'] });
    expect(notices).toEqual([expect.objectContaining({ code: 'filter-unmatched', data: { entry: 'b' } })]);
    expect(plan([{ ...server('a'), listed: false }], { alwaysLoad: ['b'] }).notices).toEqual([]);
  });
});

describe('all servers together', () => {
  const small = { full: 40, deferred: 10, bare: 2, floor: 5 };
  const large = { full: 80, deferred: 10, bare: 2, floor: 5 };

  it('D5 leaves what fits', () => {
    expect(plan([server('a', small), server('b', large)], { total: 120 }).tiers).toEqual(['full', 'full']);
  });

  it('D5 defers the largest first, until it fits', () => {
    const three = [server('a', small), server('b', large), server('c', small)];
    expect(plan(three, { total: 159 }).tiers).toEqual(['full', 'deferred', 'full']);
    // Of two of one size, the first in the configuration.
    expect(plan(three, { total: 90 }).tiers).toEqual(['deferred', 'deferred', 'full']);
  });

  it('D5 gives up names of parameters where that alone makes it fit', () => {
    const two = [server('a', { ...small, deferred: 11 }), server('b', large)];
    expect(plan(two, { total: 31 }).tiers).toEqual(['deferred', 'deferred']);
    expect(plan(two, { total: 30 }).tiers).toEqual(['bare', 'deferred']);
    expect(plan(two, { total: 14 }).tiers).toEqual(['bare', 'bare']);
    const { tiers, notices } = plan(two, { total: 13 });
    expect(tiers).toEqual(['deferred', 'deferred']);
    expect(notices).toEqual([
      expect.objectContaining({
        code: 'disclosure-budget-exceeded',
        message: expect.stringMatching(/2 tools.*13 tokens.*10 tokens.*`tools` filter/),
        data: { scope: 'total', tools: 2, floor: 10, budget: 13 },
      }),
    ]);
  });

  it('D5 never defers what alwaysLoad keeps, and says so where it does not fit', () => {
    const two = [server('a', small), server('b', large)];
    const kept = plan(two, { total: 100, alwaysLoad: ['b'] });
    expect([kept.tiers, kept.notices]).toEqual([['deferred', 'full'], []]);
    const { tiers, notices } = plan(two, { total: 70, alwaysLoad: ['b'] });
    expect(tiers).toEqual(['deferred', 'full']);
    expect(notices[0]).toMatchObject({ message: expect.stringMatching(/alwaysLoad.*80 tokens/) });
  });

  it('D5 leaves a server alone that would not become smaller', () => {
    const two = [server('a', { full: 50, deferred: 50, floor: 0 }), server('b', { full: 40, deferred: 10 })];
    expect(plan(two, { total: 60 }).tiers).toEqual(['full', 'deferred']);
  });
});
