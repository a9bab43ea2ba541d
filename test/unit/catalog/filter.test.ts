import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterNames, unmatchedEntries } from '../../../src/catalog/filter.js';
import type { ToolFilter } from '../../../src/core/servers.js';

const NAMES = ['read_file', 'write_file', 'list.all', '__proto__', 'gh__x'];

function kept(toolset?: ToolFilter, server?: ToolFilter, prefix = 'fs__', names = NAMES): string[] {
  const { passes } = filterNames(names, prefix, { toolset, server });
  return names.filter((_, index) => passes[index]);
}

describe('filterNames', () => {
  it('L4 passes everything without a filter', () => {
    expect(kept()).toEqual(NAMES);
  });

  it.each([
    ['a raw name', ['read_file'], ['read_file']],
    ['prefix and raw name', ['fs__write_file'], ['write_file']],
    ['a name before rewriting', ['list.all'], ['list.all']],
    ['not a name after rewriting', ['list_all'], []],
    ['a raw name that looks prefixed', ['gh__x'], ['gh__x']],
    ['__proto__', ['__proto__'], ['__proto__']],
    ['constructor, which nobody publishes', ['constructor'], []],
    ['everything', ['*'], NAMES],
    ['a start', ['read*'], ['read_file']],
    ['an end', ['*_file'], ['read_file', 'write_file']],
    ['a prefix', ['fs__*'], NAMES],
    ['a star that takes nothing', ['read_*file'], ['read_file']],
    ['several stars', ['*r*d*f*'], ['read_file']],
    ['a piece that must not overlap', ['*file*file'], []],
    ['a dot literally', ['l.*'], []],
    ['case', ['READ_FILE'], []],
    ['nothing', [], []],
    ['the empty entry', [''], []],
  ])('L4 allows by %s', (_, allow, expected) => {
    expect(kept({ allow })).toEqual(expected);
    expect(kept(undefined, { allow })).toEqual(expected);
    expect(kept({ block: allow })).toEqual(NAMES.filter((name) => !expected.includes(name)));
  });

  it('L4 a server filter narrows the toolset-wide one', () => {
    expect(kept({ allow: ['*_file'] }, { block: ['fs__write*'] })).toEqual(['read_file']);
    expect(kept({ block: ['read_file'] }, { allow: ['*_file'] })).toEqual(['write_file']);
    expect(kept({ allow: ['read_file'] }, { allow: ['write_file'] })).toEqual([]);
  });

  it('L4 a custom or empty prefix counts as it is', () => {
    expect(kept({ allow: ['x.read_file'] }, undefined, 'x.')).toEqual(['read_file']);
    expect(kept({ allow: ['fs__read_file'] }, undefined, '')).toEqual([]);
  });

  it('L4 a pattern is what a regular expression would say, with everything but * literal', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '*', '.', '$', '\\', '\n', '\ud83d'), { maxLength: 10 })
      .map((each) => each.join(''));
    fc.assert(
      fc.property(text, text, (pattern, name) => {
        const source = pattern.split('*').map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
        const expected = new RegExp(`^${source.join('[^]*')}$`).test(name);
        expect(kept({ allow: [pattern] }, undefined, '', [name]).length === 1).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('L4 a pattern of many stars ends', () => {
    const name = 'a'.repeat(1_024);
    expect(kept({ allow: [`${'*a'.repeat(100)}b`] }, undefined, '', [name])).toEqual([]);
  });
});

describe('unmatchedEntries', () => {
  it('L4 reports the allow entries that matched nothing, at either level', () => {
    const toolset = { allow: ['fs__read_file', 'raed_file', 'gh__*', 'raed_file', 'git__*'] };
    const server = { allow: ['*_file', 'nope'] };
    const { matched } = filterNames(NAMES, 'fs__', { toolset, server });
    expect(unmatchedEntries(server, [matched.server])).toEqual(['nope']);
    expect(unmatchedEntries(toolset, [matched.toolset])).toEqual(['raed_file', 'git__*']);
  });

  it('L4 a toolset-wide entry is matched when any server matched it', () => {
    const toolset = { allow: ['a__x', 'b__*', 'c__x'] };
    const sets = [
      ['a__', 'x'],
      ['b__', 'y'],
    ].map(([prefix, name]) => filterNames([name!], prefix!, { toolset }).matched.toolset);
    expect(unmatchedEntries(toolset, sets)).toEqual(['c__x']);
    expect(unmatchedEntries(toolset, [])).toEqual(toolset.allow);
  });

  it('L4 an entry is matched even where the other filter drops the tool', () => {
    const toolset = { allow: ['read_file'] };
    const { matched, passes } = filterNames(['read_file'], 'fs__', { toolset, server: { block: ['*'] } });
    expect(passes).toEqual([false]);
    expect(unmatchedEntries(toolset, [matched.toolset])).toEqual([]);
  });

  it('L4 block entries are never reported', () => {
    const toolset = { block: ['nope'] };
    expect(unmatchedEntries(toolset, [filterNames(NAMES, '', { toolset }).matched.toolset])).toEqual([]);
    expect(unmatchedEntries(undefined, [])).toEqual([]);
  });
});
