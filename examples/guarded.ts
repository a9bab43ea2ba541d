// #region guarded
import { type McpToolset, mcpTools } from 'mcp-toolset';
import { createPinnedFetch } from 'mcp-toolset/node';

interface Tokens {
  /** A token that is still good, or with `fresh` a new one. */
  token(user: string, server: string, options: { fresh: boolean; signal: AbortSignal }): Promise<string>;
}

export function toolsOf(user: string, url: string, host: string, tokens: Tokens): Promise<McpToolset> {
  const allowedHosts = [host];
  return mcpTools([{ name: 'crm', type: 'http', url }], {
    session: { id: user },
    allowedHosts,
    // Asked before each request; after HTTP 401 once more, for another token.
    auth: async (server, { session, reason, signal }) => ({
      token: await tokens.token(session.id, server, { fresh: reason === 'unauthorized', signal }),
    }),
    // On Node: judges what the names resolve to as well.
    fetch: createPinnedFetch({ allowedHosts }),
    onServerError: 'throw',
  });
}
// #endregion
