import { isRecord } from '../core/json.js';
import type { JsonSchema } from '../core/tools.js';
import { own } from './keywords.js';

/** What is left where parameter names go too (D3). It takes any arguments. */
export const BARE_SCHEMA: JsonSchema = Object.freeze({ type: 'object', properties: Object.freeze({}) });

/**
 * The deferred form of a projected input schema (D2): the names of parameters, their types, what arrays hold, and which are
 * required; nothing else. Whatever the schema accepts, this accepts too. References are expected to be resolved (P4).
 */
export function deferSchema(schema: JsonSchema): JsonSchema {
  const found = new Map<string, JsonSchema>();
  const required = new Set<string>();
  const parts = inPlace(schema);
  for (const { schema: part, holds } of parts) {
    const properties = own(part, 'properties');
    for (const [name, value] of isRecord(properties) ? Object.entries(properties) : []) {
      // What only some branch says of a parameter need not hold for an object that another one accepts.
      const known = found.get(name);
      const deferred = holds ? write(typesOf(value)) : {};
      if (known === undefined || (holds && isEmpty(known))) found.set(name, deferred);
    }
    const names = own(part, 'required');
    if (holds && Array.isArray(names)) for (const name of names) required.add(name);
  }
  const listed = [...found.keys()].filter((name) => required.has(name));
  return {
    type: 'object',
    properties: Object.fromEntries(found),
    ...(listed.length === 0 ? {} : { required: listed }),
  };
}

interface Part {
  readonly schema: JsonSchema;
  /** Whether every object that the whole accepts, this accepts. */
  readonly holds: boolean;
}

const BRANCHES = ['anyOf', 'oneOf'] as const;
const CONDITIONAL = ['then', 'else'] as const;

/** The schema and those that judge the same object, parameters of the root first. */
function inPlace(root: JsonSchema): readonly Part[] {
  const parts: Part[] = [{ schema: root, holds: true }];
  // It grows while it is walked.
  for (const { schema, holds } of parts) {
    const add = (value: unknown, certain: boolean) => {
      if (isRecord(value)) parts.push({ schema: value, holds: certain });
    };
    for (const part of listOf(schema, 'allOf')) add(part, holds);
    for (const keyword of BRANCHES) for (const part of listOf(schema, keyword)) add(part, false);
    for (const keyword of CONDITIONAL) add(own(schema, keyword), false);
    const dependent = own(schema, 'dependentSchemas');
    if (isRecord(dependent)) for (const part of Object.values(dependent)) add(part, false);
  }
  return parts;
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'] as const;
type Type = (typeof TYPES)[number];

/** What a schema tells of the values it accepts. */
interface Told {
  /** In the order in which they are named. */
  readonly types: readonly Type[];
  /** What the arrays among them hold; undefined where nothing tells. */
  readonly items: Told | undefined;
}

/** Undefined where nothing tells. */
function typesOf(schema: unknown): Told | undefined {
  if (!isRecord(schema)) return undefined;
  const types = ownTypes(schema) ?? typesOfValues(schema);
  if (types !== undefined) return { types, items: types.includes('array') ? itemsOf(schema) : undefined };
  const every = listOf(schema, 'allOf')
    .map(typesOf)
    .find((told) => told !== undefined);
  if (every !== undefined) return every;
  for (const keyword of BRANCHES) {
    const branches = listOf(schema, keyword).filter((branch) => branch !== false);
    const told = union(branches.map(typesOf));
    if (told !== undefined) return told;
  }
  return undefined;
}

function ownTypes(schema: JsonSchema): readonly Type[] | undefined {
  const type = own(schema, 'type');
  const named: readonly unknown[] = Array.isArray(type) ? type : [type];
  return named.length > 0 && named.every(isType) ? [...new Set(named)] : undefined;
}

function isType(value: unknown): value is Type {
  return (TYPES as readonly unknown[]).includes(value);
}

function typesOfValues(schema: JsonSchema): readonly Type[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [typeOf(schema.const)];
  const values = listOf(schema, 'enum');
  return values.length === 0 ? undefined : [...new Set(values.map(typeOf))];
}

function typeOf(value: unknown): Type {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as Type;
}

/** Where the first items have schemas of their own, the rest says nothing of them. */
function itemsOf(schema: JsonSchema): Told | undefined {
  return Object.hasOwn(schema, 'prefixItems') ? undefined : typesOf(own(schema, 'items'));
}

/** Undefined where one of them is: then there may be anything. */
function union(all: readonly (Told | undefined)[]): Told | undefined {
  const told = all.filter((each) => each !== undefined);
  if (told.length === 0 || told.length < all.length) return undefined;
  const arrays = told.filter(({ types }) => types.includes('array'));
  return {
    types: [...new Set(told.flatMap(({ types }) => types))],
    items: union(arrays.map(({ items }) => items)),
  };
}

/** Some providers refuse an array that does not say what it holds. */
function write(told: Told | undefined): JsonSchema {
  if (told === undefined) return {};
  const { types, items } = told;
  return {
    type: types.length === 1 ? types[0] : types,
    ...(types.includes('array') ? { items: write(items) } : {}),
  };
}

function isEmpty(schema: JsonSchema): boolean {
  return Object.keys(schema).length === 0;
}

function listOf(schema: JsonSchema, keyword: string): readonly unknown[] {
  const value = own(schema, keyword);
  return Array.isArray(value) ? value : [];
}
