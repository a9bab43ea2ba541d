import { describe, expect, it } from 'vitest';
import { createArgumentsCheck } from '../../../src/calls/arguments.js';
import { detachArguments } from '../../../src/calls/detach.js';
import type { SurveyedTool } from '../../../src/catalog/survey.js';
import { isMcpError, type McpInvalidArgumentsError } from '../../../src/core/errors.js';
import type { JsonSchema } from '../../../src/core/tools.js';

const DETAILS = { server: 's', tool: 't' };
const toolOf = (inputSchema: JsonSchema): SurveyedTool => ({
  name: 't',
  description: '',
  inputSchema,
  paramHeaders: [],
});

/** One check with a new checker; `coerced` is what was reported. */
function check(args: unknown, inputSchema: JsonSchema = {}, hidden = false) {
  const coerced: (readonly string[])[] = [];
  const rules = {
    tool: toolOf(inputSchema),
    hidden,
    onCoerced: (paths: readonly string[]) => void coerced.push(paths),
  };
  return { args: createArgumentsCheck()(detachArguments(args), rules, DETAILS), coerced };
}

function refusal(args: unknown, inputSchema: JsonSchema = {}, hidden = false): McpInvalidArgumentsError {
  try {
    check(args, inputSchema, hidden);
  } catch (error) {
    if (isMcpError(error) && error.code === 'invalid-arguments') return error as McpInvalidArgumentsError;
    throw error;
  }
  throw new Error('It was not refused.');
}

const parameter = (schema: unknown, rest: JsonSchema = {}) => ({ type: 'object', properties: { p: schema }, ...rest });

describe('what is sent', () => {
  it.each([undefined, null])('N6 %s is no arguments', (args) => {
    expect(check(args).args).toEqual({});
  });

  it('N6 the copy shares nothing with the original and keeps keys of any name', () => {
    const args = JSON.parse('{"__proto__":{"a":[1]},"constructor":1,"b":{"c":null}}') as Record<string, unknown>;
    const copy = check(args).args;
    expect(JSON.stringify(copy)).toBe(JSON.stringify(args));
    expect(copy).not.toBe(args);
    expect(copy.b).not.toBe(args.b);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });

  it('N6 what JSON cannot say is left out or written as JSON writes it', () => {
    const args = { gone: undefined, call: () => 1, when: new Date(0), not: Number.NaN };
    expect(check(args).args).toEqual({ when: '1970-01-01T00:00:00.000Z', not: null });
  });

  it('A3 is frozen at every level, and the caller keeps what is his', () => {
    const args = { a: { b: [{ c: 1 }] } };
    const sent = check(args).args as typeof args;
    for (const each of [sent, sent.a, sent.a.b, sent.a.b[0]]) expect(Object.isFrozen(each)).toBe(true);
    expect(Object.isFrozen(args) || Object.isFrozen(args.a)).toBe(false);
  });

  it.each([
    [[], 'must be a JSON object, not an array'],
    ['text', 'must be a JSON object, not a string'],
    ['[1]', 'must be a JSON object, not a string'],
    [7, 'must be a JSON object, not a number'],
    [() => ({}), 'must be a JSON object, not a function'],
    [{ a: 1n }, 'cannot be written as JSON'],
    [{ toJSON: () => [] }, 'must be a JSON object'],
  ])('N6 %s is refused with what is wrong with it', (args, problem) => {
    const error = refusal(args);
    expect(error).toMatchObject({ server: 's', tool: 't', message: expect.stringContaining(problem) });
    expect(error.issues).toEqual([{ path: '', message: expect.stringContaining(problem) }]);
  });
});

