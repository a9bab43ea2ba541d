import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isLegalName, type NameRequest, projectNames, serverNames } from '../../../src/catalog/names.js';

/** Any text, well-formed or not. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 90 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 90 }).map((units) => String.fromCharCode(...units)),
);
/** Text of few pieces, so that requests meet: the delimiter, both forms of one letter, lone surrogates, inherited names. */
const meetingText = fc
  .array(
    fc.constantFrom('a', 'b', '__', '_', '.', 'mcp', '\u00e9', 'e\u0301', '\ud800', '\udc00', '9', 'x'.repeat(40)),
    { minLength: 1, maxLength: 6 },
  )
  .map((pieces) => pieces.join(''));
const inherited = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty');
const tool = fc.oneof(anyText, meetingText, inherited);

interface Server {
  readonly server: string;
  readonly prefix: string | undefined;
  readonly tools: readonly string[];
}

const server: fc.Arbitrary<Server> = fc.record({
  server: fc.oneof(fc.stringMatching(/^[a-z_]{1,6}$/), meetingText, anyText, inherited),
  prefix: fc.option(fc.oneof(fc.constantFrom('', 'a__', 'mcp__', 'mcp_', 'a.'), meetingText), { nil: undefined }),
  tools: fc.uniqueArray(tool, { maxLength: 8 }),
});

/** A whole toolset: servers with effective names of their own, and identities that follow from them. */
const catalogue: fc.Arbitrary<NameRequest[]> = fc
  .uniqueArray(server, { selector: (each) => each.server, maxLength: 4 })
  .map((servers) => servers.flatMap(requestsOf));

function requestsOf({ server, prefix, tools }: Server): NameRequest[] {
  const identity = createHash('sha256')
    .update(JSON.stringify([server]))
    .digest('hex');
  return tools.map((each) => ({ server, prefix, identity, tool: each }));
}

function namesOf(requests: readonly NameRequest[]): string[] {
  return projectNames(requests).map(({ name }) => name);
}

/** A catalogue to which tools are added that are called what others become, twice over. */
const selfReferring: fc.Arbitrary<NameRequest[]> = catalogue.map((requests) => {
  let all = requests;
  for (let round = 0; round < 2; round++) {
    const aimed = namesOf(all).map((name) => ({ server: 'aim', prefix: '', identity: 'identity-of-aim', tool: name }));
    const half = namesOf(all).flatMap((name, index) => aimInside(all[index]!, name));
    all = distinct([...all, ...aimed, ...half]);
  }
  return all;
});

/** A tool of the same server whose wanted name is `name`, where its prefix allows that. */
function aimInside(request: NameRequest, name: string): NameRequest[] {
  const prefix = request.prefix ?? `${request.server}__`;
  return name.startsWith(prefix) ? [{ ...request, tool: name.slice(prefix.length) }] : [];
}

function distinct(requests: readonly NameRequest[]): NameRequest[] {
  return [...new Map(requests.map((each) => [JSON.stringify([each.identity, each.tool]), each])).values()];
}

const anyCatalogue = fc.oneof(catalogue, selfReferring);
const RUNS = { numRuns: 400 };

