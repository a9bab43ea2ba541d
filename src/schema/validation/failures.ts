import type { OutputUnit } from '@cfworker/json-schema';
import { isRecord } from '../../core/json.js';
import type { Prepared } from './checker.js';
import { TYPE } from './meter.js';

type Node = Readonly<Record<string | symbol, unknown>>;

/** What was validated with, and the schemas that failures were found in, by location. */
export interface Found extends Prepared {
  readonly nodes: Map<string, Node>;
}

/** One way in which a value does not fit. */
export interface Failure {
  readonly keyword: string;
  /** Where the value stands in the data. */
  readonly tokens: readonly string[];
  readonly value: unknown;
  /** The schema that the keyword stands in; for what is not allowed at all, the one around it. */
  readonly node: Node;
  /** The branch of the innermost `anyOf` or `oneOf` that it stands in. */
  readonly branches?: readonly (readonly Failure[])[];
}

/** Says only that something inside failed, which is told by itself. */
const WRAPPERS: ReadonlySet<string> = new Set([
  '$ref',
  '$recursiveRef',
  'additionalItems',
  'additionalProperties',
  'allOf',
  'dependencies',
  'dependentSchemas',
  'if',
  'items',
  'patternProperties',
  'prefixItems',
  'properties',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const BRANCHING: ReadonlySet<string> = new Set(['anyOf', 'oneOf']);

/** The validator's errors as a tree: what failed, and of alternatives what failed in each. */
export function readFailures(errors: readonly OutputUnit[], prepared: Found, value: unknown): readonly Failure[] {
  const failures: Failure[] = [];
  for (let index = 0; index < errors.length; index++) {
    const error = errors[index]!;
    if (BRANCHING.has(error.keyword)) {
      const inner = takeBranches(errors, index);
      index += inner.count;
      const branches = inner.branches.map((branch) => readFailures(branch, prepared, value));
      failures.push({ ...describe(error, error, prepared, value), ...(branches.length === 0 ? {} : { branches }) });
    } else if (error.keyword === 'propertyNames') {
      failures.push(describe(error, error, prepared, value));
      // What is wrong with the name is not a failure of a value.
      const inside = `${error.keywordLocation}/`;
      while (errors[index + 1]?.keywordLocation.startsWith(inside)) index += 1;
    } else if (!WRAPPERS.has(error.keyword) && !isRepeated(error, errors[index - 1])) {
      // What is not allowed at all is told by the schema around it.
      const around = error.keyword === 'false' ? errors[index - 1] : error;
      failures.push(describe(error, around ?? error, prepared, value));
    }
  }
  return failures;
}

/** The validator names each missing property by itself; here one failure stands for all of a schema's. */
function isRepeated(error: OutputUnit, before: OutputUnit | undefined): boolean {
  if (error.keyword !== 'required' || before?.keyword !== 'required') return false;
  return error.instanceLocation === before.instanceLocation && error.keywordLocation === before.keywordLocation;
}

/** The errors that follow a branching one and stand in its branches. */
function takeBranches(errors: readonly OutputUnit[], start: number) {
  const inside = `${errors[start]!.keywordLocation}/`;
  const branches = new Map<string, OutputUnit[]>();
  let current: OutputUnit[] | undefined;
  let count = 0;
  for (let index = start + 1; index < errors.length; index++) {
    const error = errors[index]!;
    const { keywordLocation: location } = error;
    if (location.startsWith(inside)) {
      const branch = location.slice(inside.length, location.indexOf('/', inside.length));
      current = branches.get(branch) ?? [];
      branches.set(branch, current);
    } else if (error.keyword !== 'false' || current === undefined) break;
    current.push(error);
    count += 1;
  }
  return { branches: [...branches.values()], count };
}

function describe(
  { keyword, instanceLocation }: OutputUnit,
  around: OutputUnit,
  prepared: Found,
  root: unknown,
): Failure {
  const tokens = decode(instanceLocation);
  let value = root;
  for (const token of tokens) value = isContainer(value) ? (value as Node)[token] : undefined;
  const { keywordLocation } = around;
  // The items of an array fail in the same places.
  const node = prepared.nodes.get(keywordLocation) ?? nodeAt(keywordLocation, prepared);
  prepared.nodes.set(keywordLocation, node);
  return { keyword, tokens, value, node };
}

/** The schema around a keyword, through the references on the way. */
function nodeAt(location: string, { metered, lookup }: Prepared): Node {
  let node: unknown = metered.schema;
  for (const token of decode(location).slice(0, -1)) {
    if (!isContainer(node)) break;
    const { __absolute_ref__: reference } = node as Node;
    // A property may have this name too.
    node = token === '$ref' && reference !== undefined ? lookup[String(reference)] : (node as Node)[token];
  }
  return isRecord(node) ? node : {};
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function decode(location: string): readonly string[] {
  const tokens = location.split('/').slice(1);
  return tokens.map((token) =>
    /[%~]/.test(token) ? decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~') : token,
  );
}

/** The types that a schema names. */
export function typesOf(node: Node): readonly string[] {
  const type = node[TYPE];
  return Array.isArray(type) ? type : type === undefined ? [] : [String(type)];
}
