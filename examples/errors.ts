// #region errors
import { isMcpError, type McpTool } from 'mcp-toolset';

export async function describeOutcome(tool: McpTool, args: unknown): Promise<string> {
  try {
    const { content } = await tool.execute(args, { abortSignal: AbortSignal.timeout(5_000) });
    return `ok: ${content.length} blocks`;
  } catch (error) {
    if (!isMcpError(error)) throw error;
    switch (error.code) {
      case 'tool-error':
        return `the tool ran and failed: ${error.message}`;
      case 'outcome-unknown':
        return 'it may have run: check before you repeat it';
      case 'aborted':
      case 'timeout':
        return 'it took too long';
      default:
        return `${error.name} (${error.code}) from ${error.server}: ${error.message}`;
    }
  }
}
// #endregion
