// #region worker
import { createMcpTools, isMcpError, type McpErrorCode, type McpToolsHandle } from 'mcp-toolset';

// At module scope, one for each server: nothing is opened before a request asks for its tools.
const handles = new Map<string, McpToolsHandle>();

const STATUS: Partial<Record<McpErrorCode, number>> = { 'invalid-arguments': 400, 'tool-error': 422, timeout: 504 };

const refuse = (status: number, code: string, message: string) =>
  Response.json({ error: { code, message } }, { status });

export default {
  /** `GET /docs` lists the tools of the server `docs`, `POST /docs/docs__search` calls one of them. */
  async fetch(request: Request, env: { MCP_SERVERS: Record<string, string> }): Promise<Response> {
    const [name = '', toolName] = new URL(request.url).pathname.slice(1).split('/');
    const url = new Map(Object.entries(env.MCP_SERVERS)).get(name);
    if (url === undefined) return refuse(404, 'unknown-server', `There is no server ${name}.`);
    try {
      const handle = handles.get(name) ?? createMcpTools({ name, type: 'streamable-http', url });
      handles.set(name, handle);
      const tools = new Map(Object.entries(await handle.tools()));
      if (toolName === undefined) return Response.json([...tools.keys()]);
      const tool = tools.get(toolName);
      if (tool === undefined) return refuse(404, 'unknown-tool', `There is no tool ${toolName}.`);
      return Response.json(await tool.execute(await request.json(), { abortSignal: request.signal }));
    } catch (error) {
      if (error instanceof SyntaxError) return refuse(400, 'invalid-json', error.message);
      if (isMcpError(error)) return refuse(STATUS[error.code] ?? 502, error.code, error.message);
      throw error;
    }
  },
};
// #endregion worker
