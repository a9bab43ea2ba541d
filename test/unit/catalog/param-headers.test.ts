import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { paramHeaders, scanParamHeaders } from '../../../src/catalog/param-headers.js';

function withProperty(schema: unknown, name = 'region'): unknown {
  return { type: 'object', properties: { [name]: schema } };
}

const MARKED = { type: 'string', 'x-mcp-header': 'Region' };

describe('scanParamHeaders', () => {
  it('L6 finds nothing where nothing is declared', () => {
    expect(scanParamHeaders({ type: 'object' })).toEqual({ valid: true, declarations: [] });
    expect(scanParamHeaders(withProperty({ type: 'string' }))).toEqual({ valid: true, declarations: [] });
  });

  it.each(['string', 'integer', 'boolean'])('L6 takes a property of type %s', (type) => {
    expect(scanParamHeaders(withProperty({ type, 'x-mcp-header': 'Region' }))).toEqual({
      valid: true,
      declarations: [{ path: ['region'], headerName: 'Region' }],
    });
  });

  it('L6 follows chains of properties, in order of depth and document', () => {
    const schema = {
      type: 'object',
      properties: {
        outer: { type: 'object', properties: { inner: { type: 'boolean', 'x-mcp-header': 'X-Inner' } } },
        last: { type: 'integer', 'x-mcp-header': 'last' },
        ['__proto__']: { type: 'string', 'x-mcp-header': 'Proto' },
      },
    };
    expect(scanParamHeaders(schema)).toEqual({
      valid: true,
      declarations: [
        { path: ['last'], headerName: 'last' },
        { path: ['__proto__'], headerName: 'Proto' },
        { path: ['outer', 'inner'], headerName: 'X-Inner' },
      ],
    });
  });

  it.each([
    ['an empty name', ''],
    ['white space', 'a b'],
    ['a line break', 'a\r\nb'],
    ['a delimiter', 'a:b'],
    ['a letter beyond ASCII', 'é'],
    ['a number', 5],
    ['null', null],
  ])('L6 refuses %s as a header name', (_, name) => {
    expect(scanParamHeaders(withProperty({ type: 'string', 'x-mcp-header': name })).valid).toBe(false);
  });

  it('L6 takes every character of a token', () => {
    expect(scanParamHeaders(withProperty({ type: 'string', 'x-mcp-header': "!#$%&'*+-.^_`|~09azAZ" })).valid).toBe(
      true,
    );
  });

  it.each(['number', 'object', 'array', 'null', undefined, ['string'], ['string', 'null']])(
    'L6 refuses type %j',
    (type) => {
      expect(scanParamHeaders(withProperty({ type, 'x-mcp-header': 'Region' })).valid).toBe(false);
    },
  );

  it.each([
    ['the root', { ...MARKED, type: 'object' }],
    ['a root of another type', MARKED],
    ['items', withProperty({ type: 'array', items: MARKED })],
    ['prefixItems', withProperty({ type: 'array', prefixItems: [{}, MARKED] })],
    ['additionalProperties', { type: 'object', additionalProperties: MARKED }],
    ['patternProperties', { type: 'object', patternProperties: { '^a': MARKED } }],
    ['dependentSchemas', { type: 'object', dependentSchemas: { a: MARKED } }],
    ['oneOf', withProperty({ oneOf: [MARKED] })],
    ['anyOf', { type: 'object', anyOf: [withProperty(MARKED)] }],
    ['allOf', { type: 'object', allOf: [withProperty(MARKED)] }],
    ['not', { type: 'object', not: withProperty(MARKED) }],
    ['then', JSON.parse(JSON.stringify({ type: 'object', if: {}, '?': withProperty(MARKED) }).replace('?', 'then'))],
    ['$defs', { type: 'object', $defs: { a: MARKED } }],
    ['definitions', { type: 'object', definitions: { a: MARKED } }],
    ['properties below items', withProperty({ type: 'array', items: withProperty(MARKED) })],
    ['a keyword nobody knows', { type: 'object', 'x-other': { a: [MARKED] } }],
    ['a list in the place of properties', { type: 'object', properties: [MARKED] }],
  ])('L6 refuses a declaration at or under %s', (_, schema) => {
    expect(scanParamHeaders(schema)).toMatchObject({ valid: false });
  });

  it.each([
    ['a property that is called so', withProperty({ type: 'string' }, 'x-mcp-header')],
    ['such a property below items', withProperty({ type: 'array', items: withProperty({}, 'x-mcp-header') })],
    ['a definition that is called so', { type: 'object', $defs: { 'x-mcp-header': {} } }],
    ['a default', withProperty({ type: 'object', default: MARKED })],
    ['a const', withProperty({ const: MARKED })],
    ['an enum', withProperty({ enum: [MARKED] })],
    ['examples', withProperty({ type: 'object', examples: [MARKED] })],
  ])('L6 does not take %s for a declaration', (_, schema) => {
    expect(scanParamHeaders(schema)).toEqual({ valid: true, declarations: [] });
  });

  it('L6 refuses two names that are equal but for case', () => {
    const schema = { type: 'object', properties: { a: MARKED, b: { ...MARKED, 'x-mcp-header': 'REGION' } } };
    expect(scanParamHeaders(schema)).toEqual({
      valid: false,
      reason: 'Two x-mcp-header declarations are equal but for case.',
    });
  });

  it('L6 an inherited keyword declares nothing, an inherited type counts for nothing', () => {
    expect(scanParamHeaders(withProperty(Object.create(MARKED)))).toEqual({ valid: true, declarations: [] });
    const inherited = Object.assign(Object.create({ type: 'string' }), { 'x-mcp-header': 'a' });
    expect(scanParamHeaders(withProperty(inherited)).valid).toBe(false);
  });

  it('L6 a reason holds no text of the server', () => {
    const names = ['CANARY', 'CANARY x'];
    const faults = [
      withProperty({ type: 'CANARY', 'x-mcp-header': names[0] }, 'CANARY'),
      withProperty({ type: 'string', 'x-mcp-header': names[1] }, 'CANARY'),
      { type: 'object', $defs: { CANARY: { ...MARKED, 'x-mcp-header': names[0] } } },
      {
        type: 'object',
        properties: { a: { ...MARKED, 'x-mcp-header': 'CANARY' }, b: { ...MARKED, 'x-mcp-header': 'Canary' } },
      },
    ];
    for (const fault of faults) {
      const scan = scanParamHeaders(fault);
      expect(scan.valid).toBe(false);
      expect(JSON.stringify(scan).toLowerCase()).not.toContain('canary');
    }
  });

  it('G9 walks any depth', () => {
    const deep = JSON.parse(`${'{"not":'.repeat(50_000)}{"x-mcp-header":"a"}${'}'.repeat(50_000)}`);
    expect(scanParamHeaders(deep).valid).toBe(false);
  });
});

