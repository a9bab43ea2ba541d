import { McpConfigError } from '../core/errors.js';
import { isRecord, readJson } from '../core/json.js';
import { type EncodedRow, isFingerprints, isProtocol } from './codec.js';
import type { Fingerprints, McpConnectionRow, StoredTool } from './row.js';
import { createStoredTool, type IndexEntry, PARTS, type ToolParts } from './stored-tool.js';

/** A row as it was found, before anything of it is believed. `undefined` stands for what should be there and is not. */
export interface FoundRow {
  readonly key: unknown;
  readonly head: unknown;
  readonly index: string | undefined;
  /** Read when a tool's schema is looked at for the first time; undefined where the text is no longer there. */
  schemas(): string | undefined;
  /** Null: none was recorded. */
  readonly baseline: string | null | undefined;
}

/**
 * Reads a row, its schemas left as text.
 *
 * @throws McpConfigError where any of it is not what was written (S3).
 */
export function decodeRow(found: FoundRow): McpConnectionRow {
  const id = idOf(found.key);
  const { name, type, url, protocol } = readHead(found.head);
  const toolFingerprints = found.baseline === null ? undefined : readBaseline(found.baseline, name);
  return {
    id,
    name,
    type,
    ...(url === undefined ? {} : { url }),
    tools: decodeTools(found, name),
    ...(toolFingerprints === undefined ? {} : { toolFingerprints }),
    ...(protocol === undefined ? {} : { protocol }),
  };
}

/**
 * The row for a list: one that cannot be read throws where more than its id, name and type is read, so that it is not taken for
 * one that is not there, and keeps no other from being read (S3).
 */
export function decodeForList(found: FoundRow): McpConnectionRow {
  try {
    return decodeRow(found);
  } catch (error) {
    const refuse = {
      enumerable: true,
      get: (): never => {
        throw error;
      },
    };
    return Object.defineProperties(
      { id: idOf(found.key), ...headOf(found.head) },
      { tools: refuse, toolFingerprints: refuse, protocol: refuse },
    ) as unknown as McpConnectionRow;
  }
}

function readBaseline(text: string | undefined, server: string): Fingerprints {
  const baseline = text === undefined ? undefined : readJson(text);
  if (isFingerprints(baseline)) return baseline;
  throw unreadable('its fingerprints are damaged', server);
}

type Head = Pick<McpConnectionRow, 'name' | 'type' | 'url' | 'protocol'>;

function readHead(text: unknown): Head {
  const head = typeof text === 'string' ? readJson(text) : undefined;
  if (isRecord(head) && typeof head.name === 'string' && typeof head.type === 'string') {
    const { url, protocol } = head;
    const right = (url === undefined || typeof url === 'string') && (protocol === undefined || isProtocol(protocol));
    if (right) return head as unknown as Head;
    throw unreadable('what it says of the server is damaged', head.name);
  }
  throw unreadable('what it says of the server is damaged');
}

/** As far as it can be read, to say whose the row is. */
function headOf(text: unknown): { readonly name: string; readonly type: string } {
  const head = typeof text === 'string' ? readJson(text) : undefined;
  const { name, type } = isRecord(head) ? head : {};
  return { name: typeof name === 'string' ? name : '', type: typeof type === 'string' ? type : '' };
}

function idOf(key: unknown): string {
  const id = typeof key === 'string' ? readJson(key) : undefined;
  return typeof id === 'string' ? id : String(key);
}

function decodeTools(found: FoundRow, server: string): StoredTool[] {
  const index = found.index === undefined ? undefined : readJson(found.index);
  if (!Array.isArray(index)) throw unreadable('its catalogue is damaged', server);
  let text: string | undefined;
  let unread = index.length;
  const parse = (start: number, end: number, tool: string) => {
    text ??= readSchemas(found, whole, server);
    const parts = parseParts(text.slice(start, end), server, tool);
    unread -= 1;
    // Nobody needs it any more.
    if (unread === 0) text = undefined;
    return parts;
  };
  let whole = 0;
  return index.map((entry: unknown) => {
    if (!isEntry(entry)) throw unreadable('its catalogue is damaged', server);
    const start = whole;
    whole += entry[5];
    return createStoredTool(entry, { fingerprint: entry[3], start, chars: entry[5], parse });
  });
}

function readSchemas(found: FoundRow, whole: number, server: string): string {
  const text = found.schemas();
  if (text === undefined) {
    throw new McpConfigError(
      `The stored schemas of server \`${server}\` were replaced or removed since the row was read; read the row again.`,
      { server },
    );
  }
  if (text.length !== whole) throw unreadable('its schemas are damaged', server);
  return text;
}

function parseParts(text: string, server: string, tool: string): ToolParts {
  const parts = readJson(text);
  if (Array.isArray(parts) && parts.length === PARTS.length) return parts as unknown as ToolParts;
  throw unreadable('the schemas of a tool are damaged', server, tool);
}

/** By numbers here and where it is read: to take apart a thousand entries by name is most of a wake. */
function isEntry(value: unknown): value is IndexEntry {
  return (
    Array.isArray(value) &&
    typeof value[0] === 'string' &&
    isTextOrNull(value[1]) &&
    isTextOrNull(value[2]) &&
    typeof value[3] === 'string' &&
    isSize(value[4]) &&
    isSize(value[5])
  );
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Its server is not trusted anew by itself: to forget the row is the host's decision (S3). */
function unreadable(problem: string, server?: string, tool?: string): McpConfigError {
  const whose = server === undefined ? 'A stored row' : `The stored row of server \`${server}\``;
  return new McpConfigError(
    `${whose} cannot be read: ${problem}. Look at what wrote to the store; \`remove\` the row to trust the server anew.`,
    { server, tool },
  );
}

/** What a store that keeps whole rows in memory finds. */
export function foundIn({ key, head, index, schemas, baseline }: EncodedRow): FoundRow {
  return { key, head, index, schemas: () => schemas, baseline: baseline ?? null };
}
