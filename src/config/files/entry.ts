import { McpConfigError } from '../../core/errors.js';
import { isRecord } from '../../core/json.js';
import type { McpServerConfig, StdioServer } from '../../core/servers.js';
import { type ConfigValues, DIALECTS, type Dialect, folderVariables, type McpConfigDialect } from './dialects.js';
import { type Expanded, expand, type Lookup } from './expand.js';
import { leadsOut } from './outside.js';
import { findPluginProblem } from './plugin-rules.js';
import type { FindProblem } from './schemas.js';
import { type EntryProblem, shortName } from './skipped.js';

interface Unusable {
  readonly problem: EntryProblem;
  readonly detail: string;
}

export type ReadEntry = { readonly server: McpServerConfig } | Unusable;

export interface ReadEntryOptions {
  readonly dialect: McpConfigDialect;
  readonly values: ConfigValues;
  readonly findProblem: FindProblem;
  readonly checkServer: CheckServer;
}

/** Throws an `McpConfigError` for what the wiring would refuse. */
export type CheckServer = (server: McpServerConfig) => unknown;

/** Reads one entry. Pure: nothing is looked up, and no value of the entry is in what is said of it (T6). */
export function readEntry(name: string, entry: unknown, options: ReadEntryOptions): ReadEntry {
  const { dialect, values, findProblem, checkServer } = options;
  if (!isRecord(entry)) return { problem: 'invalid', detail: 'it is no object' };
  const unusable = dialect === 'agent-plugins' ? undefined : findUnusable(entry);
  if (unusable !== undefined) return unusable;
  const invalid =
    findProblem(dialect, entry) ?? (dialect === 'agent-plugins' ? findPluginProblem(entry, values) : undefined);
  if (invalid !== undefined) return { problem: 'invalid', detail: invalid };
  const expanded = expandEntry(entry, DIALECTS[dialect], values);
  if ('problem' in expanded) return expanded;
  return checked(toServer(name, expanded, DIALECTS[dialect], values), checkServer);
}

/** What a client of these formats would do and this library cannot: to leave it out would run something else. */
function findUnusable(entry: Readonly<Record<string, unknown>>): Unusable | undefined {
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
  readonly env?: Readonly<Record<string, string | number | null>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** In one entry, of all its references together: a short text could ask for a long value any number of times. */
const LONGEST_VALUES = 1024 * 1024;

/** Every text of the fields that may hold references; a field that holds none is the same afterwards. */
function expandEntry(entry: Entry, { expands, refuses, lookup }: Dialect, values: ConfigValues): Entry | Unusable {
  const lookUp = lookup(values);
  let unusable: Unusable | undefined;
  let length = 0;
  const find: Lookup = (name) => {
    const found = lookUp(name);
    if (typeof found === 'string') length += found.length;
    if (length <= LONGEST_VALUES) return found;
    unusable ??= {
      problem: 'invalid',
      detail: `what its references stand for is longer than ${LONGEST_VALUES} characters`,
    };
    return '';
  };
  const one = (text: string): string => {
    if (refuses?.test(text)) {
      unusable ??= { problem: 'unsupported', detail: 'it has a reference whose default holds braces' };
      return '';
    }
    const expanded: Expanded = expand(text, find);
    if ('text' in expanded) return expanded.text;
    unusable ??= { problem: 'unset-variable', detail: `${expanded.unset} has no value` };
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
  return unusable ?? (expanded as Entry);
}

function toServer(name: string, entry: Entry, { http, folders }: Dialect, values: ConfigValues): McpServerConfig {
  const { url, headers, type } = entry;
  if (url !== undefined && type !== 'stdio') {
    const kind = type === 'sse' ? 'sse' : type?.startsWith('streamable') ? 'streamable-http' : http;
    return { name, type: kind, url, ...(headers === undefined ? {} : { headers }) };
  }
  const { command = '', args, cwd } = entry;
  const { root, data } = values;
  // The client has the last word on its folders, whatever the entry says.
  const given = root === undefined || folders === undefined ? {} : folderVariables(folders, values);
  const env = { ...toEnvironment(entry.env), ...toEnvironment(given) };
  return {
    name,
    type: 'stdio',
    command,
    ...(args === undefined ? {} : { args }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(root === undefined ? {} : { root }),
    ...(root === undefined || data === undefined ? {} : { data }),
  };
}

/** VS Code takes numbers, and null for a variable that there shall not be. */
function toEnvironment(env: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, string>> {
  const given = Object.entries(env).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/** One entry that the wiring would refuse must not take the others with it. */
function checked(server: McpServerConfig, checkServer: CheckServer): ReadEntry {
  try {
    checkServer({ ...server, name: shortName(server.name) });
  } catch (error) {
    if (error instanceof McpConfigError) return { problem: 'invalid', detail: error.message };
    throw error;
  }
  if (server.type === 'custom') return { server };
  if (server.type === 'stdio') return leavesRoot(server) ?? { server };
  return /^https?:$/.test(new URL(server.url).protocol)
    ? { server }
    : { problem: 'unsupported', detail: 'its `url` is neither http nor https' };
}

function leavesRoot({ command, cwd, root, data }: StdioServer): Unusable | undefined {
  if (root === undefined) return undefined;
  const escapes = (path: string) => leadsOut(root, path) || (data !== undefined && leadsOut(data, path));
  if (/[\\/]/.test(command) && leadsOut(root, command))
    return { problem: 'outside-root', detail: '`command` leads outside `root`' };
  return cwd !== undefined && escapes(cwd)
    ? { problem: 'outside-root', detail: '`cwd` leads outside `root`' }
    : undefined;
}
