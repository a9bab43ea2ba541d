import fc from 'fast-check';
import { admitTool } from '../../../src/catalog/admit.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Schema = Record<string, unknown>;

const NAMES = ['a', 'b', 'c'];
/** A schema that is not in the document. What it says is the tests' to choose: a projection cannot know. */
export const ELSEWHERE = 'https://elsewhere.test/schema.json';
/** Every one of them names something in a document of {@link documents}. */
const REFERENCES = [
  '#',
  '#/$defs/a',
  '#/$defs/a~1b~01%25',
  '#/%24defs/a~1b~01%25',
  '#/$defs/held/properties/a',
  '#/definitions/c',
  '#/properties/a',
  '#anchored',
  'https://here.test/inner.json',
  'inner.json#/$defs/a',
  ELSEWHERE,
];

const scalar: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(null, true, false, 0, 1, 2, 1.5, '', 'a', 'ab');
const { value: json } = fc.letrec<{ value: Json; object: Json }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: 'small' }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3 }) as fc.Arbitrary<Json>,
}));

/** Objects over the names and values that the schemas speak of, so that both verdicts are common. */
export const instances = fc
  .array(fc.dictionary(fc.constantFrom(...NAMES), json, { maxKeys: 3, noNullPrototype: true }), {
    minLength: 30,
    maxLength: 30,
  })
  .map((values) => JSON.parse(JSON.stringify(values)) as unknown[]);

const count = fc.nat({ max: 2 });
const types = fc.constantFrom('object', 'array', 'string', 'integer', 'null', ['object', 'array'], ['string', 'null']);

/** One keyword or a group that belongs together, as an object to merge. */
function keywords(schema: fc.Arbitrary<unknown>): fc.Arbitrary<Schema> {
  const list = fc.array(schema, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(fc.constantFrom(...NAMES), schema, { maxKeys: 3 });
  const under = (keyword: string, value: fc.Arbitrary<unknown>) => value.map((each) => ({ [keyword]: each }));
  const group = (parts: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
    fc.record(parts, { requiredKeys }) as fc.Arbitrary<Schema>;
  return fc.oneof(
    { weight: 5, arbitrary: under('$ref', fc.constantFrom(...REFERENCES)) },
    { weight: 1, arbitrary: under('$dynamicRef', fc.constantFrom('#anchored', '#dynamic')) },
    { weight: 3, arbitrary: under('type', types) },
    { weight: 4, arbitrary: group({ properties: map, additionalProperties: schema }, ['properties']) },
    {
      weight: 1,
      arbitrary: under('patternProperties', fc.dictionary(fc.constantFrom('^a', 'b|c'), schema, { maxKeys: 2 })),
    },
    { weight: 1, arbitrary: under('propertyNames', schema) },
    { weight: 2, arbitrary: under('required', fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 })) },
    { weight: 1, arbitrary: under('maxProperties', count) },
    { weight: 1, arbitrary: group({ items: schema, prefixItems: list }, []) },
    { weight: 2, arbitrary: group({ contains: schema, minContains: count, maxContains: count }, ['contains']) },
    { weight: 2, arbitrary: under('allOf', list) },
    { weight: 2, arbitrary: under('anyOf', list) },
    { weight: 2, arbitrary: under('oneOf', list) },
    { weight: 2, arbitrary: under('not', schema) },
    // biome-ignore lint/suspicious/noThenProperty: it is the keyword
    { weight: 2, arbitrary: group({ if: schema, then: schema, else: schema }, ['if']) },
    { weight: 1, arbitrary: under('dependentSchemas', map) },
    { weight: 2, arbitrary: under('unevaluatedProperties', fc.oneof(fc.constant(false), schema)) },
    { weight: 1, arbitrary: under('unevaluatedItems', fc.oneof(fc.constant(false), schema)) },
    { weight: 1, arbitrary: under('const', json) },
    { weight: 1, arbitrary: under('enum', fc.array(json, { minLength: 1, maxLength: 4 })) },
    { weight: 1, arbitrary: under('minLength', count) },
    { weight: 1, arbitrary: group({ title: fc.constant('T'), default: fc.constant({ $ref: '#/nowhere' }) }, []) },
  );
}

