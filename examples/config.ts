// #region config
import { type Diagnostic, type McpToolset, mcpTools } from 'mcp-toolset';
import { loadMcpConfig } from 'mcp-toolset/node';

/** `path`: a file, or the folder of a plugin or workspace. */
export async function toolsOf(path: string, report: (diagnostic: Diagnostic) => void): Promise<McpToolset> {
  // A file sees the variables that are named here, and no others.
  const { servers, diagnostics } = await loadMcpConfig(path, { env: { DOCS_TOKEN: process.env.DOCS_TOKEN } });
  diagnostics.forEach(report);
  return mcpTools(servers, { onDiagnostic: report });
}
// #endregion config
