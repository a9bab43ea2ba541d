import { closestNames, didYouMean } from '../../core/closest.js';
import { isRecord, jsonText } from '../../core/json.js';
import { escapeControls } from '../../core/text.js';
import type { ArgumentIssue } from '../../core/tools.js';
import { type Failure, typesOf } from './failures.js';
import { escapePointer } from './unique.js';

/** Issues that are told, and the length of the longest, in UTF-16 code units. */
const TOLD = 10;
const MESSAGE_MAX = 400;

/** What is wrong, for a model to correct: of alternatives, only the one that the value comes closest to. */
export function toIssues(failures: readonly Failure[]): readonly ArgumentIssue[] {
  const issues = new Map<string, ArgumentIssue>();
  for (const failure of closest(failures)) {
    const path = pathOf(failure.tokens);
    const message = clip(explain(failure), MESSAGE_MAX);
    issues.set(`${path} ${message}`, { path, message });
    if (issues.size === TOLD) break;
  }
  return [...issues.values()];
}

export function pathOf(tokens: readonly string[]): string {
  return tokens.map((token) => `/${escapePointer(token)}`).join('');
}

/** Alternatives replaced by what failed in the best of them. */
function closest(failures: readonly Failure[]): readonly Failure[] {
  return failures.flatMap((failure) => {
    if (failure.branches === undefined) return [failure];
    const branches = failure.branches.map(closest);
    const ranked = branches.map((branch) => ({ branch, rank: rankOf(branch, failure) }));
    const best = ranked.reduce((one, other) => (other.rank < one.rank ? other : one));
    if (best.rank < OTHER_KIND) return best.branch;
    // It is none of the kinds that there are: all of them are told.
    return [{ ...failure, branches }];
  });
}

const OTHER_KIND = 1_000;
const OTHER_CASE = 100;

/** The less, the closer. */
export function rankOf(branch: readonly Failure[], { tokens }: Failure): number {
  const isKind = ({ keyword }: Failure) => keyword === 'type' || keyword === 'const' || keyword === 'enum';
  if (branch.some((each) => isKind(each) && each.tokens.length === tokens.length)) return OTHER_KIND;
  const isCase = (each: Failure) =>
    (each.keyword === 'const' || each.keyword === 'enum') && each.tokens.length === tokens.length + 1;
  return branch.length + (branch.some(isCase) ? OTHER_CASE : 0);
}

const LIMITS: Readonly<Record<string, (limit: string) => string>> = {
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
  exclusiveMinimum: (limit) => `must be more than ${limit}`,
  exclusiveMaximum: (limit) => `must be less than ${limit}`,
  multipleOf: (limit) => `must be a multiple of ${limit}`,
  minLength: (limit) => `must have at least ${limit} characters`,
  maxLength: (limit) => `must have at most ${limit} characters`,
  minItems: (limit) => `must have at least ${limit} items`,
  maxItems: (limit) => `must have at most ${limit} items`,
  minProperties: (limit) => `must have at least ${limit} properties`,
  maxProperties: (limit) => `must have at most ${limit} properties`,
  minContains: (limit) => `must contain at least ${limit} items that fit \`contains\``,
  maxContains: (limit) => `must contain at most ${limit} items that fit \`contains\``,
  pattern: (limit) => `must match the pattern ${limit}`,
};

const OTHERS: Readonly<Record<string, string>> = {
  contains: 'must contain an item that fits `contains`',
  dependencies: 'lacks a property that another one needs',
  dependentRequired: 'lacks a property that another one needs',
  not: 'must not be what `not` describes',
  oneOf: 'must fit one of the alternatives of `oneOf`, and fits several',
  propertyNames: 'has a property whose name is not allowed',
  uniqueItems: 'must not repeat an item',
};

function explain(failure: Failure): string {
  const { keyword, node, value, branches } = failure;
  if (branches !== undefined) return `must be ${list(branches.flat().flatMap(wanted))}, not ${given(value)}`;
  const limit = LIMITS[keyword];
  if (limit !== undefined) return `${limit(excerpt(node[keyword]))}, not ${given(value)}`;
  switch (keyword) {
    case 'type':
    case 'const':
      return `must be ${list(wanted(failure))}, not ${given(value)}`;
    case 'enum':
      return `must be ${list(wanted(failure))}, not ${given(value)}.${suggest(value, node.enum)}`;
    case 'required':
      return explainMissing(failure);
    case 'false':
      return explainUnknown(failure);
    default:
      return OTHERS[keyword] ?? `does not fit \`${keyword}\``;
  }
}

/** The kinds and values that would do. */
function wanted({ keyword, node }: Failure): readonly string[] {
  if (keyword === 'type')
    return typesOf(node).map((type) => (type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`));
  if (keyword === 'const') return [excerpt(node.const)];
  return keyword === 'enum' && Array.isArray(node.enum) ? node.enum.map(excerpt) : [];
}

/** Names that another one is compared with. */
const COMPARED = 500;

/** Values of an enum, and missing properties, that are told. */
const LISTED = 20;

function list(all: readonly string[]): string {
  const texts = [...new Set(all)];
  if (texts.length > LISTED) return `one of ${texts.slice(0, LISTED).join(', ')} and ${texts.length - LISTED} more`;
  return texts.length === 0 ? 'something else' : texts.join(' or ');
}

/** A text that is close to one that would do. */
function suggest(value: unknown, values: unknown): string {
  if (typeof value !== 'string' || !Array.isArray(values)) return '';
  return didYouMean(
    value,
    values.slice(0, COMPARED).filter((each) => typeof each === 'string'),
  );
}

function explainMissing({ node, value }: Failure): string {
  const names: readonly string[] = Array.isArray(node.required) ? node.required : [];
  const missing = names.filter((name) => isRecord(value) && !Object.hasOwn(value, name)).slice(0, LISTED);
  const known = isRecord(node.properties) ? node.properties : {};
  const given = isRecord(value) ? Object.keys(value).slice(0, COMPARED) : [];
  const others = given.filter((name) => !Object.hasOwn(known, name));
  const meant = missing.flatMap((name) => closestNames(name, others, 1));
  const hint = meant.length === 0 ? '' : `; it has ${meant.map(quote).join(', ')}`;
  return `must have ${missing.length === 1 ? 'the property' : 'the properties'} ${missing.map(quote).join(', ')}${hint}`;
}

function explainUnknown({ tokens, node }: Failure): string {
  const known = isRecord(node.properties) ? Object.keys(node.properties).slice(0, COMPARED) : [];
  return `is not a known property.${didYouMean(tokens.at(-1) ?? '', known)}`;
}

const quote = (name: string) => `\`${clip(escapeControls(name), EXCERPT_MAX)}\``;

/** Longest piece of a value, in UTF-16 code units. */
const EXCERPT_MAX = 60;

function given(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (isRecord(value)) return 'an object';
  return typeof value === 'string' ? `the string ${excerpt(value)}` : excerpt(value);
}

function excerpt(value: unknown): string {
  const short = typeof value === 'string' ? value.slice(0, EXCERPT_MAX + 1) : value;
  return clip(escapeControls(jsonText(short) ?? 'nothing'), EXCERPT_MAX);
}

/** Never ends between the halves of a surrogate pair. */
function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;
}
