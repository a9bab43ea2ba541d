import { isHeaderName } from '../../core/headers.js';
import { isLoopback } from '../../guard/loopback.js';
import type { McpConfig } from '../mcp-config.js';
import { type ConfigValues, PLUGIN_FOLDERS } from './dialects.js';
import { configSkipped } from './skipped.js';

interface Entry {
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The `$schema` of the format's files begins so. */
const VERSION = 'https://agent-plugins.org/schemas/1.0.0/';

/** Any version of the format, by the `$schema` of its `mcp.json`. */
export function isAgentPlugins($schema: unknown): boolean {
  return typeof $schema === 'string' && /^https?:\/\/(?:www\.)?agent-?plugins\.[^/]+\//i.test($schema);
}

/** What another version means is not guessed at (section 10.1 there). A file that names none is taken to be of this one. */
export function findVersionProblem({ $schema }: { readonly $schema?: unknown }, what: string): McpConfig | undefined {
  if ($schema === undefined || (typeof $schema === 'string' && $schema.startsWith(VERSION))) return undefined;
  return configSkipped('unsupported-version', `${what} is none below \`${VERSION}\``);
}

/** A bare name, or a path below the plugin's folder. */
const COMMAND = /^(?:[^/\\\s]+|\.\/.+)$/;
const CWD = /^(?:\.\/.*|\$\{(?:PLUGIN_ROOT|PLUGIN_DATA)\}(?:\/.*)?)$/;

/** What Agent Plugins 1.0.0 asks of an entry beyond its form (sections 4.1, 7.2 and 9 there). */
export function findPluginProblem(entry: Entry, { root }: ConfigValues): string | undefined {
  const { command, env = {}, cwd, url, headers = {} } = entry;
  if (url !== undefined) return findUrlProblem(url) ?? findHeaderProblem(headers);
  if (command === undefined || !COMMAND.test(command)) return '`command` must be one name, or begin with `./`';
  const taken = Object.keys(env).find((name) => Object.values(PLUGIN_FOLDERS).includes(name.toUpperCase()));
  if (taken !== undefined) return `\`env\` may not set \`${taken}\``;
  if (cwd !== undefined && !CWD.test(cwd)) return '`cwd` must be below the plugin’s root or its data';
  return root === undefined ? 'a local server needs the option `root`' : undefined;
}

function findUrlProblem(given: string): string | undefined {
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    return '`url` is not absolute';
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url)))
    return '`url` must be https, or http on loopback';
  return /^[^/]*\/\/[^/?]*@/.test(given) || url.username !== '' || given.includes('#')
    ? '`url` may hold no user and no fragment'
    : undefined;
}

function findHeaderProblem(headers: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (!names.every(isHeaderName)) return '`headers` has a name that is not a header name';
  return new Set(names).size < names.length ? '`headers` names one header twice' : undefined;
}