describe('paramHeaders', () => {
  const value = (argument: unknown) => paramHeaders([{ path: ['a'], headerName: 'A' }], { a: argument })['Mcp-Param-A'];

  it.each([
    ['a string', 'eu-west-1', 'eu-west-1'],
    ['inner white space', 'a b\tc', 'a b\tc'],
    ['true', true, 'true'],
    ['false', false, 'false'],
    ['zero', -0, '0'],
    ['an integer', -42, '-42'],
    ['a fraction', 1.5, '1.5'],
    ['the largest safe integer', Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['something almost a sentinel', '=?base64?', '=?base64?'],
    ['an empty string', '', '=?base64??='],
    ['a leading space', ' a', '=?base64?IGE=?='],
    ['a trailing tab', 'a\t', '=?base64?YQk=?='],
    ['a line break', 'a\r\nb', '=?base64?YQ0KYg==?='],
    ['DEL', '\u007f', '=?base64?fw==?='],
    ['an accent', 'é', '=?base64?w6k=?='],
    ['an emoji', '😀', '=?base64?8J+YgA==?='],
    ['a sentinel', '=?base64?YQ==?=', '=?base64?PT9iYXNlNjQ/WVE9PT89?='],
    ['the shortest sentinel', '=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
  ])('L6 writes %s', (_, argument, header) => {
    expect(value(argument)).toBe(header);
  });

  it.each([null, undefined, {}, [], ['a'], Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e21])(
    'L6 gives no header for %j',
    (argument) => {
      expect(value(argument)).toBeUndefined();
    },
  );

  it('L6 what is written reads back as what was meant, and is a field value', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('=?base64?x?=', '=?BASE64?x?=', ' ', '\t'));
    fc.assert(
      fc.property(text, (argument) => {
        const header = value(argument)!;
        expect(header).toMatch(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/);
        const payload = /^=\?base64\?(.*)\?=$/.exec(header)?.[1];
        expect(payload === undefined ? header : Buffer.from(payload, 'base64').toString('utf8')).toBe(argument);
      }),
    );
  });

  it('L6 reads own properties along the path only', () => {
    const declarations = [
      { path: ['constructor', 'name'], headerName: 'C' },
      { path: ['__proto__', 'x'], headerName: 'P' },
      { path: ['text', 'length'], headerName: 'L' },
    ];
    expect(Object.keys(paramHeaders(declarations, { text: 'abc' }))).toEqual([]);
    expect(paramHeaders(declarations, JSON.parse('{"__proto__":{"x":"y"}}'))['Mcp-Param-P']).toBe('y');
    expect(Object.keys(paramHeaders(declarations, undefined))).toEqual([]);
    const inherited = paramHeaders([{ path: ['a'], headerName: 'A' }], Object.create({ a: 'x' }));
    expect(Object.keys(inherited)).toEqual([]);
  });

  it('L6 reads nested arguments', () => {
    expect({ ...paramHeaders([{ path: ['a', 'b'], headerName: 'X-B' }], { a: { b: 1 } }) }).toEqual({
      'Mcp-Param-X-B': '1',
    });
  });
});
