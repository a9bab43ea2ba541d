import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isLegalName, type NameRequest, projectNames, serverNames } from '../../../src/catalog/names.js';

/** The digest of N2, by another implementation. */
function digestOf(identity: string, tool: string): string {
  return createHash('sha256')
    .update(JSON.stringify([identity, tool]))
    .digest('hex');
}

function request(server: string, tool: string, prefix?: string): NameRequest {
  return { server, identity: `id-of-${server}`, tool, prefix };
}

function project(...requests: NameRequest[]): string[] {
  return projectNames(requests).map(({ name }) => name);
}

describe('isLegalName', () => {
  it.each(['a', 'Z9_-', 'a'.repeat(64), 'mcp_x', 'mcp_', 'MCP__x', 'constructor', 'toString'])(
    'N1 takes %j',
    (name) => {
      expect(isLegalName(name)).toBe(true);
    },
  );

  it.each([
    '',
    '9a',
    '_a',
    '-a',
    'a.b',
    'a b',
    'a/b',
    'é',
    'a\n',
    'a'.repeat(65),
    'mcp__x',
    'mcp__',
    '__proto__',
    '\ud800',
  ])('N1 refuses %j', (name) => {
    expect(isLegalName(name)).toBe(false);
  });
});

describe('projectNames', () => {
  it('N1 is the server, two underscores and the raw name, verbatim', () => {
    expect(projectNames([request('github', 'create-issue')])).toEqual([
      { name: 'github__create-issue', rewritten: false, wanted: 'github__create-issue' },
    ]);
    expect(project(request('a', 'b'.repeat(61)))).toEqual([`a__${'b'.repeat(61)}`]);
  });

  it('N1 a prefix replaces server and underscores, an empty one too', () => {
    expect(project(request('github', 'issue', 'gh-'), request('github', 'bare', ''))).toEqual(['gh-issue', 'bare']);
  });

  it.each([
    ['a dot', 's', 'a.b', undefined, 's__a_b'],
    ['white space and controls', 's', 'a b\n', undefined, 's__a_b_'],
    ['a letter of another script', 's', 'é', undefined, 's___'],
    ['an astral character, one underscore a code unit', 's', '😀', undefined, 's____'],
    ['a lone surrogate', 's', '\ud800', undefined, 's___'],
    ['a digit first', '9s', 'a', undefined, 't9s__a'],
    ['an underscore first', 's', '__proto__', '', 't__proto__'],
    ['an illegal character first', 's', '.a', '', 't_a'],
    ['a reserved name', 'mcp', 'describe_tool', undefined, 'tmcp__describe_tool'],
    ['a name that becomes reserved when it is cleaned', 's', 'mcp..x', '', 'tmcp__x'],
    ['a name that becomes reserved by its suffix', 's', 'mcp.', '', 'tmcp_'],
    ['nothing at all', 's', '', '', 't'],
    ['64 characters and one more', 'a', 'b'.repeat(62), undefined, `a__${'b'.repeat(48)}`],
    ['a long name that needs a letter', '1', 'b'.repeat(1_024), undefined, `t1__${'b'.repeat(47)}`],
  ])('N2 rewrites %s', (_, server, tool, prefix, base) => {
    const [projected] = projectNames([request(server, tool, prefix)]);
    const wanted = (prefix ?? `${server}__`) + tool;
    expect(projected).toEqual({
      name: `${base}_${digestOf(`id-of-${server}`, tool).slice(0, 12)}`,
      rewritten: true,
      wanted,
    });
    expect(projected!.name.length).toBeLessThanOrEqual(64);
  });

  it('N2 gives the same names in every release', () => {
    expect(
      project(request('docs', 'search.pages'), request('docs', '\ud800'), request('docs', 'x'.repeat(80))),
    ).toEqual(['docs__search_pages_874fbff03939', 'docs____699487546001', `docs__${'x'.repeat(45)}_5b2283e02e32`]);
  });

  it('N3 tells lone surrogates apart', () => {
    const [first, second, third] = project(request('s', '\ud800'), request('s', '\ud801'), request('s', '\ufffd'));
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it('N3 where two servers meet on one name, both take their suffix', () => {
    const names = project(request('a', 'b__c'), request('a__b', 'c'), request('a', 'd'));
    expect(names).toEqual([
      `a__b__c_${digestOf('id-of-a', 'b__c').slice(0, 12)}`,
      `a__b__c_${digestOf('id-of-a__b', 'c').slice(0, 12)}`,
      'a__d',
    ]);
  });

  it('N3 a name that another becomes gives way, and the rewrite stays', () => {
    const rewrite = `s__a_b_${digestOf('id-of-s', 'a.b').slice(0, 12)}`;
    const literal = request('s', rewrite.slice(3));
    const expected = [rewrite, `${rewrite.slice(0, 51)}_${digestOf('id-of-s', rewrite.slice(3)).slice(0, 12)}`];
    expect(project(request('s', 'a.b'), literal)).toEqual(expected);
    expect(project(literal, request('s', 'a.b'))).toEqual(expected.reverse());
  });

  it('N3 a chain in which each name is the rewrite of the one before settles, in linear work', () => {
    const tools = ['a.b'];
    for (let step = 0; step < 5_000; step++) {
      const tool = tools.at(-1)!;
      const base = `s__${tool}`.replace('.', '_').slice(0, 51);
      tools.push(`${base}_${digestOf('id-of-s', tool).slice(0, 12)}`.slice(3));
    }
    const names = project(...tools.map((tool) => request('s', tool)));
    expect(new Set(names).size).toBe(tools.length);
    expect(names.every(isLegalName)).toBe(true);
    // Each gave way to the one before, so each has the suffix of its own.
    expect(names.every((name, index) => name.endsWith(digestOf('id-of-s', tools[index]!).slice(0, 12)))).toBe(true);
  });

  describe('two tools whose digests begin with the same twelve digits', () => {
    // Found by a search for a cycle of the digest, which takes 2^24 steps.
    const tools = ['1e205b610b31', '8145e6ac353e'].map((end) => 'x'.repeat(60) + end);
    const digests = tools.map((tool) => digestOf('id-of-s', tool));
    const short = `s__${'x'.repeat(48)}_8252642fc6dc`;
    const pair = tools.map((tool) => request('s', tool));
    const longer = digests.map((digest) => `s__${'x'.repeat(36)}_${digest.slice(0, 24)}`);

    it('N3 both take 24 digits', () => {
      expect(pair.map((each) => project(each)[0])).toEqual([short, short]);
      expect(project(...pair)).toEqual(longer);
      expect(project(...[...pair].reverse())).toEqual([...longer].reverse());
    });

    it('N3 a tool that is called what both would become moves too, in any order', () => {
      const literal = request('s', short.slice(3));
      const moved = `${short.slice(0, 51)}_${digestOf('id-of-s', literal.tool).slice(0, 12)}`;
      const [first, second] = pair as [NameRequest, NameRequest];
      expect(project(literal, first, second)).toEqual([moved, ...longer]);
      expect(project(first, literal, second)).toEqual([longer[0], moved, longer[1]]);
      expect(project(first, second, literal)).toEqual([...longer, moved]);
    });
  });

  it('N3 a suffix makes no reserved name', () => {
    const meeting = [
      { server: 's', identity: '1', prefix: 'mcp', tool: '_' },
      { server: 't', identity: '2', prefix: 'mcp_', tool: '' },
    ];
    for (const name of project(...meeting)) expect(name).toMatch(/^tmcp__[0-9a-f]{12}$/);
  });

  it('N3 one request given twice gets one name', () => {
    expect(project(request('s', 'a'), request('s', 'a'))).toEqual(['s__a', 's__a']);
  });

  it('N5 marks every name that is not as wanted', () => {
    const projected = projectNames([
      request('a', 'b__c'),
      request('a__b', 'c'),
      request('a', 'x.y'),
      request('a', 'x'),
    ]);
    expect(projected.map(({ rewritten }) => rewritten)).toEqual([true, true, true, false]);
    expect(projected.map(({ wanted }) => wanted)).toEqual(['a__b__c', 'a__b__c', 'a__x.y', 'a__x']);
  });

  it('N8 names that objects inherit are ordinary', () => {
    const tools = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    expect(project(...tools.map((tool) => request('s', tool)))).toEqual(tools.map((tool) => `s__${tool}`));
    expect(project(...tools.slice(1).map((tool) => request('s', tool, '')))).toEqual(tools.slice(1));
  });
});

describe('serverNames', () => {
  const IDENTITY_A = `11112222${'a'.repeat(56)}`;
  const IDENTITY_B = `33334444${'b'.repeat(56)}`;

  it('N4 keeps names that are distinct', () => {
    const servers = [
      { name: 'x', identity: IDENTITY_A },
      { name: 'y', identity: IDENTITY_A },
    ];
    expect(serverNames(servers)).toEqual(['x', 'y']);
    expect(serverNames([])).toEqual([]);
  });

  it('N4 gives all that share a name eight digits of their identities, in any order', () => {
    const servers = [
      { name: 'x', identity: IDENTITY_A },
      { name: 'y', identity: IDENTITY_A },
      { name: 'x', identity: IDENTITY_B },
    ];
    expect(serverNames(servers)).toEqual(['x_11112222', 'y', 'x_33334444']);
    expect(serverNames([...servers].reverse())).toEqual(['x_33334444', 'y', 'x_11112222']);
  });

  it('N4 a server that is configured with what another became moves too', () => {
    const servers = [
      { name: 'x', identity: IDENTITY_A },
      { name: 'x', identity: IDENTITY_B },
      { name: 'x_11112222', identity: IDENTITY_B },
    ];
    expect(serverNames(servers)).toEqual(['x_11112222', 'x_33334444', 'x_11112222_33334444']);
  });

  it('N4 takes more digits where eight are alike', () => {
    const servers = [
      { name: 'x', identity: `11112222${'a'.repeat(56)}` },
      { name: 'x', identity: `11112222${'b'.repeat(56)}` },
      { name: 'x', identity: `${'1111222233334444'.repeat(3)}${'c'.repeat(16)}` },
      { name: 'x', identity: `${'1111222233334444'.repeat(3)}${'d'.repeat(16)}` },
    ];
    expect(serverNames(servers)).toEqual([
      'x_11112222aaaaaaaa',
      'x_11112222bbbbbbbb',
      `x_${servers[2]!.identity}`,
      `x_${servers[3]!.identity}`,
    ]);
  });

  it('N4 one entry given twice keeps one name', () => {
    const server = { name: 'x', identity: IDENTITY_A };
    expect(serverNames([server, server])).toEqual(['x', 'x']);
  });

  it('N8 a server may be called __proto__', () => {
    const names = ['__proto__', 'constructor'].map((name) => ({ name, identity: IDENTITY_A }));
    expect(serverNames(names)).toEqual(['__proto__', 'constructor']);
  });
});
