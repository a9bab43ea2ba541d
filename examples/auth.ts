// #region auth
import { type McpToolset, mcpTools, type Session } from 'mcp-toolset';

export interface SignedIn extends Session {
  /** `renew`: the last token was refused. */
  tokenFor(server: string, renew: boolean): Promise<string>;
}

export function toolsOf(session: SignedIn, url: string, allowedHosts: readonly string[]): Promise<McpToolset> {
  return mcpTools<SignedIn>([{ name: 'crm', type: 'http', url, required: true }], {
    session,
    allowedHosts,
    auth: async (server, { session, reason }) => ({ token: await session.tokenFor(server, reason === 'unauthorized') }),
  });
}
// #endregion auth
