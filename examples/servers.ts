// #region servers
import { type McpToolset, mcpTools, type Session } from 'mcp-toolset';

interface UserSession extends Session {
  readonly token: string;
}

export function toolsFor(session: UserSession, urls: { docs: string; old: string; crm: string }): Promise<McpToolset> {
  return mcpTools<UserSession>(
    [
      { name: 'docs', type: 'http', url: urls.docs, tools: { block: ['*delete*'] } },
      { name: 'old', type: 'sse', url: urls.old, prefix: 'legacy_' },
      // Asked once per mcpTools call, so that one description serves every user.
      ({ session }) => ({
        name: 'crm',
        type: 'streamable-http',
        url: urls.crm,
        headers: { authorization: `Bearer ${session?.token}` },
        required: true,
      }),
    ],
    { session, timeoutMs: 20_000, limits: { responseBytes: 4 * 1024 * 1024 } },
  );
}
// #endregion
