import { Ajv as Draft07, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

type Schema = Record<string, unknown>;

/**
 * The oracle of the tests about schemas. Ajv, because it passes the official suite for 2020-12 with `$dynamicRef` and
 * `unevaluated*`, brings the meta-schemas, and is not the validator this library means to check arguments with.
 */
const OPTIONS = { strict: false, logger: false, validateFormats: false, meta: false, validateSchema: false } as const;

/** How a document of draft-07 is read: what stands beside a `$ref` counts for nothing in its specification, and does in Ajv. */
export type Reading = '2020-12' | 'draft-07' | 'draft-07 with siblings';

/** A check of one schema, or undefined where no validator can take it. `elsewhere` holds schemas by their URI. */
export function compile(
  schema: unknown,
  { reading = '2020-12', elsewhere = {} }: { reading?: Reading; elsewhere?: Record<string, unknown> } = {},
): ((value: unknown) => boolean | undefined) | undefined {
  const ajv =
    reading === '2020-12'
      ? new Ajv2020(OPTIONS)
      : new Draft07({ ...OPTIONS, ignoreKeywordsWithRef: reading === 'draft-07' });
  try {
    for (const [uri, other] of Object.entries(elsewhere)) ajv.addSchema(other as Schema, uri);
    const { $schema: _, ...rest } = schema as Schema;
    const check = ajv.compile(rest);
    return (value) => {
      try {
        return check(value) as boolean;
      } catch (error) {
        // A schema that refers to itself for the same value has no verdict. Nor has one whose `contains` can never match:
        // for some of these Ajv writes code that names a variable it does not declare.
        if (error instanceof RangeError || error instanceof ReferenceError) return undefined;
        throw error;
      }
    };
  } catch {
    return undefined;
  }
}

const meta = new Ajv2020({ strict: false, logger: false });

/** What the meta-schema of 2020-12 finds wrong. */
export function metaErrors(schema: unknown): readonly ErrorObject[] {
  return meta.validate('https://json-schema.org/draft/2020-12/schema', schema) ? [] : (meta.errors ?? []);
}

const SCHEMAS =
  /^(?:additionalItems|additionalProperties|contains|contentSchema|else|if|items|not|propertyNames|then|unevaluated(?:Items|Properties))$/;
const LISTS = /^(?:allOf|anyOf|items|oneOf|prefixItems)$/;
const MAPS = /^(?:\$defs|definitions|dependencies|dependentSchemas|patternProperties|properties)$/;

/** Every schema in a schema, itself included, with its path. What only looks like one (in `enum`, say) is none. */
export function* schemasIn(schema: unknown, path = '#'): Generator<readonly [path: string, schema: Schema]> {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  yield [path, schema as Schema];
  for (const [keyword, value] of Object.entries(schema)) {
    const at = `${path}/${keyword}`;
    if (Array.isArray(value)) {
      if (LISTS.test(keyword)) for (const [index, each] of value.entries()) yield* schemasIn(each, `${at}/${index}`);
    } else if (SCHEMAS.test(keyword)) yield* schemasIn(value, at);
    else if (MAPS.test(keyword))
      for (const [key, each] of Object.entries(value)) yield* schemasIn(each, `${at}/${key}`);
  }
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef', '$defs', 'definitions', '$id', '$anchor'];

/** Where a schema still refers, or holds something to refer to. */
export function scaffoldIn(schema: unknown): readonly string[] {
  return [...schemasIn(schema)].flatMap(([path, each]) =>
    REFERENCES.filter((keyword) => Object.hasOwn(each, keyword)).map((keyword) => `${path}/${keyword}`),
  );
}
