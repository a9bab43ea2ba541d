// #region worker
import { createMcpTools } from 'mcp-toolset';

// At module scope: nothing is opened before the first request asks for the tools.
let handle: ReturnType<typeof createMcpTools> | undefined;

export const worker = {
  async fetch(request: Request, env: { MCP_URL: string }): Promise<Response> {
    handle ??= createMcpTools({ name: 'docs', type: 'streamable-http', url: env.MCP_URL });
    const tools = await handle.tools();
    const name = new URL(request.url).searchParams.get('tool') ?? '';
    const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
    if (tool === undefined) return Response.json(Object.keys(tools));
    return Response.json(await tool.execute(await request.json(), { abortSignal: request.signal }));
  },
};
// #endregion
