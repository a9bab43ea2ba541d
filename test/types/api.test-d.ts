import { ClientCredentialsProvider, type OAuthClientProvider as SdkProvider } from '@modelcontextprotocol/client';
import type { Tool, ToolSet } from 'ai';
import { expectTypeOf, it } from 'vitest';
import {
  type ArgumentIssue,
  connectMcp,
  createMcpTools,
  isMcpError,
  type McpError,
  type McpErrorCode,
  type McpServerConfig,
  type McpTool,
  type McpToolResult,
  type McpToolset,
  mcpTools,
  type OAuthClientProvider,
  type Session,
  withMcpTools,
} from '../../src/index.js';

const http: McpServerConfig = { name: 'docs', type: 'http', url: 'https://example.com/mcp' };

it('mcpTools takes servers and functions that describe them', () => {
  expectTypeOf(mcpTools([http])).resolves.toEqualTypeOf<McpToolset>();
  expectTypeOf(mcpTools([async () => http], { timeoutMs: 1_000 })).resolves.toEqualTypeOf<McpToolset>();
  // @ts-expect-error a server needs a name
  mcpTools([{ type: 'http', url: 'https://example.com/mcp' }]);
  // @ts-expect-error a server over HTTP needs a URL
  mcpTools([{ name: 'docs', type: 'http' }]);
  // @ts-expect-error an unknown option is most likely a misspelt one
  mcpTools([http], { timeout: 1_000 });
});

it('a filter allows or blocks, never both', () => {
  mcpTools([http], { tools: { allow: ['docs__*'] } });
  // @ts-expect-error both at once
  mcpTools([http], { tools: { allow: ['docs__*'], block: ['docs__delete'] } });
});

it('a function source sees the session as the application has it', () => {
  interface UserSession extends Session {
    readonly token: string;
  }
  const session: UserSession = { id: 'user', token: 'secret' };
  mcpTools<UserSession>(
    [({ session: own }) => ({ ...http, headers: { authorization: `Bearer ${own?.token}` } }) as McpServerConfig],
    { session },
  );
});

it('a tool is a dynamic tool of the AI SDK without an adapter', () => {
  const take = (tool: McpTool, tools: McpToolset['tools']): [Tool, ToolSet] => [tool, tools];
  expectTypeOf(take).returns.toEqualTypeOf<[Tool, ToolSet]>();
  expectTypeOf<McpTool['execute']>().returns.resolves.toEqualTypeOf<McpToolResult>();
});

it('withMcpTools gives back what its function gives', () => {
  expectTypeOf(withMcpTools([http], {}, async (toolset) => Object.keys(toolset.tools))).resolves.toEqualTypeOf<
    string[]
  >();
});

it('lazy handles and clients close', () => {
  expectTypeOf(createMcpTools(http).tools()).resolves.toEqualTypeOf<Record<string, McpTool>>();
  expectTypeOf(connectMcp(http)).resolves.toHaveProperty('callTool');
});

it('an error is told apart by its guard and its code', () => {
  const error: unknown = undefined;
  if (!isMcpError(error)) return;
  expectTypeOf(error).toExtend<McpError>();
  // @ts-expect-error the codes are a closed union
  error.code === 'no-such-code';
});

it('the code of an error tells which fields it has', () => {
  const error: unknown = undefined;
  if (!isMcpError(error)) return;
  expectTypeOf(error.code).toEqualTypeOf<McpErrorCode>();
  switch (error.code) {
    case 'protocol':
      return expectTypeOf(error.rpcCode).toEqualTypeOf<number | undefined>();
    case 'tool-error':
      return expectTypeOf(error.result.content).toEqualTypeOf<McpToolResult['content']>();
    case 'invalid-arguments':
      return expectTypeOf(error.issues).toEqualTypeOf<readonly ArgumentIssue[]>();
    case 'limit':
      return expectTypeOf([error.limit, error.max]).toEqualTypeOf<(string | number)[]>();
    case 'aborted':
      return expectTypeOf(error.reason).toBeUnknown();
    default:
      // @ts-expect-error only an abort has a reason
      error.reason;
  }
});

it('the providers of the official SDK are providers here', () => {
  expectTypeOf<SdkProvider>().toExtend<OAuthClientProvider>();
  mcpTools([http], {
    session: { id: 'user' },
    oauth: () =>
      new ClientCredentialsProvider({ clientId: 'a', clientSecret: 'b', expectedIssuer: 'https://as.example' }),
  });
  // @ts-expect-error a provider keeps tokens
  mcpTools([http], { session: { id: 'user' }, oauth: () => ({ clientMetadata: {}, redirectUrl: undefined }) });
  expectTypeOf<McpToolset['servers'][number]['authorizationUrl']>().toEqualTypeOf<URL | undefined>();
});
