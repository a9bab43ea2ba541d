// #region stdio
import { type McpToolset, mcpTools } from 'mcp-toolset';
import 'mcp-toolset/node';

export function filesIn(folder: string): Promise<McpToolset> {
  return mcpTools(
    [
      {
        name: 'files',
        type: 'stdio',
        command: 'npx',
        args: ['-y', '@modelcontextprotocol/server-filesystem@2026.8.31', folder],
        // All that it gets besides `HOME`, `PATH` and four more.
        env: { npm_config_update_notifier: 'false' },
        required: true,
      },
    ],
    // The first start downloads it.
    { connectTimeoutMs: 60_000 },
  );
}
// #endregion
