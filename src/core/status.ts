import type { Diagnostic } from './diagnostics.js';
import type { McpError } from './errors.js';
import type { Disclosure, ExecuteOptions, McpTool, McpToolResult, McpToolSummary } from './tools.js';

export type Era = 'modern' | 'legacy';

/** `needs-auth`: a user has to go to `authorizationUrl`, and the answer to `finishAuth`. */
export type ServerState = 'ready' | 'connecting' | 'needs-auth' | 'failed' | 'closed';

export interface ServerStatus {
  /** The configured name, with a suffix where two servers share it (N4). */
  readonly name: string;
  /** SHA-256 in hex over name, kind and endpoint, without query or credentials. */
  readonly identity: string;
  readonly state: ServerState;
  readonly era?: Era;
  /** The negotiated protocol revision. */
  readonly protocolVersion?: string;
  /** `withheld` is always 0 without a store: nothing is compared. */
  readonly tools: { readonly active: number; readonly quarantined: number; readonly withheld: number };
  readonly disclosure: Disclosure;
  /** Estimated tokens over the active tools (D1); `floor` counts names and descriptions alone. */
  readonly tokens: { readonly full: number; readonly projected: number; readonly floor: number };
  /** The page where the user authorizes; https, or http on loopback. It is never opened here. */
  readonly authorizationUrl?: URL;
  readonly error?: McpError;
}

/** Projected names. A tool whose definition changed in place is in `changed`. */
export interface ToolsChanged {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly quarantined: readonly string[];
  /** Always empty without a store. */
  readonly withheld: readonly string[];
}

/** What a server says of a call under way. */
export interface ToolProgress {
  /** The server's effective name. */
  readonly server: string;
  /** The tool's name as the server publishes it. */
  readonly tool: string;
  /** As `execute` was given it; empty where it was not. */
  readonly toolCallId: string;
  /** Grows with each notice; its unit is the server's. */
  readonly progress: number;
  readonly total?: number;
  /** The server's own text. */
  readonly message?: string;
}

/** A status without live objects: the error is its code and message, a URL its text without the query. */
export type ServerStatusJson = Omit<ServerStatus, 'error' | 'authorizationUrl'> & {
  readonly authorizationUrl?: string;
  readonly error?: { readonly name: string; readonly code: string; readonly message: string };
};

/** JSON-safe and free of secrets. */
export interface CatalogueSnapshot {
  readonly servers: readonly ServerStatusJson[];
  readonly tools: readonly McpToolSummary[];
  /** The last 1,000, oldest first. */
  readonly diagnostics: readonly Diagnostic[];
  /** Milliseconds since the epoch. */
  readonly takenAt: number;
}

export interface McpToolset extends AsyncDisposable {
  /** Null prototype; servers in the order given, tools by name in code-unit order (L5). Corrected in place by a refresh. */
  readonly tools: Record<string, McpTool>;
  readonly servers: readonly ServerStatus[];
  /** Settles when the check after a wake is done; at once where there was no wake. Never rejects. */
  readonly reconciled: Promise<void>;
  /** Every tool that was read, also those that are not in the map. */
  describeTools(): McpToolSummary[];
  inspect(): CatalogueSnapshot;
  /**
   * Lists one server, or all of them, again and corrects the map in place. Rejects with the failure of a server that was
   * named, or with `config` for an unknown name; of all of them, each failure is in its `ServerStatus` and a diagnostic. `force`
   * asks within the server's own time of validity too, past an open breaker, and begins an authorization anew that nobody
   * finished.
   */
  refresh(server?: string, options?: { readonly force?: boolean }): Promise<ToolsChanged>;
  /**
   * Takes the query of the URL that the authorization page sent the user back to, and then lists the server. Rejects with
   * `unauthorized` where the answer is not taken or nothing is pending, else as `refresh` does (G11).
   */
  finishAuth(server: string, params: URLSearchParams): Promise<void>;
  /** Idempotent and bounded: ends sessions, streams and timers. After it every `execute` rejects with code `closed` (W4). */
  close(): Promise<void>;
}

/** One server without a map of tools: what `connectMcp` returns. Nothing is opened before the first use (W10). */
export interface McpClientHandle {
  listTools(): Promise<McpToolSummary[]>;
  /** `name` is a name that `listTools` shows, projected or raw. Rejects with an `McpError` on every failure. */
  callTool(name: string, args?: unknown, options?: CallToolOptions): Promise<McpToolResult>;
  /** Idempotent and bounded. */
  close(): Promise<void>;
}

export type CallToolOptions = Pick<ExecuteOptions, 'abortSignal' | 'idempotencyKey'>;

/** One server's tools, connected when they are first asked for (W10). */
export interface McpToolsHandle {
  tools(): Promise<Record<string, McpTool>>;
  describeTools(): Promise<McpToolSummary[]>;
  /** Idempotent and bounded; does nothing where nothing was opened. */
  close(): Promise<void>;
}
