import { Validator } from '@cfworker/json-schema';
import { Ajv as Draft07, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';

type Schema = Record<string, unknown>;

/** How a document is read. Draft-07 ignores what stands beside a `$ref`, and Ajv need not. */
export type Reading = '2020-12' | 'draft-07' | 'draft-07 with siblings';

/** Whether a value is valid; undefined where nobody can say. */
export type Check = (value: unknown) => boolean | undefined;

/**
 * The oracle of the tests about schemas: a verdict is what two validators agree on. Ajv because it compiles schemas and takes
 * nothing on trust, `@cfworker/json-schema` because it interprets them, so that their faults, which are in corners of
 * `unevaluated*`, have little in common. `elsewhere` holds other schemas by their URI.
 */
export function compile(
  schema: unknown,
  { reading = '2020-12', elsewhere = {} }: { reading?: Reading; elsewhere?: Record<string, unknown> } = {},
): Check | undefined {
  const { $schema: _, ...rest } = schema as Schema;
  const compiled = compileWithAjv(rest, reading, elsewhere);
  if (reading === 'draft-07 with siblings' || compiled === undefined) return compiled;
  const interpreted = compileWithWorker(rest, reading, elsewhere);
  return (value) => {
    const verdict = compiled(value);
    return verdict === interpreted(value) ? verdict : undefined;
  };
}

function compileWithAjv(schema: Schema, reading: Reading, elsewhere: Record<string, unknown>): Check | undefined {
  const options = { strict: false, logger: false, validateFormats: false, meta: false, validateSchema: false } as const;
  const ajv =
    reading === '2020-12'
      ? new Ajv2020(options)
      : new Draft07({ ...options, ignoreKeywordsWithRef: reading === 'draft-07' });
  try {
    for (const [uri, other] of Object.entries(elsewhere)) ajv.addSchema(other as Schema, uri);
    const check = ajv.compile(schema);
    return (value) => attempt(() => check(value) as boolean);
  } catch {
    return undefined;
  }
}

function compileWithWorker(schema: Schema, reading: Reading, elsewhere: Record<string, unknown>): Check {
  const validator = attempt(() => {
    const made = new Validator(schema, reading === '2020-12' ? '2020-12' : '7');
    for (const [uri, other] of Object.entries(elsewhere)) {
      made.addSchema(typeof other === 'boolean' ? (other ? {} : { not: {} }) : (other as Schema), uri);
    }
    return made;
  });
  return (value) => attempt(() => validator?.validate(value).valid);
}

/** A schema that refers to itself for the same value ends in an error of one kind or another. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
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
