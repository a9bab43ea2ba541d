import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../src/core/tools.js';
import { BARE_SCHEMA, deferSchema } from '../../../src/schema/defer.js';
import { projectGeneric } from '../../../src/schema/generic.js';
import { compile, metaErrors } from '../../support/schemas.js';
import { documents, ELSEWHERE, instances, lossyDocuments } from './arbitrary-schemas.js';

const RUNS = Number(process.env.SCHEMA_RUNS ?? 300);
const SEED = Number(process.env.SCHEMA_SEED ?? 1);
const timeout = RUNS * 400;
const BOUNDS = { schemaDepth: 64, schemaNodes: 10_000 };

const deferred = (properties: Record<string, unknown>, rest: JsonSchema = {}) =>
  deferSchema({ type: 'object', properties, ...rest });

describe('what a parameter keeps', () => {
  const cases: readonly (readonly [what: string, parameter: unknown, kept: unknown])[] = [
    ['a type', { type: 'string', description: 'd', pattern: 'x', format: 'uri', default: 'a' }, { type: 'string' }],
    ['types', { type: ['string', 'null'], minLength: 3 }, { type: ['string', 'null'] }],
    ['the type of a constant', { const: 3 }, { type: 'integer' }],
    ['the types of an enum', { enum: ['a', null, 1.5, 'b', true] }, { type: ['string', 'null', 'number', 'boolean'] }],
    ['its own type before those of an enum', { type: 'string', enum: ['a', 'b'] }, { type: 'string' }],
    ['the types of branches', { anyOf: [{ type: 'string' }, { const: null }] }, { type: ['string', 'null'] }],
    ['one type where branches agree', { oneOf: [{ const: 'a' }, { enum: ['b'] }] }, { type: 'string' }],
    ['nothing where a branch does not tell', { anyOf: [{ type: 'string' }, { minimum: 3 }] }, {}],
    ['nothing where a branch takes anything', { anyOf: [{ type: 'string' }, true] }, {}],
    ['no part of a branch that takes nothing', { anyOf: [{ type: 'string' }, false] }, { type: 'string' }],
    ['what one of several conditions tells', { allOf: [{ minLength: 3 }, { type: 'string' }] }, { type: 'string' }],
    ['an object without its members', { type: 'object', properties: { a: {} }, required: ['a'] }, { type: 'object' }],
    [
      'what an array holds',
      { type: 'array', items: { type: 'number', minimum: 1 } },
      { type: 'array', items: { type: 'number' } },
    ],
    [
      'what an array of arrays holds',
      { type: 'array', items: { type: 'array', items: { enum: [1] } } },
      { type: 'array', items: { type: 'array', items: { type: 'integer' } } },
    ],
    ['an array of anything', { type: 'array' }, { type: 'array', items: {} }],
    [
      'an array of which only the first items are told',
      { type: 'array', prefixItems: [{}], items: { type: 'string' } },
      { type: 'array', items: {} },
    ],
    ['an array of an older dialect', { type: 'array', items: [{ type: 'string' }] }, { type: 'array', items: {} }],
    [
      'what the arrays among branches hold',
      {
        anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }, { type: 'array', items: { const: 1 } }],
      },
      { type: ['array', 'null'], items: { type: ['string', 'integer'] } },
    ],
    ['nothing of no schema', 'string', {}],
    ['nothing of true', true, {}],
    ['nothing of a type that there is not', { type: 'date' }, {}],
    ['nothing of types of which there is one not', { type: ['string', 'date'] }, {}],
    ['nothing of an empty list of types', { type: [] }, {}],
    ['nothing of an empty enum', { enum: [] }, {}],
    ['no types that every object inherits', Object.create({ type: 'string' }), {}],
  ];
  it.each(cases)('D2 %s', (_, parameter, kept) => {
    expect(deferred({ p: parameter })).toEqual({ type: 'object', properties: { p: kept } });
  });
});

describe('what the root keeps', () => {
  it('D2 is names and types in the order of the server, and nothing else', () => {
    const schema = {
      $schema: 'x',
      title: 't',
      description: 'd',
      additionalProperties: false,
      minProperties: 1,
      'x-a': 1,
    };
    const made = deferred({ b: { type: 'string' }, a: {} }, { ...schema, required: ['a'] });
    expect(JSON.stringify(made)).toBe('{"type":"object","properties":{"b":{"type":"string"},"a":{}},"required":["a"]}');
  });

  it('D2 requires only what is listed', () => {
    expect(deferred({ a: {} }, { required: ['z', 'a'] })).toMatchObject({ required: ['a'] });
    expect(deferred({ a: {} }, { required: ['z'] })).not.toHaveProperty('required');
  });

  it('D2 lists the parameters of its parts: those that always hold with types, the others by name', () => {
    const part = (name: string, rest = {}) => ({
      properties: { [name]: { type: 'string' } },
      required: [name],
      ...rest,
    });
    const made = deferred(
      { own: { type: 'number' } },
      {
        allOf: [part('always'), part('own'), { allOf: [part('deep')] }],
        anyOf: [part('maybe'), part('own')],
        oneOf: [part('either')],
        // biome-ignore lint/suspicious/noThenProperty: it is the keyword
        then: part('then'),
        else: part('else'),
        dependentSchemas: { own: part('dependent') },
      },
    );
    expect(made.properties).toEqual({
      own: { type: 'number' },
      always: { type: 'string' },
      deep: { type: 'string' },
      maybe: {},
      either: {},
      // biome-ignore lint/suspicious/noThenProperty: it is the keyword
      then: {},
      else: {},
      dependent: {},
    });
    expect(made.required).toEqual(['own', 'always', 'deep']);
  });

  it('D2 N8 a parameter may have any name', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{}},"required":["__proto__"]}',
    );
    expect(JSON.stringify(deferSchema(schema))).toBe(JSON.stringify(schema));
  });

  it('D2 takes a schema as deep as a definition may be', () => {
    let items: unknown = { type: 'string' };
    for (let level = 0; level < 1_000; level++) items = { type: 'array', items };
    expect(JSON.stringify(deferred({ items })).length).toBeGreaterThan(20_000);
  });

  it('D3 the bare form takes any arguments, and says that they are an object', () => {
    expect(BARE_SCHEMA).toEqual({ type: 'object', properties: {} });
  });
});

it.each([
  ['any documents', documents],
  ['documents of which something was lost', lossyDocuments],
])('D2 accepts all that the original accepts: %s', { timeout }, (_, all) => {
  const tally = { accepted: 0, refused: 0 };
  const property = fc.property(all, instances, (document, values) => {
    const original = compile(document, { elsewhere: { [ELSEWHERE]: true } });
    const made = deferSchema(projectGeneric(document, BOUNDS).schema);
    expect(metaErrors(made)).toEqual([]);
    const check = compile(made);
    for (const value of original === undefined ? [] : values) {
      const verdict = original!(value);
      if (verdict) expect([value, check!(value)]).toEqual([value, true]);
      if (check!(value) === false) tally.refused += 1;
      else if (verdict) tally.accepted += 1;
    }
  });
  fc.assert(property, { numRuns: RUNS, seed: SEED });
  expect(tally.accepted).toBeGreaterThan(RUNS / 2);
  expect(tally.refused).toBeGreaterThan(RUNS / 40);
});
