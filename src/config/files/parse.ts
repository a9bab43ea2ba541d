import stripComments from 'strip-json-comments';
import type { Diagnostic } from '../../core/diagnostics.js';
import { isRecord } from '../../core/json.js';
import type { McpServerConfig } from '../../core/servers.js';
import { type ConfigValues, DIALECTS, type McpConfigDialect } from './dialects.js';
import { readEntry } from './entry.js';
import type { FindProblem } from './schemas.js';
import { entrySkipped } from './skipped.js';

/** What a configuration file held. */
export interface ParsedConfig {
  readonly servers: McpServerConfig[];
  /** `config-skipped` where the whole was of no use, `entry-skipped` for each entry that was. */
  readonly diagnostics: Diagnostic[];
}

export interface ParseOptions extends ConfigValues {
  /** Default: told by the text. */
  readonly dialect?: McpConfigDialect;
}

/** Reads a text. Never throws, whatever the text is; runs no callback and does no I/O (T6). */
export function parseConfigText(text: string, options: ParseOptions, findProblem: FindProblem): ParsedConfig {
  const value = readJson(text, options.dialect);
  if (!isRecord(value)) return skipped('it is no JSON object');
  const dialect = options.dialect ?? detect(value);
  const entries = entriesOf(value, dialect);
  if (entries === undefined) return skipped(`it has no \`${DIALECTS[dialect].member}\``);
  const servers: McpServerConfig[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [name, entry] of Object.entries(entries)) {
    const read = readEntry(name, entry, { dialect, values: options, findProblem });
    if ('server' in read) servers.push(read.server);
    else diagnostics.push(entrySkipped(name, read.problem, read.detail));
  }
  return { servers, diagnostics };
}

/** The parser's own error quotes the text, so it is not passed on. */
function readJson(text: string, dialect: McpConfigDialect | undefined): unknown {
  const plain = text.replace(/^\ufeff/, '');
  const comments = dialect === undefined || DIALECTS[dialect].comments;
  try {
    return JSON.parse(comments ? stripComments(plain, { trailingCommas: true }) : plain);
  } catch {
    return undefined;
  }
}

const AGENT_PLUGINS = /^https?:\/\/(?:www\.)?agent-?plugins\.[^/]+\//i;

function detect(value: Readonly<Record<string, unknown>>): McpConfigDialect {
  if (Object.hasOwn(value, 'servers') && !Object.hasOwn(value, 'mcpServers')) return 'vscode';
  return typeof value.$schema === 'string' && AGENT_PLUGINS.test(value.$schema) ? 'agent-plugins' : 'claude';
}

function entriesOf(value: Readonly<Record<string, unknown>>, dialect: McpConfigDialect): object | undefined {
  const { member } = DIALECTS[dialect];
  if (Object.hasOwn(value, member)) return isRecord(value[member]) ? value[member] : undefined;
  // A plugin of Claude Code may leave the member out and list its servers at once.
  const all = Object.values(value);
  const areEntries = all.length > 0 && all.every((each) => isRecord(each) && ('command' in each || 'url' in each));
  return dialect === 'claude' && areEntries ? value : undefined;
}

function skipped(detail: string): ParsedConfig {
  const message = `The configuration is not used: ${detail}.`;
  return { servers: [], diagnostics: [{ code: 'config-skipped', level: 'error', message, data: {} }] };
}
