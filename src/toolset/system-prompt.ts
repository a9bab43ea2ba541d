import { isLegalName } from '../catalog/names.js';
import { MCP_DESCRIBE_TOOL, MCP_READ_RESULT_TOOL } from '../core/helper-names.js';
import type { McpToolset, ServerStatus } from '../core/status.js';
import { escapeControls } from '../core/text.js';
import type { Disclosure, McpToolSummary } from '../core/tools.js';

/**
 * What a system prompt should say of a toolset: its servers, how much of their schemas is shown and how to see the rest, and
 * which tools cannot be called. The same toolset gives the same text; without servers it is empty. It holds configured names
 * and projected tool names, and no other text of any server (D9).
 */
export function composeMcpSystemPrompt(toolset: Pick<McpToolset, 'servers' | 'describeTools'>): string {
  const { servers } = toolset;
  if (servers.length === 0) return '';
  const tools = toolset.describeTools();
  const helpers = new Set(tools.flatMap(({ server, name }) => (server === '' ? [name] : [])));
  return [
    'Tools of these MCP servers are available:',
    ...servers.map(serverLine),
    ...(helpers.has(MCP_DESCRIBE_TOOL) ? [DESCRIBE_LINE] : []),
    ...(helpers.has(MCP_READ_RESULT_TOOL) ? [READ_LINE] : []),
    ...quarantineLines(tools),
  ].join('\n');
}

const DESCRIBE_LINE = `Before you call a tool whose schema is shortened or left out, and whose arguments are not obvious, get its whole schema with ${MCP_DESCRIBE_TOOL}. Arguments that do not fit are refused with the schema, and nothing is sent.`;
const READ_LINE = `A result that was too long is cut, and says how to read the rest with ${MCP_READ_RESULT_TOOL}.`;

const SHOWN: Readonly<Record<Disclosure, string>> = {
  full: 'with their whole schemas',
  deferred: 'with shortened schemas: names and types of parameters',
  bare: 'without their schemas',
};

function serverLine({ name, tools, disclosure }: ServerStatus): string {
  if (tools.active === 0) return `- ${oneLine(name)}: no tools at present`;
  return `- ${oneLine(name)}: ${tools.active} ${tools.active === 1 ? 'tool' : 'tools'}, ${SHOWN[disclosure]}`;
}

/** Longest configured name that is shown, in characters. */
const NAME_MAX = 128;

/** A configuration file that somebody else wrote may have put anything into a name. */
function oneLine(name: string): string {
  return escapeControls(name.replace(/\s+/g, ' ')).slice(0, NAME_MAX);
}

/** Quarantined tools that are named. */
const NAMED = 50;

function quarantineLines(tools: readonly McpToolSummary[]): readonly string[] {
  const quarantined = tools.filter(({ state }) => state === 'quarantined');
  if (quarantined.length === 0) return [];
  // Under `names: 'strict'` the name is the server's own text.
  const named = quarantined.flatMap(({ name }) => (isLegalName(name) ? [name] : [])).slice(0, NAMED);
  const others = quarantined.length - named.length;
  const list = [...named, ...(others === 0 ? [] : [named.length === 0 ? `${others}` : `${others} more`])];
  return [`Not available, because of their definitions: ${list.join(', ')}.`];
}
