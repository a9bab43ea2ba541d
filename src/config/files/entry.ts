import { McpConfigError } from '../../core/errors.js';
import { isRecord } from '../../core/json.js';
import type { McpServerConfig } from '../../core/servers.js';
import { resolveServer } from '../resolve-servers.js';
import { type ConfigValues, DIALECTS, type Dialect, type McpConfigDialect } from './dialects.js';
import { type Expanded, expand } from './expand.js';
import { findPluginProblem, runsInData } from './plugin-rules.js';
import type { FindProblem } from './schemas.js';
import type { EntryProblem } from './skipped.js';

export type ReadEntry =
  | { readonly server: McpServerConfig }
  | { readonly problem: EntryProblem; readonly detail: string };

export interface ReadEntryOptions {
  readonly dialect: McpConfigDialect;
  readonly values: ConfigValues;
  readonly findProblem: FindProblem;
}

/** Reads one entry. Pure: nothing is looked up, and no value of the entry is in what is said of it (T6). */
export function readEntry(name: string, entry: unknown, { dialect, values, findProblem }: ReadEntryOptions): ReadEntry {
  if (!isRecord(entry)) return { problem: 'invalid', detail: 'it is no object' };
  const unusable = dialect === 'agent-plugins' ? undefined : findUnusable(entry);
  if (unusable !== undefined) return unusable;
  const invalid =
    findProblem(dialect, entry) ?? (dialect === 'agent-plugins' ? findPluginProblem(entry, values) : undefined);
  if (invalid !== undefined) return { problem: 'invalid', detail: invalid };
  const expanded = expandEntry(entry, DIALECTS[dialect], values);
  if ('unset' in expanded) return { problem: 'unset-variable', detail: `${expanded.unset} has no value` };
  // A server of a plugin may run among its data instead, which is a folder of its own.
  const inData = dialect === 'agent-plugins' && runsInData(entry);
  return checked(toServer(name, expanded, dialect, values, inData ? values.data : values.root));
}

/** What a client of these formats would do and this library cannot: to leave it out would run something else. */
function findUnusable(entry: Readonly<Record<string, unknown>>): ReadEntry | undefined {
  if (entry.disabled === true) return { problem: 'disabled', detail: 'it is disabled' };
  if (entry.envFile !== undefined) return { problem: 'unsupported', detail: '`envFile` is not read; pass its values' };
  if (entry.headersHelper !== undefined)
    return { problem: 'unsupported', detail: '`headersHelper` is not run; use `auth`' };
  if (entry.sandboxEnabled === true) return { problem: 'unsupported', detail: 'there is no sandbox here' };
  return undefined;
}

interface Entry {
  readonly type?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every text of the fields that may hold references; a field that holds none is the same afterwards. */
function expandEntry(entry: Entry, { expands, lookup }: Dialect, values: ConfigValues): Entry | { unset: string } {
  const find = lookup(values);
  let missing: { unset: string } | undefined;
  const one = (text: string): string => {
    const expanded: Expanded = expand(text, find);
    if ('text' in expanded) return expanded.text;
    missing ??= expanded;
    return '';
  };
  const any = (value: unknown): unknown => {
    if (typeof value === 'string') return one(value);
    if (Array.isArray(value)) return value.map(any);
    return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, any(inner)])) : value;
  };
  const expanded = Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [
      key,
      (expands as readonly string[]).includes(key) ? any(value) : value,
    ]),
  );
  return missing ?? (expanded as Entry);
}

function toServer(
  name: string,
  entry: Entry,
  dialect: McpConfigDialect,
  { root, data }: ConfigValues,
  home: string | undefined,
): McpServerConfig {
  const { url, headers } = entry;
  if (url !== undefined) {
    const type =
      entry.type === 'sse' ? 'sse' : entry.type === 'streamable-http' ? 'streamable-http' : DIALECTS[dialect].http;
    return { name, type, url, ...(headers === undefined ? {} : { headers }) };
  }
  const { command = '', args, cwd } = entry;
  const folders = dialect === 'agent-plugins' ? { PLUGIN_ROOT: root, PLUGIN_DATA: data } : {};
  const added = Object.entries(folders).filter((folder): folder is [string, string] => folder[1] !== undefined);
  const env = { ...entry.env, ...Object.fromEntries(added) };
  return {
    name,
    type: 'stdio',
    command,
    ...(args === undefined ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(home === undefined ? {} : { root: home }),
  };
}

/** One entry that the wiring would refuse must not take the others with it. */
function checked(server: McpServerConfig): ReadEntry {
  try {
    resolveServer(server, { allowedHosts: () => undefined, auth: undefined, oauth: undefined });
  } catch (error) {
    if (error instanceof McpConfigError) return { problem: 'invalid', detail: error.message };
    throw error;
  }
  if (server.type === 'stdio' || server.type === 'custom') return { server };
  return /^https?:$/.test(new URL(server.url).protocol)
    ? { server }
    : { problem: 'unsupported', detail: 'its `url` is neither http nor https' };
}
