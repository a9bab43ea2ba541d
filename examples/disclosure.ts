// #region disclosure
import { composeMcpSystemPrompt, type McpToolset, mcpTools } from 'mcp-toolset';

/** A server with hundreds of tools: schemas are shortened until they fit, those of `alwaysLoad` never. */
export async function manyTools(url: string): Promise<{ toolset: McpToolset; system: string }> {
  const toolset = await mcpTools([{ name: 'crm', type: 'http', url }], {
    disclosure: { budget: 8_000, alwaysLoad: ['crm__find_customer'] },
    limits: { resultTokens: 10_000 },
  });
  return { toolset, system: composeMcpSystemPrompt(toolset) };
}
// #endregion
