import { expect, it } from 'vitest';
import { root } from './house/files.js';
import { entries } from './house/package.js';

/** The names that exist at run time, sorted. A change here is a change of the public API and belongs in CHANGELOG.md. */
const names: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'DEFAULT_DISCLOSURE_BUDGET_TOKENS',
    'MCP_DESCRIBE_TOOL',
    'MCP_READ_RESULT_TOOL',
    'McpAbortError',
    'McpClosedError',
    'McpConfigError',
    'McpConnectError',
    'McpError',
    'McpInvalidArgumentsError',
    'McpLimitError',
    'McpOutcomeUnknownError',
    'McpProtocolError',
    'McpTimeoutError',
    'McpToolExecutionError',
    'McpToolUnavailableError',
    'McpToolWithdrawnError',
    'catalogTokens',
    'composeMcpSystemPrompt',
    'connectMcp',
    'createMcpTools',
    'estimateTokens',
    'fingerprintTool',
    'isMcpError',
    'mcpTools',
    'parseMcpConfig',
    'withMcpTools',
  ],
  './node': ['createFileMcpConnectionStore', 'createPinnedFetch', 'loadMcpConfig', 'stdio'],
  './testing': ['faultServer', 'storeContract'],
};

it('every entry is listed, and no other', () => {
  expect(entries.map(({ name }) => name)).toEqual(Object.keys(names));
});

it.each(entries)('$name exports these names', async ({ name, file }) => {
  const entry: object = await import(/* @vite-ignore */ new URL(file, `file://${root}`).href);
  expect(Object.keys(entry).sort()).toEqual(names[name]);
});
