import { isRecord } from '../core/json.js';
import type { JsonSchema } from '../core/tools.js';
import { ignoresSiblings, own, type Role, roleOfMember } from './keywords.js';

/** Longest URI that is looked up, in UTF-16 code units: a base is kept for every `$id` below it. */
const URI_MAX = 1_000;
/** Stands for the address that a document without one has. Nothing is ever fetched from it. */
const NOWHERE = 'schema://document/';

/** A document, or a part of it with an `$id` of its own. */
interface Resource {
  readonly uri: string;
  readonly root: JsonSchema;
  readonly anchors: Map<string, JsonSchema | undefined>;
}

export interface References {
  /** What the schema's `$ref` names; undefined where that is no schema of this document. */
  resolve(schema: JsonSchema): JsonSchema | boolean | undefined;
}

/** Finds what the references of one document name. Local ones only: nothing is fetched (P4, G9). */
export function indexReferences(document: JsonSchema): References {
  const whole: Resource = { uri: NOWHERE, root: document, anchors: new Map() };
  const index: Index = {
    homes: new Map(),
    resources: new Map([[NOWHERE, whole]]),
    ignoring: ignoresSiblings(document),
  };
  scan(document, whole, index);
  /** A reference may be long, and stand in a definition that many refer to. */
  const resolved = new Map<JsonSchema, JsonSchema | boolean | undefined>();
  return {
    resolve(schema) {
      if (!resolved.has(schema)) resolved.set(schema, resolveReference(schema, index));
      return resolved.get(schema);
    },
  };
}

function resolveReference(schema: JsonSchema, index: Index): JsonSchema | boolean | undefined {
  const reference = own(schema, '$ref');
  const home = index.homes.get(schema);
  if (typeof reference !== 'string' || home === undefined) return undefined;
  const at = reference.indexOf('#');
  const uri = at === -1 ? reference : reference.slice(0, at);
  const resource = uri === '' ? home : index.resources.get(resolveUri(uri, home.uri) ?? '');
  if (resource === undefined) return undefined;
  const target = findFragment(resource, at === -1 ? '' : reference.slice(at + 1));
  // A pointer may lead to where no keyword has schemas, as in `#/components/schemas/…`.
  if (isRecord(target)) scan(target, resource, index);
  return target;
}

/** A schema and those that its own reference leads to, which all judge the same value. */
export function followRoot(document: JsonSchema): readonly JsonSchema[] {
  const chain = new Set([document]);
  if (!Object.hasOwn(document, '$ref')) return [document];
  const references = indexReferences(document);
  for (let next = references.resolve(document); isRecord(next) && !chain.has(next); next = references.resolve(next)) {
    chain.add(next);
  }
  return [...chain];
}

interface Index {
  /** Every schema that was seen. */
  readonly homes: Map<JsonSchema, Resource>;
  /** By URI; nothing where two claim one. */
  readonly resources: Map<string, Resource | undefined>;
  readonly ignoring: boolean;
}

/** Notes every schema below that was not seen yet, parents first. */
function scan(from: JsonSchema, home: Resource, index: Index): void {
  const open: { value: object; role: Role; home: Resource }[] = [{ value: from, role: 'schema', home }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, role } = next;
    let inside = next.home;
    if (role === 'schema') {
      if (index.homes.has(value as JsonSchema)) continue;
      inside = settleHome(value as JsonSchema, inside, index);
      index.homes.set(value as JsonSchema, inside);
    }
    for (const key of Object.keys(value)) {
      const member = (value as JsonSchema)[key];
      const found = roleOfMember(role, key, member);
      if (found !== 'data') open.push({ value: member as object, role: found, home: inside });
    }
  }
}

/** The resource that a schema belongs to: a new one where it has an `$id`. A name given twice means neither. */
function settleHome(schema: JsonSchema, home: Resource, { resources, ignoring }: Index): Resource {
  const id = ignoring && Object.hasOwn(schema, '$ref') ? undefined : own(schema, '$id');
  let settled = home;
  if (typeof id === 'string' && id.startsWith('#')) addAnchor(home, id.slice(1), schema);
  else if (typeof id === 'string') {
    const uri = resolveUri(id.replace(/#.*$/s, ''), home.uri);
    if (uri !== undefined) {
      settled = { uri, root: schema, anchors: new Map() };
      resources.set(uri, resources.has(uri) ? undefined : settled);
    }
  }
  for (const keyword of ['$anchor', '$dynamicAnchor']) {
    const anchor = own(schema, keyword);
    if (typeof anchor === 'string') addAnchor(settled, anchor, schema);
  }
  return settled;
}

function addAnchor({ anchors }: Resource, name: string, schema: JsonSchema): void {
  anchors.set(name, anchors.has(name) ? undefined : schema);
}

function resolveUri(uri: string, base: string): string | undefined {
  if (uri.length > URI_MAX) return undefined;
  try {
    const { href } = new URL(uri, base);
    return href.length > URI_MAX ? undefined : href;
  } catch {
    return undefined;
  }
}

function findFragment({ root, anchors }: Resource, fragment: string): JsonSchema | boolean | undefined {
  if (fragment === '') return root;
  const decoded = decodeFragment(fragment);
  if (!fragment.startsWith('/')) return anchors.get(decoded);
  // Generators that forget to escape write a name with a percent sign as it is.
  return findPointer(root, decoded) ?? (decoded === fragment ? undefined : findPointer(root, fragment));
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Follows a JSON Pointer (RFC 6901) to a schema. */
function findPointer(root: JsonSchema, pointer: string): JsonSchema | boolean | undefined {
  let value: unknown = root;
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(key)) return undefined;
    value = (value as JsonSchema)[key];
  }
  return isRecord(value) || typeof value === 'boolean' ? value : undefined;
}
