import { isHeaderName } from '../core/headers.js';
import { isRecord } from '../core/json.js';
import type { JsonSchema } from '../core/tools.js';

/** One argument that is also sent as a header (SEP-2243). */
export interface ParamHeader {
  /** Property names from the arguments' root. */
  readonly path: readonly string[];
  /** What follows `Mcp-Param-`, in the case it was declared. */
  readonly headerName: string;
}

export type ParamHeaderScan =
  | { readonly valid: true; readonly declarations: readonly ParamHeader[] }
  | {
      readonly valid: false;
      /** English, for a developer. It holds no text of the server's. */
      readonly reason: string;
    };

const KEYWORD = 'x-mcp-header';
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose members are named by the author, so that a member called `x-mcp-header` declares nothing. */
const NAME_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
]);
/** Keywords that hold data. What stands in it is no annotation. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** A place in the schema. `path` is absent where no chain of `properties` leads to. */
interface Place {
  readonly node: unknown;
  readonly path: readonly string[] | undefined;
}

/**
 * Reads the `x-mcp-header` declarations of an input schema and checks every rule for them (L6): on a property that a chain
 * of `properties` leads to, of type string, integer or boolean, a token of RFC 9110, unique without regard to case. Anywhere
 * else, also under a keyword that is not known, it makes the tool invalid. Declarations come in the order of their depth,
 * then of the document. Iterative; linear in a definition that was admitted.
 */
export function scanParamHeaders(inputSchema: unknown): ParamHeaderScan {
  const declarations: ParamHeader[] = [];
  const taken = new Set<string>();
  const places: Place[] = [{ node: inputSchema, path: [] }];
  // The list grows while it is read.
  for (const { node, path } of places) {
    if (Array.isArray(node)) {
      for (const item of node) places.push({ node: item, path: undefined });
      continue;
    }
    if (typeof node !== 'object' || node === null) continue;
    const schema = node as JsonSchema;
    if (Object.hasOwn(schema, KEYWORD)) {
      const reason = judgeDeclaration(schema, path, taken);
      if (reason !== undefined) return { valid: false, reason };
      declarations.push({ path: path!, headerName: schema[KEYWORD] as string });
    }
    for (const key of Object.keys(schema)) addPlaces(places, key, schema[key], path);
  }
  return { valid: true, declarations };
}

function judgeDeclaration(schema: JsonSchema, path: Place['path'], taken: Set<string>): string | undefined {
  const name = schema[KEYWORD];
  if (path === undefined || path.length === 0) {
    return 'x-mcp-header stands where no chain of properties leads to.';
  }
  if (typeof name !== 'string' || !isHeaderName(name))
    return 'x-mcp-header is not a header name (a token of RFC 9110).';
  if (!Object.hasOwn(schema, 'type') || !TYPES.has(schema.type)) {
    return 'x-mcp-header stands on a property whose type is not string, integer or boolean.';
  }
  const folded = name.toLowerCase();
  if (taken.has(folded)) return 'Two x-mcp-header declarations are equal but for case.';
  taken.add(folded);
  return undefined;
}

function addPlaces(places: Place[], key: string, value: unknown, path: Place['path']): void {
  if (key === KEYWORD || DATA.has(key)) return;
  if (!NAME_MAPS.has(key) || !isRecord(value)) {
    places.push({ node: value, path: undefined });
    return;
  }
  for (const name of Object.keys(value)) {
    const childPath = key === 'properties' && path !== undefined ? [...path, name] : undefined;
    places.push({ node: value[name], path: childPath });
  }
}

/**
 * The `Mcp-Param-*` headers of one call (L6). Strings, booleans, and numbers that are finite and, if whole, safe; anything
 * else, and an argument that is absent, gives no header. Values that a header cannot carry as they are, are written as
 * `=?base64?…?=` over their UTF-8. The record has no prototype.
 */
export function paramHeaders(declarations: readonly ParamHeader[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const { path, headerName } of declarations) {
    const text = primitiveText(readPath(args, path));
    if (text !== undefined) headers[`Mcp-Param-${headerName}`] = encodeValue(text);
  }
  return headers;
}

function readPath(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonSchema)[key];
  }
  return value;
}

function primitiveText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** One or more visible ASCII characters, with spaces and tabs only between them. */
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const SENTINEL = /^=\?base64\?(?:.*\?)?=$/i;

function encodeValue(text: string): string {
  if (PLAIN.test(text) && !SENTINEL.test(text)) return text;
  let bytes = '';
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return `=?base64?${btoa(bytes)}?=`;
}