describe('what a string is read as', () => {
  const cases: readonly (readonly [schema: unknown, given: string, read: unknown])[] = [
    [{ type: 'integer' }, '5', 5],
    [{ type: 'number' }, '-2.5e3', -2500],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'object' }, '{"a":1}', { a: 1 }],
    [{ type: 'array', items: { type: 'integer' } }, ' [1, 2] ', [1, 2]],
    [{ type: ['integer', 'null'] }, '7', 7],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, '7', 7],
    [{ type: 'object', properties: { q: { type: 'integer' } } }, '{"q":"5"}', { q: 5 }],
  ];
  it.each(cases)('D8 %j given %j', (schema, given, read) => {
    const { args, coerced } = check({ p: given }, parameter(schema));
    expect(args).toEqual({ p: read });
    expect(coerced).toEqual([[...new Set(['/p', ...(given.includes('"5"') ? ['/p/q'] : [])])]]);
  });

  it.each([
    [{ type: 'string' }, '5'],
    [{ type: ['string', 'integer'] }, '5'],
    [{}, '5'],
    [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }, '5'],
  ])('D8 a string that the schema %j accepts stays one', (schema, given) => {
    expect(check({ p: given }, parameter(schema))).toEqual({ args: { p: given }, coerced: [] });
  });

  it.each([
    [{ type: 'integer' }, '5.5'],
    [{ type: 'integer' }, ' 5'],
    [{ type: 'integer' }, 'five'],
    [{ type: 'integer' }, '12345678901234567890'],
    [{ type: 'number' }, '1e999'],
    [{ type: 'number' }, ''],
    [{ type: 'boolean' }, 'yes'],
    [{ type: 'boolean' }, 'True'],
    [{ type: 'null' }, 'null'],
    [{ type: 'object' }, '[1]'],
    [{ type: 'array' }, '{}'],
    [{ type: 'array' }, '1,2'],
  ])('D8 %j is not given by %j', (schema, given) => {
    expect(refusal({ p: given }, parameter(schema)).issues).toMatchObject([{ path: '/p' }]);
  });

  it('D8 at any depth, the whole of the arguments too, and nothing else is changed', () => {
    const schema = parameter({ type: 'array', items: parameter({ type: 'boolean' }) });
    const { args, coerced } = check('{"p":[{"p":"true","q":"false"},{"p":"false"}],"r":"1"}', schema);
    expect(args).toEqual({ p: [{ p: true, q: 'false' }, { p: false }], r: '1' });
    expect(coerced[0]).toEqual(['']);
  });

  it('D8 is told once for each definition', () => {
    const told: (readonly string[])[] = [];
    const run = createArgumentsCheck();
    const tool = toolOf(parameter({ type: 'integer' }));
    for (const each of [tool, tool, toolOf(tool.inputSchema)]) {
      run(
        detachArguments({ p: '5' }),
        { tool: each, hidden: false, onCoerced: (paths) => void told.push(paths) },
        DETAILS,
      );
    }
    expect(told).toEqual([['/p'], ['/p']]);
  });

  it('D8 what is wrong besides is refused all the same, and nothing is told', () => {
    const schema = { type: 'object', properties: { p: { type: 'integer' } }, required: ['p', 'q'] };
    expect(refusal({ p: '5' }, schema).issues).toEqual([{ path: '', message: 'must have the property `q`' }]);
  });
});

describe('references', () => {
  it.each([
    [undefined, '$id'],
    ['http://json-schema.org/draft-04/schema#', 'id'],
  ])('D7 those inside a schema with a name of its own are not read as to the document (%s)', ($schema, id) => {
    const definitions = {
      text: { type: 'integer' },
      inner: {
        [id]: 'https://example.org/inner',
        properties: { p: { $ref: '#/definitions/text' }, q: { $ref: '#text' } },
        definitions: { text: { type: 'string', $anchor: 'text' } },
      },
    };
    const schema = parameter({ $ref: '#/definitions/inner' }, { $schema, definitions });
    expect(check({ p: { p: 'x', q: 'y' } }, schema).coerced).toEqual([]);
    expect(refusal({ p: 'x', q: 1 }, { ...schema, required: ['r'] }).issues).toHaveLength(1);
  });

  it('D8 a parameter may be called `$ref`', () => {
    const schema = { type: 'object', properties: { $ref: { type: 'integer' } } };
    expect(check({ $ref: '5' }, schema).args).toEqual({ $ref: 5 });
    expect(refusal({ $ref: 'x' }, schema).issues).toEqual([
      { path: '/$ref', message: 'must be an integer, not the string "x"' },
    ]);
  });
});

describe('what is nested too deeply', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const schema = { type: 'object', properties: { p: { type: 'integer' }, list: { type: 'array' } } };

  it.each([3_000, 20_000])('D8 %s levels of a text are refused', (levels) => {
    expect(refusal(`{"p":"5","list":${deep(levels)}}`, schema).issues).toEqual([
      { path: '', message: expect.stringContaining('nested too deeply') },
    ]);
    expect(refusal({ p: '5', list: deep(levels) }, schema).issues.map(({ path }) => path)).toEqual(['/list']);
  });
});

describe('D8 alternatives', () => {
  const of = (kind: string, properties: JsonSchema) => ({
    type: 'object',
    properties: { kind: { const: kind }, ...properties },
    required: ['kind'],
  });
  const text = of('text', { value: { type: 'string' }, most: { type: 'integer' } });
  const count = of('count', { value: { type: 'integer' } });

  it.each(['anyOf', 'oneOf'])('D8 a string is only read as the alternative wants it that was meant (%s)', (keyword) => {
    for (const alternatives of [
      [text, count],
      [count, text],
    ]) {
      const schema = parameter({ [keyword]: alternatives });
      const given = { p: { kind: 'text', value: '10', most: '5' } };
      expect(check(given, schema)).toEqual({ args: { p: { ...given.p, most: 5 } }, coerced: [['/p/most']] });
      const wrong = { p: { ...given.p, most: 'x' } };
      expect(refusal(wrong, schema).issues.map(({ path }) => path)).toEqual(['/p/most']);
    }
  });
});

