import type { Diagnostic } from '../core/diagnostics.js';
import type { OAuthClientProvider } from '../core/oauth.js';
import type { AuthContext, Session, ToolFilter } from '../core/servers.js';
import type { ToolProgress, ToolsChanged } from '../core/status.js';
import type { TransportFactory } from '../core/transport.js';
import type { Telemetry } from '../telemetry/telemetry.js';

/** Bounds on what a server may make the client hold. Each is a positive integer. */
export interface Limits {
  /** Pages of one `tools/list` walk. Default 64. */
  readonly listPages: number;
  /** Tools of one server. Default 10,000. */
  readonly toolsPerServer: number;
  /** Bytes of `tools/list` of one server. Default 16 MiB. */
  readonly listBytes: number;
  /** Decoded bytes of one HTTP body or SSE event. Default 32 MiB. */
  readonly responseBytes: number;
  /** Decoded bytes of one image, audio or blob. Default 20 MiB. */
  readonly mediaBytes: number;
  /** Nesting of one tool definition, references expanded or not. Default 64, at most 1,000. */
  readonly schemaDepth: number;
  /**
   * JSON values in one tool definition, references expanded or not. What expanding adds is bounded in length too, by a hundred
   * UTF-16 code units for each. Default 10,000.
   */
  readonly schemaNodes: number;
  /**
   * Estimated tokens that a model sees of one result (D1); the rest is read with `mcp__read_result` (R4). `Infinity` cuts nothing
   * and leaves that tool out. Default 25,000.
   */
  readonly resultTokens: number;
  /** Redirects followed for one request. Default 5. */
  readonly redirects: number;
}

/** How many tokens tool definitions may cost, as `estimateTokens` estimates them. */
export interface DisclosureOptions {
  /**
   * Tokens for one server. Over it, schemas keep the names and types of parameters, and over it still, nothing; the whole is
   * what `mcp__describe_tool` gives (D1, D3). `'auto'`, the default, is 20,000; `Infinity` hides nothing.
   */
  readonly budget?: number | 'auto';
  /** Tokens over all servers: the largest are deferred first until it fits (D5). Default: no cap. */
  readonly total?: number;
  /** Names of servers, and projected names of tools, whose schemas always stay in full. */
  readonly alwaysLoad?: readonly string[];
}

export interface McpOptions<S extends Session = Session> {
  /** Whom the toolset is for. Needed by `auth`, `oauth` and a function as `allowedHosts`; handed to function sources and custom transports. */
  readonly session?: S;
  /**
   * The hosts that requests may go to, redirects included: `host`, `host:port`, `host:*` or `*.host` (G2). Without a port the
   * scheme's own is meant. Loopback and private hosts need to be named too; `[]` denies all. Absent: public hosts and loopback.
   */
  readonly allowedHosts?: readonly string[] | ((server: string, context: { readonly session: S }) => readonly string[]);
  /**
   * Gives the bearer token for a server over HTTP. Asked before each request, and once more when the server refused the last
   * token with 401; questions that would overlap are asked once. What it throws ends the request, and nothing is sent (G12).
   */
  readonly auth?: (server: string, context: AuthContext<S>) => Promise<{ readonly token: string }>;
  /**
   * Gives the provider that keeps a server's OAuth tokens: the official SDK's, or one of its form. Asked once for each server over
   * HTTP, by its configured name; each needs a provider of its own. Nothing is asked of an authorization server before the
   * server answers 401. Not together with `auth` (G11).
   */
  readonly oauth?: (server: string, context: { readonly session: S }) => OAuthClientProvider;
  /** Which tools are exposed, over all servers (L4). */
  readonly tools?: ToolFilter;
  /** `strict` quarantines a tool whose name would have to be rewritten (N7). Default `rewrite`. */
  readonly names?: 'rewrite' | 'strict';
  /** How many tokens the definitions may cost, and what is never shortened (D1–D5). */
  readonly disclosure?: DisclosureOptions;
  /** The only profile so far: an object at the root, local references resolved, nothing tightened (P4). */
  readonly provider?: 'generic';
  /** Makes a result that does not fit the tool's `outputSchema` reject as `protocol`. Default false: it is reported (R5). */
  readonly strictOutput?: boolean;
  /** Milliseconds for one call, waiting for the connection included. Default 60,000. */
  readonly timeoutMs?: number;
  /** Milliseconds for one call in all, when progress extends it. Default: 10 times the call's `timeoutMs` (C3). */
  readonly maxTotalMs?: number;
  /**
   * Whether running a call twice does no harm: it is then sent again, once, where it may have been delivered (C5). Absent: no
   * call is. What a server says of its tools plays no part.
   */
  readonly idempotent?: (call: { readonly server: string; readonly tool: string }) => boolean;
  /** Asks servers for progress and hands it on. Progress extends a call's time up to `maxTotalMs`; that alone asks for it too. */
  readonly onProgress?: (progress: ToolProgress) => void;
  /** Opens a stream for change notices to each server that declares them, and tells what a change moved (L7). */
  readonly onToolsChanged?: (change: ToolsChanged) => void;
  /** Milliseconds for one connect and first listing. Default 10,000. */
  readonly connectTimeoutMs?: number;
  readonly limits?: Partial<Limits>;
  /** `throw` makes any server's failure reject `mcpTools`. Default `report` (W2). */
  readonly onServerError?: 'report' | 'throw';
  /** Absent: warnings and errors go to `console.warn`, once each. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  readonly telemetry?: Telemetry;
  /** Default: the runtime's own. Every request still passes the guard first. */
  readonly fetch?: typeof globalThis.fetch;
  /** Kinds of server besides those over HTTP: `stdio` of `mcp-toolset/node`. Those that are registered need not be given (T1). */
  readonly transports?: readonly TransportFactory[];
  /** What the client calls itself. Default: this package's name and version. */
  readonly clientInfo?: { readonly name: string; readonly version: string };
  /** Aborts the wiring: every connect in flight ends (W6). */
  readonly signal?: AbortSignal;
}
