/** The helper that gives the whole schemas of deferred tools (D6). */
export const MCP_DESCRIBE_TOOL = 'mcp__describe_tool';
/** The helper that reads on in a result that was cut (R4). */
export const MCP_READ_RESULT_TOOL = 'mcp__read_result';