const { schema, object } = fc.letrec<{ schema: unknown; object: Schema }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3, depthSize: 'small' }, fc.boolean(), tie('object')),
  object: fc.array(keywords(tie('schema')), { maxLength: 3 }).map((parts) => Object.assign({}, ...parts)),
}));

/** Input schemas in which nearly every reference but {@link ELSEWHERE} leads somewhere, often in circles. */
export const documents: fc.Arbitrary<Schema> = fc
  .record({ root: object, a: schema, held: object, c: schema, anchored: object, dynamic: object, inner: object })
  .map(({ root, a, held, c, anchored, dynamic, inner }) => {
    const named = {
      anchored: { ...anchored, $anchor: 'anchored' },
      dynamic: { ...dynamic, $dynamicAnchor: 'dynamic' },
    };
    const within = (outer: Schema) => ({ ...(outer.properties as Schema | undefined), a: c });
    const document = {
      ...root,
      type: 'object',
      $id: 'https://here.test/outer.json',
      properties: within(root),
      $defs: {
        ...named,
        a,
        'a/b~1%': c,
        held: { ...held, properties: within(held) },
        inner: {
          ...inner,
          $id: 'inner.json',
          properties: within(inner),
          $defs: { ...named, a, held: { properties: { a: c } } },
          definitions: { c },
        },
      },
      definitions: { c },
    };
    // As it comes off the wire: no two places are one object.
    return JSON.parse(JSON.stringify(document)) as Schema;
  })
  .filter((inputSchema) => admitTool({ name: 't', inputSchema }, { schemaDepth: 1_000, schemaNodes: 100_000 }).ok);

const simple = fc.constantFrom<unknown>(
  true,
  false,
  { type: 'string' },
  { type: 'object' },
  { properties: { a: true } },
  { properties: { b: { type: 'integer' } } },
  { required: ['b'] },
  { const: 1 },
  { prefixItems: [true] },
);

/** A schema around another one, which so comes into every kind of place. */
function around(hole: fc.Arbitrary<unknown>): fc.Arbitrary<Schema> {
  const list = fc
    .tuple(hole, simple)
    .chain(([inner, other]) => fc.constantFrom([inner], [inner, other], [other, inner]));
  const under = (keyword: string, value: fc.Arbitrary<unknown>) => value.map((each) => ({ [keyword]: each }));
  const members = hole.map((inner) => ({ a: inner }));
  // biome-ignore-start lint/suspicious/noThenProperty: it is the keyword
  const condition = fc
    .tuple(hole, simple, simple)
    .chain(([inner, one, other]) =>
      fc.constantFrom<Schema>(
        { if: inner, then: one, else: other },
        { if: inner, then: one },
        { if: one, then: inner, else: other },
        { if: one, else: inner },
      ),
    );
  // biome-ignore-end lint/suspicious/noThenProperty: it is the keyword
  const bare = fc.oneof(
    { weight: 4, arbitrary: condition },
    { weight: 3, arbitrary: under('not', hole) },
    { weight: 3, arbitrary: under('oneOf', list) },
    { weight: 2, arbitrary: fc.record({ oneOf: list, anyOf: list }) as fc.Arbitrary<Schema> },
    {
      weight: 3,
      arbitrary: fc.record({ contains: hole, minContains: count, maxContains: count }) as fc.Arbitrary<Schema>,
    },
    ...['allOf', 'anyOf', 'prefixItems'].map((keyword) => under(keyword, list)),
    ...['properties', 'dependentSchemas', 'patternProperties'].map((keyword) => under(keyword, members)),
    ...['additionalProperties', 'propertyNames', 'items'].map((keyword) => under(keyword, hole)),
  );
  const shut = fc.constantFrom({}, {}, { unevaluatedProperties: false }, { unevaluatedItems: false });
  return fc.tuple(bare, shut).map(([schema, closing]) => ({ ...schema, ...closing }));
}

const lost = fc.constant({ $ref: ELSEWHERE });
const nested = fc.oneof(lost, around(lost), around(around(lost)));

/** Input schemas in which something is lost, in every kind of place and at most three schemas deep. */
export const lossyDocuments: fc.Arbitrary<Schema> = around(fc.oneof(nested, around(nested))).chain((root) =>
  fc.constantFrom<Schema>(
    { type: 'object', ...root },
    { type: 'object', properties: { a: root } },
    { type: 'object', properties: { a: { items: root } } },
  ),
);
