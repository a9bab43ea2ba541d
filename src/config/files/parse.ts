import stripComments from 'strip-json-comments';
import type { Diagnostic } from '../../core/diagnostics.js';
import { isRecord, readJson } from '../../core/json.js';
import type { McpServerConfig } from '../../core/servers.js';
import type { McpConfig, McpConfigOptions } from '../mcp-config.js';
import { DIALECTS, type McpConfigDialect } from './dialects.js';
import { type ReadEntryOptions, readEntry } from './entry.js';
import { findVersionProblem, isAgentPlugins } from './plugin-rules.js';
import { findRepeated } from './repeated.js';
import { configSkipped, entrySkipped } from './skipped.js';

/** What comes from elsewhere, so that a bundle holds it once. */
export type ParseChecks = Pick<ReadEntryOptions, 'findProblem' | 'checkServer'>;

/** Reads a text. Never throws, whatever the text is; runs no callback and does no I/O (T6). */
export function parseConfigText(text: string, options: McpConfigOptions, checks: ParseChecks): McpConfig {
  const plain = plainText(text, options.dialect);
  const value = readJson(plain);
  if (!isRecord(value)) return configSkipped('not-json', 'it is no JSON object');
  const dialect = options.dialect ?? detect(value);
  const problem = dialect === 'agent-plugins' ? findTopProblem(value) : undefined;
  if (problem !== undefined) return problem;
  const { member } = DIALECTS[dialect];
  const entries = entriesOf(value, dialect);
  if (entries === undefined) return configSkipped('no-servers', `it has no \`${member}\``);
  const servers: McpServerConfig[] = [];
  const diagnostics: Diagnostic[] = findRepeated(plain, entries === value ? undefined : member).map((name) =>
    entrySkipped(name, 'repeated', 'another entry of that name comes after it'),
  );
  for (const [name, entry] of Object.entries(entries)) {
    const read = readEntry(name, entry, { dialect, values: options, ...checks });
    if ('server' in read) servers.push(read.server);
    else diagnostics.push(entrySkipped(name, read.problem, read.detail));
  }
  return { servers, diagnostics };
}

/** Without what JSON itself does not have, where the format allows it. */
function plainText(text: string, dialect: McpConfigDialect | undefined): string {
  const plain = text.replace(/^\ufeff/, '');
  const comments = dialect === undefined || DIALECTS[dialect].comments;
  return comments ? stripComments(plain, { trailingCommas: true }) : plain;
}

function detect(value: Readonly<Record<string, unknown>>): McpConfigDialect {
  if (Object.hasOwn(value, 'servers') && !Object.hasOwn(value, 'mcpServers')) return 'vscode';
  return isAgentPlugins(value.$schema) ? 'agent-plugins' : 'claude';
}

function entriesOf(value: Readonly<Record<string, unknown>>, dialect: McpConfigDialect): object | undefined {
  const { member } = DIALECTS[dialect];
  if (Object.hasOwn(value, member)) return isRecord(value[member]) ? value[member] : undefined;
  // A plugin of Claude Code may leave the member out and list its servers at once.
  const all = Object.values(value);
  const areEntries =
    all.every(isRecord) && all.some((each) => Object.hasOwn(each, 'command') || Object.hasOwn(each, 'url'));
  return dialect === 'claude' && areEntries ? value : undefined;
}

/** A closed format: what it does not know makes the whole invalid (section 7.2.1 there). */
function findTopProblem(value: Readonly<Record<string, unknown>>): McpConfig | undefined {
  const unknown = Object.keys(value).some((name) => name !== '$schema' && name !== 'mcpServers');
  const invalid = () => configSkipped('invalid', 'it has members that Agent Plugins does not have');
  return findVersionProblem(value, 'its `$schema`') ?? (unknown ? invalid() : undefined);
}
