import { McpConfigError } from '../core/errors.js';
import { fingerprint } from '../core/fingerprint.js';
import { isRecord } from '../core/json.js';
import type { Fingerprints, McpConnectionRow, StoredProtocol, StoredTool } from './row.js';
import { type IndexEntry, PARTS } from './stored-tool.js';

/**
 * A row as texts, which is all that a store writes. Each is JSON, which escapes NUL and lone surrogates: no engine loses a
 * character of it.
 */
export interface EncodedRow {
  /** The id as JSON text. */
  readonly key: string;
  /** `{ name, type, url, protocol }`. */
  readonly head: string;
  /** An {@link IndexEntry} for each tool: all that a wake reads of them. */
  readonly index: string;
  /** What is left of each tool, one JSON text behind the other; the index has their lengths. */
  readonly schemas: string;
  readonly baseline: string | undefined;
}

/** The id as a database keeps it. */
export function keyOf(id: string): string {
  return JSON.stringify(id);
}

/**
 * Takes the fields of a row that are written, one by one, and nothing else of what it holds (S1).
 *
 * @throws McpConfigError where a field is not what it should be; no message repeats a value.
 */
export function encodeRow(row: McpConnectionRow): EncodedRow {
  const { id, name, type, url, tools, toolFingerprints, protocol } = row;
  if (typeof id !== 'string' || id === '') throw invalid('`id` must be a non-empty string');
  if (typeof name !== 'string' || name === '') throw invalid('`name` must be a non-empty string');
  if (typeof type !== 'string') throw invalid('`type` must be a string', name);
  if (!Array.isArray(tools)) throw invalid('`tools` must be an array', name);
  const encoded = (tools as readonly StoredTool[]).map((tool) => encodeTool(tool, name));
  const head = { name, type, url: bareUrl(url, name), protocol: pickProtocol(protocol, name) };
  return {
    key: keyOf(id),
    head: writeJson(head, 'protocol', name),
    index: JSON.stringify(encoded.map(({ entry }) => entry)),
    schemas: encoded.map(({ text }) => text).join(''),
    baseline: encodeFingerprints(toolFingerprints, name),
  };
}

export function encodeFingerprints(fingerprints: Fingerprints | undefined, server: string): string | undefined {
  if (fingerprints === undefined) return undefined;
  if (!isFingerprints(fingerprints)) throw invalid('`toolFingerprints` must hold a string for each name', server);
  return JSON.stringify(fingerprints);
}

export function isFingerprints(value: unknown): value is Fingerprints {
  return isRecord(value) && Object.values(value).every((each) => typeof each === 'string');
}

function encodeTool(tool: StoredTool, server: string): { readonly entry: IndexEntry; readonly text: string } {
  if (!isRecord(tool)) throw invalid('a tool must be an object', server);
  const { name, title, description } = tool as StoredTool;
  const parts = PARTS.map((part) => tool[part]);
  if (typeof name !== 'string') throw invalid('the name of a tool must be a string', server);
  if (!isText(title) || !isText(description)) throw invalid('title and description of a tool must be strings', server);
  if (parts[0] === undefined) throw invalid('a tool needs an `inputSchema`', server);
  const [inputSchema, , annotations] = parts;
  const text = writeJson(parts, 'tools', server);
  const has = parts.reduce<number>((bits, part, index) => (part === undefined ? bits : bits | (1 << index)), 0);
  const hash = fingerprint({ title, description, inputSchema, annotations });
  return { entry: [name, title ?? null, description ?? null, hash, has, text.length], text };
}

function isText(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

/** A query and userinfo may be secrets, and identify no server (S1, S2). */
function bareUrl(url: unknown, server: string): string | undefined {
  if (url === undefined) return undefined;
  try {
    const { origin, pathname } = new URL(String(url));
    // Only a URL with a host has an origin; in others, what comes after the scheme may be anything.
    if (origin !== 'null') return origin + pathname;
  } catch {
    // Said below.
  }
  throw invalid('`url` must be an absolute http or https URL', server);
}

function pickProtocol(protocol: unknown, server: string): StoredProtocol | undefined {
  if (protocol === undefined) return undefined;
  if (!isProtocol(protocol)) throw invalid('`protocol` must have an era and the time of its check', server);
  const { era, supportedVersions, capabilities, checkedAt } = protocol;
  return { era, supportedVersions, capabilities, checkedAt };
}

export function isProtocol(value: unknown): value is StoredProtocol {
  if (!isRecord(value)) return false;
  const { era, supportedVersions, checkedAt } = value;
  const versions = supportedVersions === undefined || isStrings(supportedVersions);
  return (era === 'modern' || era === 'legacy') && versions && Number.isFinite(checkedAt);
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function writeJson(value: unknown, field: string, server: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw invalid(`\`${field}\` holds what is not JSON data`, server, cause);
  }
}

function invalid(problem: string, server?: string, cause?: unknown): McpConfigError {
  const whose = server === undefined ? 'A row' : `The row of server \`${server}\``;
  return new McpConfigError(`${whose} cannot be saved: ${problem}.`, { server, cause });
}
