import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/core/tools.js';
import { projectGeneric } from '../../../src/schema/generic.js';
import { scaffoldIn } from '../../support/schemas.js';

const BOUNDS = { schemaDepth: 64, schemaNodes: 10_000 };
const project = (schema: unknown, bounds = {}) => projectGeneric(schema as JsonSchema, { ...BOUNDS, ...bounds });
/** What becomes of one property, with the definitions to refer to. */
const property = (schema: unknown, rest: Record<string, unknown> = {}) => {
  const { schema: made, losses } = project({ type: 'object', properties: { p: schema }, ...rest });
  return { made: (made.properties as { p: unknown }).p, losses };
};
const $defs = {
  text: { type: 'string', description: 'theirs' },
  'a/b~c%d e': { type: 'integer' },
  closed: { type: 'object', properties: { x: {} }, additionalProperties: false },
  yes: true,
  no: false,
  named: { $anchor: 'name', type: 'boolean' },
  tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } },
};
const UNKNOWN = 'the reference names no schema of this document';
const LEFT_OUT = 'left out, since something it depends on was loosened';

describe('the root', () => {
  it('P4 a schema that needs nothing is given back as it is', () => {
    const schema = { type: 'object', properties: { a: { enum: [{ $ref: '#' }] } }, additionalProperties: true };
    expect(project(schema).schema).toBe(schema);
  });

  it.each([
    ['no properties', { type: 'object' }, { type: 'object', properties: {} }],
    ['nothing at all', {}, { type: 'object', properties: {} }],
    ['no type', { properties: { a: {} } }, { properties: { a: {} }, type: 'object' }],
    ['a nullable type', { type: ['object', 'null'], properties: {} }, { type: 'object', properties: {} }],
    [
      'a union',
      { anyOf: [{ required: ['a'] }, {}] },
      { anyOf: [{ required: ['a'] }, {}], type: 'object', properties: {} },
    ],
    [
      'a closed object',
      { type: 'object', additionalProperties: false, title: 'T' },
      { type: 'object', additionalProperties: false, title: 'T', properties: {} },
    ],
    [
      'a reference',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $ref: '#/definitions/R',
        definitions: { R: { type: 'object', properties: { a: {} } } },
      },
      { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: {} } },
    ],
    [
      'a reference beside a type',
      { type: 'object', $ref: '#/$defs/R', $defs: { R: { properties: { a: {} }, title: 'R' } } },
      { type: 'object', properties: { a: {} }, title: 'R' },
    ],
    [
      'a reference with properties of its own',
      { properties: { b: {} }, $ref: '#/$defs/R', $defs: { R: { required: ['a'] } } },
      { type: 'object', properties: { b: {} }, allOf: [{ required: ['a'] }] },
    ],
    [
      'an unused definition',
      { type: 'object', properties: {}, $defs: { a: { $ref: 'https://elsewhere.test' } } },
      { type: 'object', properties: {} },
    ],
  ])('P4 becomes an object with properties: %s', (_, schema, made) => {
    expect(project(schema)).toEqual({ schema: made, losses: [] });
  });

  it('P4 inherited keywords are none', () => {
    expect(project(Object.create({ type: 'string', $ref: '#/nowhere' })).schema).toEqual({
      type: 'object',
      properties: {},
    });
  });

  it.each([
    ['names nothing', { $ref: 'https://elsewhere.test/a.json' }, UNKNOWN],
    ['leads to itself', { $ref: '#' }, 'the reference leads back to a schema that it stands in'],
  ])('P4 P3 a root whose reference %s is an open object', (_, schema, reason) => {
    expect(project(schema)).toEqual({ schema: { type: 'object', properties: {} }, losses: [`#: ${reason}`] });
  });

  it('P4 a root that refers to a boolean', () => {
    expect(project({ $ref: '#/$defs/yes', $defs }).schema).toEqual({ type: 'object', properties: {} });
    expect(project({ $ref: '#/$defs/no', $defs }).schema).toEqual({ allOf: [false], type: 'object', properties: {} });
  });
});

