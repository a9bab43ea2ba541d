import { describe, expect, it } from 'vitest';
import { type Admission, admitForeign, admitTool, findDuplicates } from '../../../src/catalog/admit.js';

const BOUNDS = { schemaDepth: 64, schemaNodes: 10_000 };
const SCHEMA = { type: 'object' };
const TOOL = { name: 'search', description: 'Finds.', inputSchema: SCHEMA };

function admit(entry: unknown): Admission {
  return admitTool(entry, BOUNDS);
}

function nested(levels: number): unknown {
  return JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
}

describe('admitTool', () => {
  it('L1 admits a whole definition, its values untouched', () => {
    const entry = {
      ...TOOL,
      title: 'Search',
      outputSchema: { type: 'object' },
      annotations: { title: 'S', readOnlyHint: true },
      icons: [{ src: 'https://example.test/i.png' }],
      execution: { taskSupport: 'required' },
      _meta: { x: 1 },
    };
    const { name, title, description, inputSchema, outputSchema, annotations } = entry;
    const admission = admit(entry);
    expect(admission).toEqual({
      ok: true,
      tool: { name, title, description, inputSchema, outputSchema, annotations },
      chars: JSON.stringify(entry).length,
    });
    expect(admission.ok && admission.tool.inputSchema).toBe(inputSchema);
  });

  it('L1 admits the least there can be', () => {
    expect(admit({ name: 'x', inputSchema: SCHEMA })).toMatchObject({
      ok: true,
      tool: { name: 'x', description: '', inputSchema: SCHEMA },
    });
    const admission = admit({ name: 'x', inputSchema: SCHEMA });
    expect(admission.ok && Object.keys(admission.tool)).toEqual(['name', 'description', 'inputSchema']);
  });

  it.each([
    ['a name that no provider takes', { ...TOOL, name: '\ud800 . /' }],
    ['a name of 1,024 units', { ...TOOL, name: 'x'.repeat(1_024) }],
    ['the name __proto__', { ...TOOL, name: '__proto__' }],
    ['an empty description', { ...TOOL, description: '' }],
    ['empty properties and required', { ...TOOL, inputSchema: { type: 'object', properties: {}, required: [] } }],
    ['a root without a type', { ...TOOL, inputSchema: { anyOf: [SCHEMA] } }],
    ['a root whose type is only inherited', { ...TOOL, inputSchema: Object.create({ type: 'string' }) }],
    ['a root that may be null', { ...TOOL, inputSchema: { type: ['object', 'null'] } }],
    ['a root that refers to an object', { ...TOOL, inputSchema: { $ref: '#/$defs/a', $defs: { a: SCHEMA } } }],
    ['a root that refers to nothing', { ...TOOL, inputSchema: { $ref: 'https://elsewhere.test/a' } }],
    ['a root that refers to itself', { ...TOOL, inputSchema: { ...SCHEMA, $ref: '#' } }],
    ['boolean sub-schemas', { ...TOOL, inputSchema: { type: 'object', properties: { a: true } } }],
    ['anyOf beside the root type', { ...TOOL, inputSchema: { type: 'object', anyOf: [{ required: ['a'] }] } }],
    ['required names that are no properties', { ...TOOL, inputSchema: { type: 'object', required: ['zzz'] } }],
    [
      'an own __proto__ property',
      { ...TOOL, inputSchema: JSON.parse('{"type":"object","properties":{"__proto__":{}}}') },
    ],
    ['an outputSchema that is an array', { ...TOOL, outputSchema: [] }],
    ['an outputSchema of another type', { ...TOOL, outputSchema: { type: 'array', items: {} } }],
    ['an outputSchema that is null', { ...TOOL, outputSchema: null }],
    ['an outputSchema that is a string', { ...TOOL, outputSchema: 'object' }],
    ['an unresolvable $ref', { ...TOOL, outputSchema: { $ref: '#/nowhere' } }],
    ['unknown fields', { ...TOOL, somethingNew: [1] }],
  ])('L1 admits %s', (_, entry) => {
    expect(admit(entry).ok).toBe(true);
  });

  it.each([
    ['null', null, 'The entry is null, not an object.'],
    ['a string', 'search', 'The entry is a string, not an object.'],
    ['an array', [TOOL], 'The entry is an array, not an object.'],
    ['an entry without a name', { inputSchema: SCHEMA }, 'The name is nothing, not a string.'],
    ['an inherited name', Object.create(TOOL), 'The name is nothing, not a string.'],
    ['a numeric name', { ...TOOL, name: 5 }, 'The name is a number, not a string.'],
    ['an empty name', { ...TOOL, name: '' }, 'The name is empty.'],
    ['a name of 1,025 units', { ...TOOL, name: 'x'.repeat(1_025) }, 'The name is longer than 1024 characters.'],
  ])('L1 refuses %s without a name to report', (_, entry, reason) => {
    expect(admit(entry)).toEqual({ ok: false, reason });
  });

  it.each([
    ['a null description', { description: null }, 'The description is null, not a string.'],
    ['a description that is an object', { description: {} }, 'The description is an object, not a string.'],
    ['a numeric title', { title: 1 }, 'The title is a number, not a string.'],
    ['annotations that are an array', { annotations: [] }, 'The annotations are an array, not an object.'],
    ['null annotations', { annotations: null }, 'The annotations are null, not an object.'],
    ['no inputSchema', { inputSchema: undefined }, 'The tool has no inputSchema.'],
    ['a null inputSchema', { inputSchema: null }, 'The inputSchema is null, not an object.'],
    ['a boolean inputSchema', { inputSchema: true }, 'The inputSchema is a boolean, not an object.'],
    ['an inputSchema that is an array', { inputSchema: [SCHEMA] }, 'The inputSchema is an array, not an object.'],
    [
      'another root type',
      { inputSchema: { type: 'string' } },
      'The inputSchema has another type at its root, not the type "object".',
    ],
    [
      'a root type array without object',
      { inputSchema: { type: ['array', 'null'] } },
      'The inputSchema has an array at its root, not the type "object".',
    ],
    [
      'a root that refers to another type',
      { inputSchema: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'string' } } } },
      'The inputSchema has another type at its root, not the type "object".',
    ],
    [
      'a root that refers to broken properties',
      { inputSchema: { $ref: '#/$defs/a', $defs: { a: { properties: [] } } } },
      "The inputSchema's properties are an array, not an object.",
    ],
    [
      'properties in an array',
      { inputSchema: { ...SCHEMA, properties: [] } },
      "The inputSchema's properties are an array, not an object.",
    ],
    [
      'null properties',
      { inputSchema: { ...SCHEMA, properties: null } },
      "The inputSchema's properties are null, not an object.",
    ],
    [
      'required as a boolean',
      { inputSchema: { ...SCHEMA, required: true } },
      "The inputSchema's required is a boolean, not an array.",
    ],
    [
      'required with a number',
      { inputSchema: { ...SCHEMA, required: ['a', 1] } },
      "The inputSchema's required holds a number where names belong.",
    ],
  ])('L1 refuses %s', (_, part, reason) => {
    expect(admit({ ...TOOL, ...part })).toEqual({ ok: false, name: 'search', reason });
  });

  it('L1 a reason holds no text of the server', () => {
    const canary = 'CANARY';
    const entries = [
      { ...TOOL, description: [canary] },
      { ...TOOL, title: { [canary]: 1 } },
      { ...TOOL, inputSchema: { type: canary } },
      { ...TOOL, inputSchema: { ...SCHEMA, required: [canary, null] } },
      { ...TOOL, inputSchema: { ...SCHEMA, properties: [canary] } },
    ];
    for (const entry of entries) {
      const admission = admit(entry);
      expect(admission.ok).toBe(false);
      expect(JSON.stringify(admission)).not.toContain(canary);
    }
  });

  it('G9 admits exactly as deep as schemaDepth, counted from the definition', () => {
    // The definition is level 0, inputSchema level 1, and each object one more; the number inside the last is a level too.
    const withLevels = (levels: number) => ({ ...TOOL, inputSchema: { type: 'object', deep: nested(levels) } });
    expect(admit(withLevels(62)).ok).toBe(true);
    expect(admit(withLevels(63))).toEqual({
      ok: false,
      name: 'search',
      reason: 'The definition is nested deeper than 64 levels (limits.schemaDepth).',
    });
    expect(admitTool(withLevels(63), { ...BOUNDS, schemaDepth: 65 }).ok).toBe(true);
  });

  it.each(['inputSchema', 'outputSchema', 'annotations', '_meta'])(
    'G9 refuses 6,000 levels in %s, without a RangeError',
    (key) => {
      const deep = { type: 'object', deep: nested(6_000) };
      expect(admit({ ...TOOL, [key]: deep })).toEqual({
        ok: false,
        name: 'search',
        reason: 'The definition is nested deeper than 64 levels (limits.schemaDepth).',
      });
    },
  );

  it('G9 admits exactly as many values as schemaNodes', () => {
    const values = 1 + 4 + 1;
    const entry = { ...TOOL, title: '', inputSchema: { type: 'object' } };
    expect(admitTool(entry, { ...BOUNDS, schemaNodes: values }).ok).toBe(true);
    expect(admitTool(entry, { ...BOUNDS, schemaNodes: values - 1 })).toEqual({
      ok: false,
      name: 'search',
      reason: 'The definition holds more than 5 values (limits.schemaNodes).',
    });
    const wide = { ...TOOL, inputSchema: { type: 'object', enum: new Array(10_000).fill(0) } };
    expect(admit(wide).ok).toBe(false);
  });

  it('S4 refuses a number that JSON cannot carry, wherever it is', () => {
    for (const key of ['inputSchema', 'outputSchema']) {
      const entry = { ...TOOL, [key]: JSON.parse('{"type":"object","maximum":1e999}') };
      expect(admit(entry)).toEqual({
        ok: false,
        name: 'search',
        reason: 'The definition holds a number too large for JSON.',
      });
    }
  });
});

