import type { ResolvedServer } from '../config/resolve-servers.js';
import type { McpConnectionRow } from './row.js';

/** The row of a configured server. Its id is the server's identity: name, kind and endpoint, without query or credentials (S2). */
export function createRow(
  server: ResolvedServer,
  content: Pick<McpConnectionRow, 'tools' | 'toolFingerprints' | 'protocol'>,
): McpConnectionRow {
  const { identity, configuredName, kind } = server;
  return {
    id: identity,
    name: configuredName,
    // What a client of the host's own is connected to is not known, as with a transport of its own.
    type: kind === 'client' ? 'custom' : kind,
    ...('url' in server ? { url: server.url.origin + server.url.pathname } : {}),
    ...content,
  };
}
