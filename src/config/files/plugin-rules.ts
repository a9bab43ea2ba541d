import { isHeaderName } from '../../core/headers.js';
import { isLoopback } from '../../guard/loopback.js';
import type { ConfigValues } from './dialects.js';

interface Entry {
  readonly command?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const FOLDERS = ['PLUGIN_ROOT', 'PLUGIN_DATA'];
/** A bare name, or a path below the plugin's folder. */
const COMMAND = /^(?:[^/\\\s]+|\.\/.+)$/;
const CWD = /^(?:\.\/.*|\.|\$\{(?:PLUGIN_ROOT|PLUGIN_DATA)\}(?:\/.*)?)$/;

/** What Agent Plugins 1.0.0 asks of an entry beyond its form (sections 4.1, 7.2 and 9 there). */
export function findPluginProblem(entry: Entry, { root }: ConfigValues): string | undefined {
  const { command, env = {}, cwd, url, headers = {} } = entry;
  if (url !== undefined) return findUrlProblem(url) ?? findHeaderProblem(headers);
  if (command === undefined || !COMMAND.test(command)) return '`command` must be one name, or begin with `./`';
  const taken = Object.keys(env).find((name) => FOLDERS.includes(name.toUpperCase()));
  if (taken !== undefined) return `\`env\` may not set \`${taken}\``;
  if (cwd !== undefined && !CWD.test(cwd)) return '`cwd` must be below the plugin’s root or its data';
  if (runsInData({ cwd }) && command.startsWith('./'))
    return 'a `command` of the plugin’s own cannot run among its data here';
  return root === undefined ? 'a local server needs the option `root`' : undefined;
}

/** Whether an entry asks for the folder of the plugin's data, before anything is put in. */
export function runsInData({ cwd }: { readonly cwd?: unknown }): boolean {
  return typeof cwd === 'string' && /^\$\{PLUGIN_DATA\}/.test(cwd);
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
  return url.username !== '' || url.password !== '' || given.includes('#')
    ? '`url` may hold no user and no fragment'
    : undefined;
}

function findHeaderProblem(headers: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (!names.every(isHeaderName)) return '`headers` has a name that is not a header name';
  return new Set(names).size < names.length ? '`headers` names one header twice' : undefined;
}
