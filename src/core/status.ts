import type { Diagnostic } from './diagnostics.js';
import type { McpError } from './errors.js';
import type { Disclosure, McpTool, McpToolSummary } from './tools.js';

export type Era = 'modern' | 'legacy';

export type ServerState = 'ready' | 'connecting' | 'failed' | 'closed';

export interface ServerStatus {
  /** The configured name, with a suffix where two servers share it (N4). */
  readonly name: string;
  /** SHA-256 in hex over name, kind and endpoint, without query or credentials. */
  readonly identity: string;
  readonly state: ServerState;
  readonly era?: Era;
  /** The negotiated protocol revision. */
  readonly protocolVersion?: string;
  readonly tools: { readonly active: number; readonly quarantined: number };
  readonly disclosure: Disclosure;
  /** Estimated tokens over the active tools (D1); `floor` counts names and descriptions alone. */
  readonly tokens: { readonly full: number; readonly projected: number; readonly floor: number };
  readonly error?: McpError;
}

/** Projected names. A tool whose definition changed in place is in `changed`. */
export interface ToolsChanged {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly quarantined: readonly string[];
}

/** A status without live objects: the error is its code and message. */
export type ServerStatusJson = Omit<ServerStatus, 'error'> & {
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
  /** Lists one server, or all of them, again and corrects the map in place. */
  refresh(server?: string, options?: { readonly force?: boolean }): Promise<ToolsChanged>;
  /** Idempotent and bounded: ends sessions, streams and timers. After it every `execute` rejects with code `closed` (W4). */
  close(): Promise<void>;
}
