import { expectTypeOf, it } from 'vitest';
import {
  type Diagnostic,
  type McpConfig,
  type McpConfigDialect,
  type McpServerConfig,
  mcpTools,
  parseMcpConfig,
} from '../../src/index.js';
import { loadMcpConfig } from '../../src/node.js';

it('what a configuration file holds goes into mcpTools', async () => {
  expectTypeOf(parseMcpConfig('{}')).resolves.toEqualTypeOf<McpConfig>();
  const { servers, diagnostics } = await parseMcpConfig('{}', { env: process.env, root: '/p', data: '/d' });
  expectTypeOf(servers).toEqualTypeOf<McpServerConfig[]>();
  expectTypeOf(diagnostics).toEqualTypeOf<Diagnostic[]>();
  mcpTools(servers);
  expectTypeOf(
    loadMcpConfig('.mcp.json', { dialect: 'cursor', inputs: { key: 'k' } }),
  ).resolves.toEqualTypeOf<McpConfig>();
  // @ts-expect-error a client whose format is not read
  parseMcpConfig('{}', { dialect: 'zed' });
  // @ts-expect-error an unknown option is most likely a misspelt one
  loadMcpConfig('.mcp.json', { environment: {} });
  // @ts-expect-error an answer is a text
  parseMcpConfig('{}', { inputs: { port: 1 } });
});

it('a diagnostic of a file says why by a code', () => {
  const why = (diagnostic: Diagnostic) => {
    if (diagnostic.code === 'entry-skipped')
      expectTypeOf(diagnostic.data.reason).toEqualTypeOf<
        'invalid' | 'unsupported' | 'unset-variable' | 'disabled' | 'outside-root' | 'repeated'
      >();
    if (diagnostic.code === 'config-skipped')
      expectTypeOf(diagnostic.data.reason).toEqualTypeOf<
        'not-json' | 'no-servers' | 'invalid' | 'unsupported-version'
      >();
  };
  expectTypeOf(why).returns.toEqualTypeOf<void>();
  expectTypeOf<McpConfigDialect>().toEqualTypeOf<'claude' | 'cursor' | 'vscode' | 'agent-plugins'>();
});
