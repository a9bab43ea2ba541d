import type { Diagnostic } from '../core/diagnostics.js';
import { cloneJson } from '../core/json.js';
import type { CatalogueSnapshot, McpToolset, ServerStatus, ServerStatusJson } from '../core/status.js';

/** Everything that may be shown: JSON-safe, detached from the live objects, and free of secrets. */
export function snapshot(
  toolset: Pick<McpToolset, 'servers' | 'describeTools'>,
  diagnostics: readonly Diagnostic[],
): CatalogueSnapshot {
  return {
    servers: toolset.servers.map(toJson),
    tools: toolset.describeTools(),
    diagnostics: cloneJson(diagnostics),
    takenAt: Date.now(),
  };
}

function toJson({ error, authorizationUrl: page, ...status }: ServerStatus): ServerStatusJson {
  return {
    ...status,
    // Without its query, which names the client and the user's session.
    ...(page === undefined ? {} : { authorizationUrl: page.origin + page.pathname }),
    ...(error === undefined ? {} : { error: { name: error.name, code: error.code, message: error.message } }),
  };
}
