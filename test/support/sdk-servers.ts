import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  fromJsonSchema,
  isInitializeRequest,
  McpServer,
  ProtocolError,
} from '@modelcontextprotocol/server';
import { listen } from './http-host.js';
import { createRecorder } from './recorder.js';
import {
  INSTRUCTIONS,
  parsed,
  refuseSession,
  type SdkServer,
  type SdkServerOptions,
  type Served,
  type Shelf,
  sdkServer,
  serveSessions,
} from './sdk-common.js';
import { createToolLog, STANDARD_TOOLS } from './sdk-tools.js';

export type { SdkServer, SdkServerOptions } from './sdk-common.js';
export { INSTRUCTIONS } from './sdk-common.js';
export { FAIL_TEXT, STANDARD_TOOLS, THROW_TEXT, TINY_PNG, TINY_WAV } from './sdk-tools.js';
export { rpcError1, startSdk1Server, startSdk1SseServer } from './sdk1-servers.js';

/** As `rpcError1`, for the 2.x packages. */
export function rpcError(code: number, message: string, data?: unknown): Error {
  return new ProtocolError(code, message, data);
}

/**
 * A server made with the official 2.x packages. `dual` serves 2026-07-28 and, without sessions, 2025-11-25;
 * `modern-only` refuses the old handshake; `legacy-only` is a 2025-11-25 server with sessions that has never heard
 * of `server/discover`.
 */
export async function startSdkServer(
  options: SdkServerOptions & { readonly mode: 'dual' | 'legacy-only' | 'modern-only' },
): Promise<SdkServer> {
  const log = createToolLog();
  const shelf: Shelf = { tools: options.tools ?? STANDARD_TOOLS, log };
  const served =
    options.mode === 'legacy-only' ? handleSessions(shelf, options) : serveHandler(shelf, options.mode, options);
  const recorder = createRecorder();
  const host = await listen(async (request, response) => {
    const entry = await recorder.accept(request, response);
    if (entry === undefined || options.onRequest?.(entry, response)) return;
    if (!/^\/mcp(\?|$)/.test(entry.url)) response.writeHead(404).end();
    else await served.handle(request, response, parsed(entry.body));
  }, options);
  return sdkServer('mcp', host, recorder, log, served);
}

interface Handler extends Served {
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
}

function serveHandler(shelf: Shelf, mode: 'dual' | 'modern-only', { json = false }: SdkServerOptions): Handler {
  const handler = createMcpHandler(() => buildServer(shelf), {
    legacy: mode === 'dual' ? 'stateless' : 'reject',
    ...(json ? { responseMode: 'json' } : {}),
  });
  const handle = toNodeHandler(handler);
  return {
    // Node types a missing method as `undefined`, which the adapter's own type leaves out under exact types.
    handle: (request, response, body) => handle(request as Parameters<typeof handle>[0], response, body),
    sessions: () => 0,
    expire: async () => {},
    setTools: (tools) => {
      shelf.tools = tools;
      handler.notify.toolsChanged();
    },
    close: () => handler.close(),
  };
}

/** Sessions as the SDK's documentation wires them: one server and one transport for each. */
function handleSessions(shelf: Shelf, { json = false }: SdkServerOptions): Handler {
  const sessions = new Map<string, { server: McpServer; transport: NodeStreamableHTTPServerTransport }>();
  return {
    handle: async (request, response, body) => {
      const id = request.headers['mcp-session-id'];
      const known = typeof id === 'string' ? sessions.get(id) : undefined;
      if (known !== undefined) return known.transport.handleRequest(request, response, body);
      if (id !== undefined || !isInitializeRequest(body)) return refuseSession(response, id !== undefined);
      const server = buildServer(shelf);
      const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        enableJsonResponse: json,
        onsessioninitialized: (session) => {
          sessions.set(session, { server, transport });
        },
        onsessionclosed: (session) => {
          sessions.delete(session);
        },
      });
      await server.connect(transport);
      return transport.handleRequest(request, response, body);
    },
    ...serveSessions(shelf, sessions, replaceTools),
  };
}

const registered = new WeakMap<McpServer, Array<{ remove(): void }>>();

function buildServer(shelf: Shelf): McpServer {
  const server = new McpServer({ name: 'sdk-server', version: '1.0.0' }, { instructions: INSTRUCTIONS });
  replaceTools(server, shelf);
  return server;
}

function replaceTools(server: McpServer, { tools, log }: Shelf): void {
  for (const tool of registered.get(server) ?? []) tool.remove();
  const added = tools.map((tool) =>
    server.registerTool(
      tool.name,
      {
        ...(tool.title === undefined ? {} : { title: tool.title }),
        description: tool.description,
        inputSchema: tool.inputJson ? fromJsonSchema<Record<string, unknown>>(tool.inputJson) : tool.input,
        ...(tool.output === undefined ? {} : { outputSchema: tool.output }),
      },
      (input: unknown, ctx) =>
        log.run(tool, input, {
          signal: ctx.mcpReq.signal,
          progress: async (progress, total) => {
            const progressToken = ctx.mcpReq._meta?.progressToken;
            if (progressToken === undefined) return;
            await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total } });
          },
        }),
    ),
  );
  registered.set(server, added);
}
