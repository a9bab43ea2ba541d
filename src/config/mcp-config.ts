import type { Diagnostic } from '../core/diagnostics.js';
import { McpConfigError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import type { McpServerConfig } from '../core/servers.js';
import { checkKeys, checkOneOf } from './checks.js';
import type { ConfigValues, McpConfigDialect } from './files/dialects.js';
import { resolveServer } from './resolve-servers.js';

export interface McpConfigOptions extends ConfigValues {
  /** Whose format it is. Default: `servers` means VS Code, the `$schema` of Agent Plugins means that, else Claude Code. */
  readonly dialect?: McpConfigDialect;
}

export interface McpConfig {
  /** In the order of the file, ready for `mcpTools`. */
  readonly servers: McpServerConfig[];
  /** `entry-skipped` for each entry that cannot be used and why; `config-skipped` where the text is no configuration. */
  readonly diagnostics: Diagnostic[];
}

const KNOWN: readonly (keyof McpConfigOptions)[] = ['dialect', 'env', 'inputs', 'root', 'data'];

/**
 * Reads the text of an `mcp.json` of Claude Code, Cursor, VS Code or Agent Plugins 1.0.0 (T6). References such as `${NAME}` are
 * replaced once, where the format allows them, from the values given here alone. It does no I/O.
 *
 * @throws McpConfigError for an option that is none; never for what the text holds.
 */
export async function parseMcpConfig(text: string, options: McpConfigOptions = {}): Promise<McpConfig> {
  checkConfigOptions(options);
  if (typeof text !== 'string') throw new McpConfigError('`parseMcpConfig` takes the text of a configuration file.');
  // The schemas need a library that nothing else here does.
  const [{ parseConfigText }, { findProblem }] = await Promise.all([
    import('./files/parse.js'),
    import('./files/schemas.js'),
  ]);
  const rules = { allowedHosts: () => undefined, auth: undefined, oauth: undefined };
  return parseConfigText(text, options, { findProblem, checkServer: (server) => resolveServer(server, rules) });
}

function checkConfigOptions(options: McpConfigOptions): void {
  if (!isRecord(options)) throw new McpConfigError('The options of a configuration must be an object.');
  checkKeys(options, KNOWN, [], 'the options of a configuration');
  checkOneOf(options.dialect, ['claude', 'cursor', 'vscode', 'agent-plugins'], 'dialect');
  for (const name of ['env', 'inputs'] as const) {
    const values = options[name];
    if (values !== undefined && !isTexts(values)) throw new McpConfigError(`\`${name}\` must be an object of strings.`);
  }
  for (const name of ['root', 'data'] as const) {
    const folder: unknown = options[name];
    if (folder === undefined) continue;
    if (typeof folder !== 'string' || !isAbsolute(folder))
      throw new McpConfigError(`\`${name}\` must be an absolute path.`);
  }
}

function isTexts(values: unknown): boolean {
  return isRecord(values) && Object.values(values).every((value) => value === undefined || typeof value === 'string');
}

/** On either kind of platform: the text may be read on another one than the one it is for. */
function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path);
}
