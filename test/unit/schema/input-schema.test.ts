import { asSchema } from 'ai';
import { expect, it } from 'vitest';
import { cloneJson } from '../../../src/core/json.js';
import { createInputSchema } from '../../../src/schema/input-schema.js';

it('P0 every way to read the schema is a fresh clone of what it is now', async () => {
  let schema: Record<string, unknown> = { type: 'object', additionalProperties: true, properties: { a: {} } };
  const input = createInputSchema(() => cloneJson(schema));
  const reads = [
    () => input['~standard'].jsonSchema.input({ target: 'draft-2020-12' }),
    () => input['~standard'].jsonSchema.output({ target: 'draft-07' }),
    () => asSchema(input as never).jsonSchema,
  ];
  for (const read of reads) {
    const first = (await read()) as { properties: object };
    expect(first).toEqual(schema);
    Object.assign(first.properties, { defaced: true });
    expect(await read()).toEqual(schema);
  }
  schema = { type: 'object' };
  for (const read of reads) expect(await read()).toEqual({ type: 'object' });
});

it('P0 the AI SDK takes it as it is and validates nothing', async () => {
  const input = createInputSchema(() => ({ type: 'object', required: ['a'] }));
  expect(asSchema(input as never)).toBe(input);
  expect(await asSchema(input as never).validate?.({ b: 1 })).toEqual({ success: true, value: { b: 1 } });
  expect(await input['~standard'].validate('x')).toEqual({ value: 'x' });
  expect(input['~standard']).toMatchObject({ version: 1, vendor: 'mcp-toolset' });
});

it('N8 a clone keeps keys of any name and shares nothing', () => {
  const value = JSON.parse('{"__proto__":{"a":1},"constructor":{"b":[{}]}}') as Record<string, unknown>;
  const clone = cloneJson(value);
  expect(JSON.stringify(clone)).toBe(JSON.stringify(value));
  expect(Object.hasOwn(clone, '__proto__')).toBe(true);
  expect(clone.constructor).not.toBe(value.constructor);
});