describe('references', () => {
  it.each([
    ['a definition', '#/$defs/text', { type: 'string', description: 'theirs' }],
    ['an escaped name', '#/$defs/a~1b~0c%25d%20e', { type: 'integer' }],
    ['a name that somebody forgot to escape', '#/$defs/a~1b~0c%d e', { type: 'integer' }],
    ['an escaped keyword', '#/%24defs/text', { type: 'string', description: 'theirs' }],
    ['an anchor', '#name', { type: 'boolean' }],
    ['true', '#/$defs/yes', true],
    ['false', '#/$defs/no', false],
    ['another property', '#/properties/q', { const: 1 }],
    ['an item of a list', '#/properties/r/anyOf/1', { const: 2 }],
    ['an object that no keyword knows', '#/components/schemas/S', { const: 3 }],
    ['a reference in there', '#/components/schemas/T', { const: 3 }],
    ['its own $id', 'https://here.test/schemas/tool.json#/properties/q', { const: 1 }],
    ['a relative $id', 'inner.json', { properties: { a: { const: 4 }, b: { const: 5 } } }],
    ['a pointer from there', 'inner.json#/properties/b', { const: 5 }],
    ['an anchor there', '/schemas/inner.json#there', { const: 4 }],
    ['an $id of only a fragment', '#old', { const: 6 }],
  ])('P4 %s is put in place', (_, $ref, target) => {
    const rest = {
      $id: 'https://here.test/schemas/tool.json',
      $defs: {
        ...$defs,
        inner: {
          $id: 'inner.json',
          properties: { a: { $ref: '#there' }, b: { const: 5 } },
          $defs: { there: { $anchor: 'there', const: 4 } },
        },
        old: { $id: '#old', const: 6 },
      },
      components: { schemas: { S: { const: 3 }, T: { $ref: '#/components/schemas/S' } } },
    };
    const schema = {
      type: 'object',
      properties: { p: { $ref }, q: { const: 1 }, r: { anyOf: [{}, { const: 2 }] } },
      ...rest,
    };
    const made = project(schema);
    expect(made.losses).toEqual([]);
    expect(made.schema.properties).toEqual({ p: target, q: { const: 1 }, r: { anyOf: [{}, { const: 2 }] } });
    expect(Object.keys(made.schema)).toEqual(['type', 'properties', 'components']);
  });

  it.each([
    ['another document', 'https://elsewhere.test/a.json'],
    ['a relative document that is not there', 'other.json#/a'],
    ['a pointer to nothing', '#/$defs/missing'],
    ['what every object inherits', '#/$defs/constructor'],
    ['a length', '#/properties/r/anyOf/length'],
    ['an index with a leading zero', '#/properties/r/anyOf/00'],
    ['no schema', '#/properties/r/title'],
    ['an unknown anchor', '#missing'],
    ['an anchor that two claim', '#twice'],
    ['a URI that is none', 'http://[/a'],
    ['no string', 5],
    ['something that looks like a schema', { type: 'string' }],
  ])('P4 P3 %s is {} and a loss', (_, $ref) => {
    const more = { one: { $anchor: 'twice' }, two: { $anchor: 'twice' } };
    const schema = {
      type: 'object',
      properties: { p: { $ref }, r: { title: 'R', anyOf: [{}] } },
      $defs: { ...$defs, ...more },
    };
    const { schema: made, losses } = project(schema);
    expect(made.properties).toEqual({ p: {}, r: { title: 'R', anyOf: [{}] } });
    expect(losses).toEqual([`#/properties/p: ${UNKNOWN}`]);
  });

  it.each(['$dynamicRef', '$recursiveRef'])('P4 P3 %s is {} and a loss', (keyword) => {
    expect(property({ items: { [keyword]: '#', title: 'T' } })).toEqual({
      made: { items: { title: 'T' } },
      losses: ['#/properties/p/items: a dynamic reference is not followed'],
    });
  });

  it.each([
    ['an annotation wins', { $ref: '#/$defs/text', description: 'ours' }, { type: 'string', description: 'ours' }],
    [
      'an unknown keyword wins',
      { $ref: '#/$defs/text', 'x-a': 1 },
      { type: 'string', description: 'theirs', 'x-a': 1 },
    ],
    [
      'the nearest annotation wins',
      { $ref: '#/properties/q', description: 'ours' },
      { type: 'string', description: 'ours', title: 'Q' },
    ],
    [
      'what is said twice is said once',
      { type: 'string', $ref: '#/$defs/text' },
      { type: 'string', description: 'theirs' },
    ],
    [
      'a constraint stands beside',
      { $ref: '#/$defs/text', minLength: 2, description: 'ours' },
      { minLength: 2, description: 'ours', allOf: [{ type: 'string', description: 'theirs' }] },
    ],
    [
      'an allOf keeps its members',
      { allOf: [{ minLength: 2 }], $ref: '#/$defs/text' },
      { allOf: [{ minLength: 2 }, { type: 'string', description: 'theirs' }] },
    ],
    [
      'a closed object is closed to its own properties alone',
      { $ref: '#/$defs/closed', properties: { y: {} } },
      { properties: { y: {} }, allOf: [{ type: 'object', properties: { x: {} }, additionalProperties: false }] },
    ],
    ['true says nothing', { $ref: '#/$defs/yes', minLength: 1, title: 'T' }, { minLength: 1, title: 'T' }],
    ['false stays', { $ref: '#/$defs/no', title: 'T' }, { title: 'T', allOf: [false] }],
    ['a definition beside is none', { $ref: '#/$defs/text', $defs: {} }, { type: 'string', description: 'theirs' }],
    ['a lost one leaves its siblings', { $ref: '#/missing', minLength: 2 }, { minLength: 2 }],
  ])('P4 siblings: %s', (_, schema, made) => {
    const q = { title: 'Q', description: 'between', $ref: '#/$defs/text' };
    const projected = project({ type: 'object', properties: { p: schema, q }, $defs });
    expect((projected.schema.properties as { p: unknown }).p).toEqual(made);
  });

  it('P4 P3 draft-07 ignores constraints beside a reference: they go, and are a loss', () => {
    const rest = { $schema: 'http://json-schema.org/draft-07/schema#', definitions: $defs };
    const { made, losses } = property({ $ref: '#/definitions/text', minLength: 2, title: 'T' }, rest);
    expect(made).toEqual({ type: 'string', description: 'theirs', title: 'T' });
    expect(losses).toEqual(["#/properties/p: the schema's dialect ignores the constraints beside this reference"]);
    expect(property({ $ref: '#/missing', not: {}, title: 'T' }, rest).made).toEqual({ title: 'T' });
    expect(property({ $ref: '#/definitions/text', type: 'string', title: 'T' }, rest).losses).toEqual([]);
  });

  it('P4 draft-07 ignores an $id beside a reference', () => {
    const rest = { $schema: 'http://json-schema.org/draft-07/schema#', definitions: $defs };
    expect(property({ $id: 'other.json', $ref: '#/definitions/text' }, rest).losses).toEqual([]);
    expect(property({ $id: 'other.json', $ref: '#/$defs/text' }, { $defs }).losses).toEqual([
      `#/properties/p: ${UNKNOWN}`,
    ]);
  });

  it('P4 what is data stays, whatever it looks like, and a property may have any name', () => {
    const data = { $ref: '#/$defs/text', $defs: {}, $id: 'x' };
    const properties = {
      $ref: { $ref: '#/$defs/text' },
      $defs: { default: data, examples: [data], const: data, enum: [data], 'x-unknown': data },
      properties: { dependencies: { a: ['$ref'] }, dependentRequired: { $ref: ['a'] } },
    };
    const made = { ...properties, $ref: $defs.text };
    expect(project({ type: 'object', properties, required: ['$ref'], $defs })).toEqual({
      schema: { type: 'object', properties: made, required: ['$ref'] },
      losses: [],
    });
  });

  it('N8 own __proto__ keys survive', () => {
    const text = `{"type":"object","properties":{"__proto__":{"$ref":"#/$defs/__proto__"}},"$defs":{"__proto__":
      {"properties":{"__proto__":true},"default":{"__proto__":1},"__proto__":{"x":1}}}}`;
    expect(JSON.stringify(project(JSON.parse(text)).schema)).toBe(
      '{"type":"object","properties":{"__proto__":{"properties":{"__proto__":true},"default":{"__proto__":1},"__proto__":{"x":1}}}}',
    );
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe('bounds', () => {
  const AGAIN = 'the reference leads back to a schema that it stands in';

  it('P4 P3 a reference that re-enters itself becomes {}', () => {
    const child = { type: 'object', properties: { child: {} } };
    expect(property({ $ref: '#/$defs/tree' }, { $defs })).toEqual({
      made: child,
      losses: [`#/properties/p/properties/child: ${AGAIN}`],
    });
    expect(property({ items: { $ref: '#' }, title: 'T' })).toEqual({
      made: { items: {}, title: 'T' },
      losses: [`#/properties/p/items: ${AGAIN}`],
    });
  });

  it.each([
    ['alone', { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, {}],
    [
      'with annotations',
      { a: { $ref: '#/$defs/b', title: 'A' }, b: { $ref: '#/$defs/a', title: 'B' } },
      { title: 'A' },
    ],
  ])('P4 P3 references in a circle, %s', (_, circle, made) => {
    expect(property({ $ref: '#/$defs/a' }, { $defs: circle })).toEqual({
      made,
      losses: [`#/properties/p: ${AGAIN}`],
    });
    expect(property({ anyOf: [{ $ref: '#/$defs/b' }] }, { $defs: circle }).losses).toEqual([
      `#/properties/p/anyOf/0: ${AGAIN}`,
    ]);
  });

  it('P4 a definition may occur as often as it likes beside itself', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`p${index}`, { $ref: '#/$defs/text' }]),
    );
    const { schema, losses } = project({ type: 'object', properties, $defs });
    expect(losses).toEqual([]);
    expect(Object.values(schema.properties as object)).toEqual(Array(100).fill($defs.text));
  });

  /** Each level refers twice to the next. */
  const doubling = (levels: number) => ({
    type: 'object',
    properties: { p: { $ref: '#/$defs/0' } },
    $defs: Object.fromEntries(
      Array.from({ length: levels + 1 }, (_, level) => {
        const next = { $ref: `#/$defs/${level + 1}` };
        return [level, level === levels ? { type: 'string' } : { properties: { a: next, b: next } }];
      }),
    ),
  });
  const count = (value: unknown): number =>
    typeof value === 'object' && value !== null ? Object.values(value).reduce((sum, each) => sum + count(each), 1) : 1;

  it('P4 P3 an expansion that grows exponentially ends at schemaNodes, the shallow before the deep', () => {
    const { schema, losses } = project(JSON.parse(JSON.stringify(doubling(50))));
    expect(count(schema)).toBeLessThanOrEqual(BOUNDS.schemaNodes);
    expect(count(schema)).toBeGreaterThan(BOUNDS.schemaNodes * 0.7);
    expect(scaffoldIn(schema)).toEqual([]);
    expect(losses).toHaveLength(101);
    expect(losses[0]).toMatch(
      /^#\/properties\/p(\/properties\/[ab]){10,12}: expanding the reference would pass limits\.schemaNodes$/,
    );
    expect(losses[100]).toMatch(/^#: and \d{4} more$/);
  });

  it('P4 schemaNodes is met exactly', () => {
    const schema = JSON.parse(JSON.stringify(doubling(3)));
    const size = count(project(schema).schema);
    const exact = project(schema, { schemaNodes: size + 2 });
    expect([exact.losses, count(exact.schema)]).toEqual([[], size]);
    expect(project(schema, { schemaNodes: size - 1 }).losses).not.toEqual([]);
  });

  it('P4 P3 an expansion may not be deeper than schemaDepth either', () => {
    const schema = {
      type: 'object',
      properties: { p: { $ref: '#/$defs/0' } },
      $defs: Object.fromEntries(
        Array.from({ length: 500 }, (_, level) => [level, { items: { $ref: `#/$defs/${level + 1}` } }]),
      ),
    };
    const { schema: made, losses } = project(schema);
    expect(losses).toEqual([
      `#/properties/p${'/items'.repeat(60)}: expanding the reference would pass limits.schemaDepth`,
    ]);
    expect(JSON.stringify(made).split('"items"')).toHaveLength(61);
  });

  it('P4 P3 G9 references add no more text than a hundred characters for each of schemaNodes', () => {
    const text = { description: 'x'.repeat(9_987), type: 'string' };
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`p${at + 100}`, { $ref: '#/$defs/text' }]),
    );
    const { schema, losses } = project({ type: 'object', properties, $defs: { text } });
    const made = Object.values(schema.properties as object);
    // Of what is written once in the document, there may be as much as there is.
    expect(project({ type: 'object', properties: { p: { ...text, title: 'x'.repeat(2_000_000) } } }).losses).toEqual(
      [],
    );
    expect([made.filter((each) => Object.keys(each).length > 0).length, losses.length]).toEqual([99, 101]);
    expect(losses[0]).toBe('#/properties/p199: expanding the reference would pass limits.schemaNodes');
  });

  it('P4 G9 a reference is looked up once, however many lead to it: it may be long', () => {
    const lookups = (uses: number) => {
      let count = 0;
      const document = {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: uses }, (_, at) => [`p${at}`, { $ref: '#/$defs/far' }])),
        $defs: { far: { $ref: '#/x-trail/end', title: 'T' } },
        get 'x-trail'() {
          count += 1;
          return { end: { type: 'string' } };
        },
      };
      expect(project(document).losses).toEqual([]);
      return count;
    };
    expect(lookups(100)).toBe(lookups(1));
  });

  it('G9 P4 no depth and no chain ends in a RangeError, and chains are followed once', () => {
    let deep: unknown = { $ref: '#/$defs/0' };
    for (let level = 0; level < 20_000; level++) deep = { not: deep };
    const length = 5_000;
    const chain = Object.fromEntries(
      Array.from({ length }, (_, level) => [
        level,
        level === length - 1 ? { const: 1 } : { $ref: `#/$defs/${level + 1}` },
      ]),
    );
    const uses = Object.fromEntries(Array.from({ length }, (_, at) => [`p${at}`, { $ref: `#/$defs/${at}` }]));
    const unbounded = { schemaNodes: Number.POSITIVE_INFINITY, schemaDepth: Number.POSITIVE_INFINITY };
    const { schema, losses } = project({ type: 'object', properties: { deep, ...uses }, $defs: chain }, unbounded);
    expect(losses).toEqual([]);
    expect((schema.properties as { p0: unknown }).p0).toEqual({ const: 1 });
    expect(project({ properties: { deep }, $defs: {} }, unbounded).losses).toHaveLength(1);
  });

  it('P3 names in a path are escaped and bounded', () => {
    const name = `${'x'.repeat(99)}😀~/`;
    let nested: Record<string, unknown> = { $ref: '#/nowhere' };
    for (let level = 0; level < 20; level++) nested = { properties: { [level === 19 ? 'a~/b' : name]: nested } };
    const [loss] = project({ type: 'object', ...nested }).losses;
    expect(loss).toMatch(/^#\/properties\/a~0~1b\/properties\/x{99}…\/properties\/.*…: the reference names no schema/);
    expect(loss!.length).toBeLessThan(600);
    expect(JSON.stringify(loss)).not.toContain('\\ud');
  });
});