describe('admitForeign', () => {
  const foreign = (part: object) => admitForeign({ ...TOOL, ...part }, BOUNDS);
  const fail = () => {
    throw new Error('no');
  };
  const refused = { ok: false, name: 'search', reason: 'The definition is not JSON data.' };

  it.each([
    ['a bigint', { inputSchema: { ...SCHEMA, maximum: 10n } }],
    ['a getter that throws', { inputSchema: Object.defineProperty({}, 'type', { get: fail, enumerable: true }) }],
    ['a proxy that throws', { inputSchema: new Proxy({}, { ownKeys: fail }) }],
    ['a toJSON that throws', { inputSchema: { ...SCHEMA, toJSON: fail } }],
    ['a toJSON that gives nothing', { toJSON: () => undefined }],
  ])('L1 refuses an entry with %s', (_, part) => {
    expect(foreign(part)).toEqual(refused);
  });

  it('L1 refuses an entry whose name cannot be read, or that cannot be looked at', () => {
    const { name: _, ...unnamed } = refused;
    expect(admitForeign(Object.defineProperty({ ...TOOL }, 'name', { get: fail }), BOUNDS)).toEqual(unnamed);
    expect(admitForeign(new Proxy({}, { getOwnPropertyDescriptor: fail }), BOUNDS)).toEqual(unnamed);
  });

  it('L1 G9 judges what the JSON text says, and bounds what it is made of', () => {
    expect(foreign({ inputSchema: { ...SCHEMA, toJSON: () => 5 } })).toMatchObject({
      reason: 'The inputSchema is a number, not an object.',
    });
    const cycle: Record<string, unknown> = { type: 'object' };
    cycle.not = cycle;
    expect(foreign({ inputSchema: cycle })).toMatchObject({ reason: expect.stringContaining('limits.schemaDepth') });
    const sparse = { ...SCHEMA, enum: new Array(4_000_000_000) };
    expect(foreign({ inputSchema: sparse })).toMatchObject({ reason: expect.stringContaining('limits.schemaNodes') });
    expect(foreign({ inputSchema: { ...SCHEMA, maximum: Number.NaN } })).toMatchObject({
      reason: 'The definition holds a number too large for JSON.',
    });
  });

  it('L5 N8 admits a copy that stays as it was', () => {
    const entry = { ...TOOL, inputSchema: JSON.parse('{"type":"object","properties":{"__proto__":{}}}') };
    const admission = admitForeign(entry, BOUNDS);
    const before = JSON.stringify(admission);
    entry.inputSchema.properties.later = {};
    expect(JSON.stringify(admission)).toBe(before);
    expect(before).toContain('"properties":{"__proto__":{}}');
  });
});

describe('findDuplicates', () => {
  it('L3 finds the names that occur more than once, and how often', () => {
    const names = ['a', 'b', 'a', '__proto__', 'c', 'a', '__proto__', 'constructor'];
    expect([...findDuplicates(names)]).toEqual([
      ['a', 3],
      ['__proto__', 2],
    ]);
    expect(findDuplicates(['a', 'A', 'á', 'a\u0301']).size).toBe(0);
    expect(findDuplicates([]).size).toBe(0);
  });
});
