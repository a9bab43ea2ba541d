// #region stdio
import { type McpToolset, mcpTools } from 'mcp-toolset';
import 'mcp-toolset/node';

export function filesIn(folder: string, server: string): Promise<McpToolset> {
  return mcpTools([{ name: 'files', type: 'stdio', command: 'node', args: [server, folder], required: true }]);
}
// #endregion stdio
