import fc from 'fast-check';

type Schema = Record<string, unknown>;

/** Follows a JSON Pointer of the document: enough for the references that published schemas have. */
function resolve(document: Schema, reference: string): unknown {
  const tokens = reference.slice(1).split('/').slice(1);
  return tokens.reduce<unknown>((value, token) => {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    return (value as Schema | undefined)?.[key];
  }, document);
}

/**
 * Arguments that a schema's author may have had in mind. Patterns, formats and the like are not minded, so a validator has
 * the last word on each.
 */
export function argumentsFor(document: Schema, depth = 0, schema: unknown = document): fc.Arbitrary<unknown> {
  if (typeof schema !== 'object' || schema === null || depth > 12) return fc.constant('x');
  const {
    $ref,
    const: only,
    enum: values,
    type,
    anyOf,
    oneOf,
    allOf,
    default: preset,
    examples,
    ...rest
  } = schema as Schema;
  const below = (each: unknown) => argumentsFor(document, depth + 1, each);
  if (typeof $ref === 'string') return below(resolve(document, $ref));
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(values)) return fc.constantFrom(...values);
  const given = [preset, ...(Array.isArray(examples) ? examples : [])].filter((each) => each !== undefined);
  const branches = [anyOf, oneOf].find(Array.isArray) as unknown[] | undefined;
  const first = Array.isArray(type) ? fc.constantFrom(...(type as string[])) : fc.constant(type as string | undefined);
  const made = first.chain((found) => {
    if (found === 'object' || rest.properties !== undefined) return objectFor(rest, below);
    if (branches !== undefined) return fc.oneof(...branches.map(below));
    if (Array.isArray(allOf)) return below(allOf[0]);
    if (found === 'array') return arrayFor(rest, below);
    return scalarFor(found, rest);
  });
  return given.length === 0 ? made : fc.oneof(made, fc.constantFrom(...given));
}

function objectFor({ properties = {}, required }: Schema, below: (schema: unknown) => fc.Arbitrary<unknown>) {
  const members = Object.fromEntries(Object.entries(properties as Schema).map(([name, each]) => [name, below(each)]));
  const names = Array.isArray(required) ? required.filter((name) => Object.hasOwn(members, name)) : [];
  return fc.record(members, { requiredKeys: names as string[] });
}

function arrayFor({ items, minItems = 0 }: Schema, below: (schema: unknown) => fc.Arbitrary<unknown>) {
  const minLength = minItems as number;
  return fc.array(below(items), { minLength, maxLength: minLength + 2 });
}

function scalarFor(type: string | undefined, { minLength = 0, minimum = 0 }: Schema): fc.Arbitrary<unknown> {
  if (type === 'integer') return fc.nat({ max: 20 }).map((value) => value + Math.ceil(minimum as number));
  if (type === 'number') return fc.constantFrom(0, 1, 2.5).map((value) => value + (minimum as number));
  if (type === 'boolean') return fc.boolean();
  if (type === 'null') return fc.constant(null);
  return fc.constantFrom('a', 'b c', '2026-01-01').map((text) => text.padEnd(minLength as number, 'x'));
}
