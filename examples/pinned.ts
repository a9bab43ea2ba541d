// #region pinned
import { type McpToolset, mcpTools } from 'mcp-toolset';
import { createPinnedFetch } from 'mcp-toolset/node';

export function toolsOf(url: string, allowedHosts: readonly string[]): Promise<McpToolset> {
  return mcpTools([{ name: 'crm', type: 'http', url, required: true }], {
    allowedHosts,
    fetch: createPinnedFetch({ allowedHosts }),
  });
}
// #endregion pinned