describe('what a refusal says', () => {
  const cases: readonly (readonly [what: string, schema: JsonSchema, args: unknown, issues: readonly string[]])[] = [
    ['a type', parameter({ type: 'string' }), { p: 5 }, ['/p: must be a string, not 5']],
    [
      'types',
      parameter({ type: ['integer', 'null'] }),
      { p: 'x' },
      ['/p: must be an integer or null, not the string "x"'],
    ],
    [
      'an enum, with the closest',
      parameter({ enum: ['open', 'closed'] }),
      { p: 'opn' },
      ['/p: must be "open" or "closed", not the string "opn". Did you mean `open`?'],
    ],
    ['a constant', parameter({ const: 3 }), { p: [4] }, ['/p: must be 3, not an array']],
    ['what is missing', parameter({}, { required: ['a', 'b'] }), { a: 1 }, [': must have the property `b`']],
    [
      'what is missing, and what may be meant',
      parameter({}, { required: ['query', 'page'] }),
      { qurey: 1 },
      [': must have the properties `query`, `page`; it has `qurey`'],
    ],
    ['what is not known', parameter({}, { additionalProperties: false }), { q: 1 }, ['/q: is not a known property.']],
    ['bounds', parameter({ minimum: 3 }), { p: 1 }, ['/p: must be at least 3, not 1']],
    [
      'lengths',
      parameter({ maxLength: 2 }),
      { p: 'abc' },
      ['/p: must have at most 2 characters, not the string "abc"'],
    ],
    [
      'a pattern',
      parameter({ pattern: '^\\d+$' }),
      { p: 'a' },
      ['/p: must match the pattern "^\\\\d+$", not the string "a"'],
    ],
    [
      'a repeated item',
      parameter({ type: 'array', uniqueItems: true }),
      {
        p: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      ['/p: must not repeat an item'],
    ],
    [
      'alternatives of other kinds',
      parameter({ anyOf: [{ type: 'string' }, { enum: [1, 2] }] }),
      { p: true },
      ['/p: must be a string or 1 or 2, not true'],
    ],
    [
      'the alternative that is meant',
      parameter({
        oneOf: [
          { type: 'object', properties: { kind: { const: 'a' }, n: { type: 'integer' } }, required: ['kind', 'n'] },
          { type: 'object', properties: { kind: { const: 'b' }, m: { type: 'integer' } }, required: ['kind', 'm'] },
        ],
      }),
      { p: { kind: 'b', m: 'x' } },
      ['/p/m: must be an integer, not the string "x"'],
    ],
    [
      'several alternatives at once',
      parameter({ oneOf: [{ type: 'integer' }, { minimum: 1 }] }),
      { p: 5 },
      ['/p: must fit one of the alternatives of `oneOf`, and fits several'],
    ],
    [
      'through references, by the place in the arguments',
      {
        type: 'object',
        properties: { p: { $ref: '#/$defs/d' } },
        $defs: { d: { type: 'array', items: { type: 'integer' } } },
      },
      { p: [1, 'x'] },
      ['/p/1: must be an integer, not the string "x"'],
    ],
    [
      'a name that is not allowed',
      parameter({}, { propertyNames: { maxLength: 2 } }),
      { long: 1 },
      [': has a property whose name is not allowed'],
    ],
    [
      'names that a pointer escapes',
      { type: 'object', properties: { 'a/b~ c%': { type: 'string' } } },
      { 'a/b~ c%': 1 },
      ['/a~1b~0 c%: must be a string, not 1'],
    ],
  ];
  it.each(cases)('D7 %s', (_, schema, args, issues) => {
    expect(refusal(args, schema).issues.map(({ path, message }) => `${path}: ${message}`)).toEqual(issues);
  });

  it('D7 the message names each issue, the tool and the server, and that nothing was sent', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
    const { message } = refusal({ a: 1, b: 2 }, schema);
    expect(message).toBe(
      'The arguments of `t` (server `s`) are not valid, and nothing was sent:\n- /a: must be a string, not 1\n- /b: must be a string, not 2',
    );
  });

  it('D7 the schema is in the message and a property where it was hidden, and only there', () => {
    const schema = parameter({ type: 'string' });
    const hidden = refusal({ p: 1 }, schema, true);
    expect(hidden.message).toContain(JSON.stringify(schema));
    expect(hidden.schema).toEqual(schema);
    const shown = refusal({ p: 1 }, schema);
    expect(shown.message).not.toContain('properties');
    expect(shown.schema).toBeUndefined();
  });

  it('D7 a long schema is not in the message, which says how to get it', () => {
    const schema = parameter({ type: 'string', description: 'x'.repeat(30_000) });
    const { message, schema: carried } = refusal({ p: 1 }, schema, true);
    expect(message).toContain('mcp__describe_tool');
    expect(message.length).toBeLessThan(500);
    expect(carried).toEqual(schema);
  });

  it('D7 what the model or the server wrote is bounded, and no control character is passed on', () => {
    const schema = {
      type: 'object',
      properties: { p: { enum: Array.from({ length: 500 }, (_, index) => `\u001b${index}`) } },
      additionalProperties: false,
    };
    const wild = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`\u0007${'k'.repeat(500)}${index}`, 1]));
    const { message, issues } = refusal({ p: 'v'.repeat(100_000), ...wild }, schema);
    expect(issues).toHaveLength(10);
    expect(message.length).toBeLessThan(6_000);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must not be there
    expect(message).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
