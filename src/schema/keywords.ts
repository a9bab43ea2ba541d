import { isRecord } from '../core/json.js';
import type { JsonSchema } from '../core/tools.js';

/**
 * What a value inside a schema is: a schema, an array of them, an object whose members are, or data that says nothing about
 * schemas whatever it looks like. A boolean schema counts as data: it holds nothing.
 */
export type Role = 'schema' | 'list' | 'map' | 'data';

const SINGLE: ReadonlySet<string> = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
/** `items` is a list up to draft 2019-09. */
const LISTS: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']);
const MAPS: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependencies',
  'dependentSchemas',
  'patternProperties',
  'properties',
]);

/** What defines or names what references refer to, and the references themselves: nothing once these are resolved. */
const SCAFFOLD: ReadonlySet<string> = new Set([
  '$anchor',
  '$defs',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$recursiveAnchor',
  '$recursiveRef',
  '$ref',
  'definitions',
]);
/** What they mean depends on the way by which a validator arrived, so no place in the document stands for them. */
export const DYNAMIC_REFERENCES: readonly string[] = ['$dynamicRef', '$recursiveRef'];

/** Keywords whose schemas judge the same value as the schema they stand in, and whose findings `unevaluated*` counts. */
export const IN_PLACE: readonly string[] = [
  'allOf',
  'anyOf',
  'dependencies',
  'dependentSchemas',
  'else',
  'if',
  'oneOf',
  'then',
];
export const UNEVALUATED: readonly string[] = ['unevaluatedItems', 'unevaluatedProperties'];

/** Keywords that can refuse a value. Any other one, unknown ones included, only describes. */
const CONSTRAINTS: ReadonlySet<string> = new Set([
  ...SINGLE,
  ...LISTS,
  'const',
  'contentEncoding',
  'contentMediaType',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'enum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'pattern',
  'patternProperties',
  'properties',
  'required',
  'type',
  'uniqueItems',
  ...DYNAMIC_REFERENCES,
]);

/** What the value of a keyword is. One of another form than the keyword wants is data: nobody knows what it means. */
export function roleOf(keyword: string, value: unknown): Role {
  if (Array.isArray(value)) return LISTS.has(keyword) ? 'list' : 'data';
  if (!isRecord(value)) return 'data';
  if (SINGLE.has(keyword)) return 'schema';
  return MAPS.has(keyword) ? 'map' : 'data';
}

/** What a member of such a value is. */
export function roleOfMember(role: Role, key: string, value: unknown): Role {
  if (role === 'schema') return roleOf(key, value);
  return role !== 'data' && isRecord(value) ? 'schema' : 'data';
}

/** Whether a keyword has no place in a projection: it defines or names what references refer to, or is one. */
export function isScaffold(keyword: string): boolean {
  return SCAFFOLD.has(keyword);
}

export function isConstraint(keyword: string): boolean {
  return CONSTRAINTS.has(keyword);
}

/** An own keyword: what every object inherits is not something the server said. */
export function own(schema: JsonSchema, keyword: string): unknown {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

/** Whether the document's own dialect ignores what stands beside a `$ref`: draft-07 and older do. */
export function ignoresSiblings(root: JsonSchema): boolean {
  const dialect = own(root, '$schema');
  return typeof dialect === 'string' && /\/draft-0[0-7]\//.test(dialect);
}