describe('a loss where a looser schema would tighten the whole', () => {
  const lost = { $ref: 'https://elsewhere.test/a.json' };
  const deep = { properties: { d: lost } };

  it.each([
    ['not', { not: deep, title: 'T' }, { title: 'T' }, [`/not: ${LEFT_OUT}`]],
    ['a not in a not', { not: { not: lost, title: 'T' } }, {}, [`/not: ${LEFT_OUT}`]],
    [
      'if',
      // biome-ignore lint/suspicious/noThenProperty: it is the keyword
      { if: deep, then: { required: ['a'] }, else: lost, title: 'T' },
      { title: 'T' },
      [`/if: ${LEFT_OUT}`, `/then: ${LEFT_OUT}`, `/else: ${LEFT_OUT}`],
    ],
    [
      'oneOf',
      { title: 'T', oneOf: [{ const: 1 }, deep], minLength: 1 },
      { title: 'T', anyOf: [{ const: 1 }, { properties: { d: {} } }], minLength: 1 },
      ['/anyOf: was oneOf, and one of its schemas was loosened', `/anyOf/1/properties/d: ${UNKNOWN}`],
    ],
    [
      'oneOf beside anyOf',
      { oneOf: [lost], anyOf: [{ const: 1 }] },
      { anyOf: [{ const: 1 }] },
      [`/oneOf: ${LEFT_OUT}`],
    ],
    [
      'contains that is counted',
      { contains: lost, minContains: 1, maxContains: 2 },
      { contains: {}, minContains: 1 },
      [`/maxContains: ${LEFT_OUT}`, `/contains: ${UNKNOWN}`],
    ],
    [
      'unevaluatedProperties',
      { allOf: [{ anyOf: [lost] }], unevaluatedProperties: false },
      { allOf: [{ anyOf: [{}] }] },
      [`/unevaluatedProperties: ${LEFT_OUT}`, `/allOf/0/anyOf/0: ${UNKNOWN}`],
    ],
    [
      'unevaluatedItems, by a condition',
      { if: lost, unevaluatedItems: { type: 'string' } },
      {},
      [`/if: ${LEFT_OUT}`, `/unevaluatedItems: ${LEFT_OUT}`],
    ],
    [
      'unevaluatedProperties under another',
      {
        allOf: [
          { dependentSchemas: { a: lost }, unevaluatedProperties: true },
          { $ref: '#/$defs/x', unevaluatedProperties: {} },
        ],
        unevaluatedProperties: false,
      },
      { allOf: [{ dependentSchemas: { a: {} }, unevaluatedProperties: true }, {}] },
      [
        `/unevaluatedProperties: ${LEFT_OUT}`,
        `/allOf/1: ${UNKNOWN}`,
        `/allOf/1/unevaluatedProperties: ${LEFT_OUT}`,
        `/allOf/0/dependentSchemas/a: ${UNKNOWN}`,
      ],
    ],
  ])('P4 P3 %s', (_, schema, made, losses) => {
    expect(property(schema)).toEqual({ made, losses: losses.map((loss) => `#/properties/p${loss}`) });
    expect(Object.keys(property(schema).made as object)).toEqual(Object.keys(made));
  });

  it.each([
    ['propertyNames', { propertyNames: lost }, { propertyNames: {} }],
    ['contains that is not counted', { contains: lost, minContains: 2 }, { contains: {}, minContains: 2 }],
    // biome-ignore lint/suspicious/noThenProperty: it is the keyword
    ['then', { if: { const: 1 }, then: lost }, { if: { const: 1 }, then: {} }],
    ['dependentSchemas', { dependentSchemas: { a: lost } }, { dependentSchemas: { a: {} } }],
    [
      'unevaluatedProperties',
      { unevaluatedProperties: lost, properties: { a: lost } },
      { unevaluatedProperties: {}, properties: { a: {} } },
    ],
    ['additionalProperties', { additionalProperties: lost, items: lost }, { additionalProperties: {}, items: {} }],
    ['anyOf', { anyOf: [lost], allOf: [lost] }, { anyOf: [{}], allOf: [{}] }],
    ['dependencies', { dependencies: { a: lost, b: ['a'] } }, { dependencies: { a: {}, b: ['a'] } }],
  ])('P4 is taken right there under %s', (_, schema, made) => {
    const projected = property(schema);
    expect(projected.made).toEqual(made);
    for (const loss of projected.losses) expect(loss).toContain(UNKNOWN);
    expect(projected.losses.length).toBeGreaterThan(0);
  });

  it('P4 resolved references tighten and loosen nothing, wherever they stand', () => {
    const text = { $ref: '#/$defs/text' };
    const schema = {
      not: text,
      oneOf: [text, { const: 1 }],
      if: text,
      contains: text,
      maxContains: 1,
      unevaluatedItems: false,
    };
    const t = $defs.text;
    expect(property(schema, { $defs })).toEqual({
      made: { not: t, oneOf: [t, { const: 1 }], if: t, contains: t, maxContains: 1, unevaluatedItems: false },
      losses: [],
    });
  });
});