describe('projectNames', () => {
  it('N1 every name is legal and none is reserved', () => {
    fc.assert(
      fc.property(anyCatalogue, (requests) => {
        for (const name of namesOf(requests)) {
          expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
          expect(name.startsWith('mcp__')).toBe(false);
        }
      }),
      RUNS,
    );
  });

  it('N1 a name is verbatim exactly where it is legal and nobody else wants or becomes it', () => {
    fc.assert(
      fc.property(anyCatalogue, (requests) => {
        const projected = projectNames(requests);
        const wanted = projected.map((each) => each.wanted);
        const names = new Set(projected.filter(({ rewritten }) => rewritten).map(({ name }) => name));
        for (const each of projected) {
          expect(each.rewritten).toBe(each.name !== each.wanted);
          if (!isLegalName(each.wanted)) expect(each.rewritten).toBe(true);
          const alone = wanted.filter((other) => other === each.wanted).length === 1;
          if (!alone || names.has(each.wanted)) expect(each.rewritten).toBe(true);
          else if (isLegalName(each.wanted)) expect(each.name).toBe(each.wanted);
        }
      }),
      RUNS,
    );
  });

  it('N2 a rewritten name ends in twelve digits of its own digest', () => {
    fc.assert(
      fc.property(anyCatalogue, (requests) => {
        projectNames(requests).forEach(({ name, rewritten }, index) => {
          const { identity, tool } = requests[index]!;
          const digest = createHash('sha256')
            .update(JSON.stringify([identity, tool]))
            .digest('hex');
          if (rewritten) expect(name.endsWith(`_${digest.slice(0, 12)}`)).toBe(true);
        });
      }),
      RUNS,
    );
  });

  it('N3 no two tools share a name', () => {
    fc.assert(
      fc.property(anyCatalogue, (requests) => {
        expect(new Set(namesOf(requests)).size).toBe(requests.length);
      }),
      RUNS,
    );
  });

  it('N3 the order of servers and tools changes nothing', () => {
    const shuffled = anyCatalogue.chain((requests) =>
      fc.tuple(
        fc.constant(requests),
        fc.shuffledSubarray(
          requests.map((_, index) => index),
          { minLength: requests.length },
        ),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([requests, order]) => {
        const names = namesOf(requests);
        expect(namesOf(order.map((index) => requests[index]!))).toEqual(order.map((index) => names[index]));
      }),
      RUNS,
    );
  });

  it('N3 a tool keeps its name when tools arrive that want and become other names', () => {
    fc.assert(
      fc.property(anyCatalogue, fc.array(fc.stringMatching(/^[a-z]{1,20}$/), { maxLength: 5 }), (requests, added) => {
        const newcomers = distinct(added.map((each) => ({ server: 'zz-new', identity: 'new', tool: each })));
        const both = namesOf([...requests, ...newcomers]);
        expect(both.slice(0, requests.length)).toEqual(namesOf(requests));
        expect(both.slice(requests.length)).toEqual(newcomers.map((each) => `zz-new__${each.tool}`));
      }),
      RUNS,
    );
  });

  it('N3 a tool that meets nobody is named as if it were alone', () => {
    fc.assert(
      fc.property(catalogue, (requests) => {
        const alone = requests.map((each) => namesOf([each])[0]!);
        namesOf(requests).forEach((name, index) => {
          if (alone.filter((each) => each === alone[index]).length === 1) expect(name).toBe(alone[index]);
        });
      }),
      RUNS,
    );
  });

  it('N3 the delimiter, normal forms and lone surrogates merge nothing', () => {
    const pairs: [NameRequest, NameRequest][] = [
      [wish('a', 'b__c'), wish('a__b', 'c')],
      [wish('s', '\u00e9'), wish('s', 'e\u0301')],
      [wish('s', '\ud800'), wish('s', '\ud801')],
      [wish('s', '\ud83d'), wish('s', '\ufffd')],
      [wish('s', 'a.b'), wish('s', 'a b')],
      [wish('s', 'x'.repeat(70)), wish('s', `${'x'.repeat(70)}y`)],
    ];
    for (const pair of pairs) {
      const [first, second] = namesOf(pair);
      expect(first).not.toBe(second);
      expect(namesOf([...pair].reverse())).toEqual([second, first]);
    }
  });
});

function wish(name: string, each: string): NameRequest {
  return { server: name, identity: `identity-of-${name}`, tool: each };
}

describe('serverNames', () => {
  const identity = fc.stringMatching(/^[0-9a-f]{64}$/);
  const few = fc.constantFrom('0', '1').map((digit) => digit.repeat(64));
  const configured = fc
    .uniqueArray(
      fc.record({
        name: fc.oneof(fc.constantFrom('a', 'b', 'a_00000000', 'a_11111111'), anyText),
        identity: fc.oneof(identity, few),
      }),
      { selector: (each) => JSON.stringify([each.name, each.identity]), maxLength: 8 },
    )
    .chain((servers) => fc.tuple(fc.constant(servers), fc.shuffledSubarray(servers, { minLength: servers.length })));

  it('N4 names are distinct, whatever the order, and a name that one server has stays', () => {
    fc.assert(
      fc.property(configured, ([servers, shuffled]) => {
        const names = serverNames(servers);
        expect(new Set(names).size).toBe(servers.length);
        expect(serverNames(shuffled)).toEqual(shuffled.map((each) => names[servers.indexOf(each)]));
        servers.forEach((each, index) => {
          const sharing = servers.filter((other) => other.name === each.name).length;
          if (sharing > 1) expect(names[index]).toContain(`${each.name}_${each.identity.slice(0, 8)}`);
          else if (names[index] !== each.name) expect(names).toContain(each.name);
        });
      }),
      RUNS,
    );
  });
});
