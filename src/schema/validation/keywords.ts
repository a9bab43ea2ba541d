import { isRecord } from '../../core/json.js';

/** How a document says that it is to be read, as the validator names it. */
export type Draft = '4' | '7' | '2019-09' | '2020-12';

/** Draft-06 is read as draft-07, which it is a part of. No dialect, or one that is not known, is 2020-12, as MCP has it. */
export function draftOf(dialect: unknown): Draft {
  if (typeof dialect !== 'string') return '2020-12';
  if (/\/draft-0[0-4]\//.test(dialect)) return '4';
  if (/\/draft-0[67]\//.test(dialect)) return '7';
  return dialect.includes('/2019-09/') ? '2019-09' : '2020-12';
}

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);

const isNumber = (value: unknown) => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: unknown) => isNumber(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);
const isLimit = (value: unknown, draft: Draft) => (draft === '4' ? typeof value === 'boolean' : isNumber(value));
const isModern = (draft: Draft) => draft === '2019-09' || draft === '2020-12';

/**
 * Keywords whose values hold no schemas, each with what makes it one that the dialect gives a meaning. What has none is
 * left out: a validator that took it at its word could only refuse what the standard accepts.
 */
export const PLAIN: Readonly<Record<string, (value: unknown, draft: Draft) => boolean>> = {
  $anchor: (value, draft) => isText(value) && isModern(draft),
  $ref: isText,
  const: (_, draft) => draft !== '4',
  dependentRequired: (value, draft) => isModern(draft) && isRecord(value) && Object.values(value).every(isTexts),
  enum: (value) => Array.isArray(value) && value.length > 0,
  exclusiveMaximum: isLimit,
  exclusiveMinimum: isLimit,
  maxContains: (value, draft) => isCount(value) && isModern(draft),
  maxItems: isCount,
  maxLength: isCount,
  maxProperties: isCount,
  maximum: isNumber,
  minContains: (value, draft) => isCount(value) && isModern(draft),
  minItems: isCount,
  minLength: isCount,
  minProperties: isCount,
  minimum: isNumber,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  pattern: isText,
  required: isTexts,
  type: (value) =>
    Array.isArray(value) ? value.length > 0 && value.every((each) => TYPES.has(each)) : TYPES.has(value),
  uniqueItems: (value) => value === true,
};

/** Keywords that hold schemas, where only some dialects have them. */
const SINCE: Readonly<Record<string, (draft: Draft) => boolean>> = {
  additionalItems: (draft) => draft !== '2020-12',
  contains: (draft) => draft !== '4',
  dependencies: (draft) => !isModern(draft),
  dependentSchemas: isModern,
  else: (draft) => draft !== '4',
  if: (draft) => draft !== '4',
  prefixItems: (draft) => draft === '2020-12',
  propertyNames: (draft) => draft !== '4',
  // biome-ignore lint/suspicious/noThenProperty: it is the keyword
  then: (draft) => draft !== '4',
  unevaluatedItems: isModern,
  unevaluatedProperties: isModern,
};

export function hasKeyword(draft: Draft, keyword: string): boolean {
  return SINCE[keyword]?.(draft) ?? true;
}

/** Where a schema that accepts more makes the one around it accept less. */
export const REVERSING: ReadonlySet<string> = new Set([
  'if',
  'maxContains',
  'not',
  'oneOf',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
