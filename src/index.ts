export { fingerprintTool } from './catalog/fingerprint.js';
export { catalogTokens, estimateTokens } from './catalog/tokens.js';
export { DEFAULT_DISCLOSURE_BUDGET_TOKENS } from './config/defaults.js';
export type { McpConfigDialect } from './config/files/dialects.js';
export { type McpConfig, type McpConfigOptions, parseMcpConfig } from './config/mcp-config.js';
export type { DisclosureOptions, Limits, McpOptions } from './config/options.js';
export type { ForeignClient } from './config/resolve-servers.js';
export type { Diagnostic, DiagnosticCode, DiagnosticData, DiagnosticLevel } from './core/diagnostics.js';
export {
  type AnyMcpError,
  type ErrorCause,
  isMcpError,
  McpAbortError,
  McpClosedError,
  McpConfigError,
  McpConnectError,
  McpError,
  type McpErrorCode,
  McpInvalidArgumentsError,
  McpLimitError,
  McpOutcomeUnknownError,
  McpProtocolError,
  McpTimeoutError,
  McpToolExecutionError,
  McpToolUnavailableError,
  McpToolWithdrawnError,
} from './core/errors.js';
export { MCP_DESCRIBE_TOOL, MCP_READ_RESULT_TOOL } from './core/helper-names.js';
export type {
  DpopSigner,
  OAuthClientProvider,
  OAuthContext,
  OAuthDiscovery,
  StoredOAuthClient,
  StoredOAuthTokens,
} from './core/oauth.js';
export type {
  AuthContext,
  ConnectContext,
  CustomServer,
  HttpServer,
  McpServerConfig,
  McpServerSource,
  ProtocolChoice,
  RedirectPolicy,
  ServerBase,
  Session,
  SseServer,
  StdioServer,
  ToolFilter,
} from './core/servers.js';
export type {
  CallToolOptions,
  CatalogueSnapshot,
  Era,
  McpClientHandle,
  McpToolset,
  McpToolsHandle,
  ServerState,
  ServerStatus,
  ServerStatusJson,
  ToolProgress,
  ToolsChanged,
} from './core/status.js';
export type {
  ArgumentIssue,
  ContentBlock,
  Disclosure,
  EmbeddedResource,
  ExecuteOptions,
  JsonSchema,
  McpTool,
  McpToolMetadata,
  McpToolResult,
  McpToolSummary,
  MediaContent,
  ModelOutput,
  ResourceLink,
  StandardSchemaWithJson,
  TextContent,
  ToolState,
  UnknownContent,
} from './core/tools.js';
export type {
  ProcessTransport,
  Transport,
  TransportContext,
  TransportFactory,
  TransportSendOptions,
} from './core/transport.js';
export type { McpConnectionRow, McpConnectionStore, StoredProtocol, StoredTool } from './stores/row.js';
export type { SpanAttributes, SpanKind, Telemetry, TelemetrySpan } from './telemetry/telemetry.js';
export { connectMcp, createMcpTools, type McpToolsOptions, type McpToolsSource } from './toolset/lazy.js';
export { composeMcpSystemPrompt } from './toolset/system-prompt.js';
export { mcpTools } from './toolset/toolset.js';
export { withMcpTools } from './toolset/with-tools.js';
