import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admitTool } from '../../../src/catalog/admit.js';
import { type ProjectionRules, projectCatalogues, type ServerCatalogue } from '../../../src/catalog/projection.js';
import { surveyEntries } from '../../../src/catalog/survey.js';

const BOUNDS = { schemaDepth: 64, schemaNodes: 1_000 };
const RULES: ProjectionRules = { filter: undefined, names: 'rewrite' };

function catalogue(name: string, entries: readonly unknown[], rest: Partial<ServerCatalogue> = {}): ServerCatalogue {
  const survey = surveyEntries(
    entries.map((entry) => admitTool(entry, BOUNDS)),
    false,
  );
  const base = { name, identity: `id-of-${name}`, prefix: undefined, filter: undefined, listed: true };
  return { ...base, filterPrefix: `${name}__`, survey, ...rest };
}

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
const named = (name: string, raws: readonly string[], rest: Partial<ServerCatalogue> = {}) =>
  catalogue(name, raws.map(tool), rest);

describe('projectCatalogues', () => {
  it('L5 servers as given, tools by projected name', () => {
    const servers = [named('z', ['b', 'B', 'a']), named('a', ['c', '_', 'c2'])];
    const { active } = projectCatalogues(servers, RULES);
    expect(active.map(({ name }) => name)).toEqual(['z__B', 'z__a', 'z__b', 'a___', 'a__c', 'a__c2']);
    expect(active.map(({ server }) => server)).toEqual(['z', 'z', 'z', 'a', 'a', 'a']);
  });

  it('L5 N3 neither the order of tools nor that of servers changes a name; none is given twice', () => {
    const raw = fc.oneof(fc.constantFrom('a', 'b__c', 'c', 'a.b', 'a b', '__proto__', ''), fc.string({ maxLength: 6 }));
    const entries = fc.uniqueArray(raw, { maxLength: 12 });
    fc.assert(
      fc.property(entries, entries, fc.boolean(), (one, other, turned) => {
        const servers = [named('a', one), named('a__b', other)];
        const again = [named('a__b', [...other].reverse()), named('a', [...one].reverse())];
        if (!turned) again.reverse();
        const list = ({ active, quarantined }: ReturnType<typeof projectCatalogues>) =>
          [...active, ...quarantined].map(({ server, name, tool: raw }) =>
            JSON.stringify([server, typeof raw === 'string' ? raw : raw.name, name]),
          );
        const projected = projectCatalogues(servers, RULES);
        expect(list(projectCatalogues(again, RULES)).sort()).toEqual(list(projected).sort());
        const names = [...projected.active, ...projected.quarantined].flatMap(({ name }) =>
          name === '' ? [] : [name],
        );
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });

  it('N3 N4 a tool that only differs by its server keeps apart from it', () => {
    const servers = [named('one', ['t'], { prefix: '' }), named('two', ['t'], { prefix: '' })];
    const names = projectCatalogues(servers, RULES).active.map(({ name }) => name);
    expect(names).toEqual([expect.stringMatching(/^t_[0-9a-f]{12}$/), expect.stringMatching(/^t_[0-9a-f]{12}$/)]);
    expect(names[0]).not.toBe(names[1]);
  });

  it('N5 each rewrite is one notice with both names', () => {
    const { active, notices } = projectCatalogues([named('s', ['fine', 'a.b', '日本'])], RULES);
    expect(notices).toHaveLength(2);
    for (const notice of notices) {
      const entry = active.find(({ tool: { name } }) => name === notice.tool);
      expect(notice).toMatchObject({ code: 'name-rewritten', data: { from: `s__${notice.tool}`, to: entry?.name } });
    }
  });

  it('N7 strict keeps every other tool as it is', () => {
    const { active, quarantined, notices } = projectCatalogues([named('s', ['fine', 'a.b'])], {
      ...RULES,
      names: 'strict',
    });
    expect(active.map(({ name }) => name)).toEqual(['s__fine']);
    expect(quarantined).toMatchObject([{ name: 's__a.b', tool: 'a.b', reason: expect.stringContaining('strict') }]);
    expect(notices).toMatchObject([{ code: 'tool-quarantined', tool: 'a.b' }]);
  });

  it('L1 a tool that is refused for its definition says that, also where its name is illegal', () => {
    for (const names of ['rewrite', 'strict'] as const) {
      const { quarantined } = projectCatalogues([catalogue('s', [{ name: 'a.b' }])], { ...RULES, names });
      expect(quarantined).toMatchObject([{ tool: 'a.b', reason: 'The tool has no inputSchema.' }]);
    }
  });

  it('L4 entries without a name pass every filter: they can match none', () => {
    const servers = [catalogue('s', [tool('a'), null, { name: 'b' }])];
    const { active, quarantined } = projectCatalogues(servers, { ...RULES, filter: { allow: ['a'] } });
    expect(active).toHaveLength(1);
    expect(quarantined).toMatchObject([{ name: '', tool: '' }]);
  });

  it('L4 a server that was not listed cannot leave an entry unmatched', () => {
    const unlisted = named('s', [], { filter: { allow: ['x'] }, listed: false });
    const rules = { ...RULES, filter: { allow: ['y'] } };
    expect(projectCatalogues([unlisted, named('t', ['z'])], rules).notices).toEqual([]);
  });

  it('L4 unmatched entries are told of the filter they stand in', () => {
    const servers = [named('s', ['a'], { filter: { allow: ['a', 'x'] } }), named('t', ['b'])];
    const { active, notices } = projectCatalogues(servers, { ...RULES, filter: { allow: ['s__a', 'y'] } });
    expect(active.map(({ name }) => name)).toEqual(['s__a']);
    expect(notices).toMatchObject([
      { code: 'filter-unmatched', server: 's', data: { entry: 'x' } },
      { code: 'filter-unmatched', data: { entry: 'y' } },
    ]);
    expect(notices[1]).not.toHaveProperty('server');
  });
});
