import { randomUUID } from 'node:crypto';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { isInitializeRequest, McpError } from '@modelcontextprotocol/sdk/types.js';
import { listen } from './http-host.js';
import { createRecorder } from './recorder.js';
import {
  INSTRUCTIONS,
  parsed,
  refuseSession,
  type SdkServer,
  type SdkServerOptions,
  type Shelf,
  sdkServer,
  serveSessions,
} from './sdk-common.js';
import { createToolLog, STANDARD_TOOLS } from './sdk-tools.js';

interface Session<T> {
  readonly server: McpServer;
  readonly transport: T;
}

/** What a tool throws to be answered with a JSON-RPC error: of the very package that the server is made with. */
export function rpcError1(code: number, message: string, data?: unknown): Error {
  return new McpError(code, message, data);
}

/** A server made with the 1.x SDK over Streamable HTTP, with sessions. Legacy era only. */
export async function startSdk1Server(options: SdkServerOptions = {}): Promise<SdkServer> {
  const shelf: Shelf = { tools: options.tools ?? STANDARD_TOOLS, log: createToolLog() };
  const recorder = createRecorder();
  const sessions = new Map<string, Session<StreamableHTTPServerTransport>>();
  const host = await listen(async (request, response) => {
    const entry = await recorder.accept(request, response);
    if (entry === undefined || options.onRequest?.(entry, response)) return;
    if (!/^\/mcp(\?|$)/.test(entry.url)) {
      response.writeHead(404).end();
      return;
    }
    const body = parsed(entry.body);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (known !== undefined) return known.transport.handleRequest(request, response, body);
    if (id !== undefined || !isInitializeRequest(body)) return refuseSession(response, id !== undefined);
    const server = buildServer(shelf);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: options.json ?? false,
      onsessioninitialized: (session) => {
        sessions.set(session, { server, transport });
      },
      onsessionclosed: (session) => {
        sessions.delete(session);
      },
    });
    // The class types its callbacks as `| undefined`, which its own interface does not allow under exact types.
    await server.connect(transport as Parameters<McpServer['connect']>[0]);
    return transport.handleRequest(request, response, body);
  }, options);
  return sdkServer('mcp', host, recorder, shelf.log, serveSessions(shelf, sessions, replaceTools));
}

/** A server made with the 1.x SDK over HTTP+SSE: GET /sse, POST /message?sessionId=…. Legacy era only. */
export async function startSdk1SseServer(options: SdkServerOptions = {}): Promise<SdkServer> {
  const shelf: Shelf = { tools: options.tools ?? STANDARD_TOOLS, log: createToolLog() };
  const recorder = createRecorder();
  const sessions = new Map<string, Session<SSEServerTransport>>();
  const host = await listen(async (request, response) => {
    const entry = await recorder.accept(request, response);
    if (entry === undefined || options.onRequest?.(entry, response)) return;
    const url = new URL(entry.url, 'http://127.0.0.1');
    if (entry.http === 'GET' && url.pathname === '/sse') {
      const server = buildServer(shelf);
      const transport = new SSEServerTransport('/message', response);
      sessions.set(transport.sessionId, { server, transport });
      response.on('close', () => sessions.delete(transport.sessionId));
      await server.connect(transport);
      return;
    }
    const known = sessions.get(url.searchParams.get('sessionId') ?? '');
    if (entry.http !== 'POST' || url.pathname !== '/message' || known === undefined) {
      response.writeHead(404).end();
      return;
    }
    await known.transport.handlePostMessage(request, response, parsed(entry.body));
  }, options);
  return sdkServer('sse', host, recorder, shelf.log, serveSessions(shelf, sessions, replaceTools));
}

const registered = new WeakMap<McpServer, Array<{ remove(): void }>>();

function buildServer(shelf: Shelf): McpServer {
  const server = new McpServer({ name: 'sdk1-server', version: '1.0.0' }, { instructions: INSTRUCTIONS });
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
        inputSchema: tool.input,
        ...(tool.output === undefined ? {} : { outputSchema: tool.output }),
      },
      (input: unknown, extra) =>
        log.run(tool, input, {
          signal: extra.signal,
          progress: async (progress, total) => {
            const progressToken = extra._meta?.progressToken;
            if (progressToken === undefined) return;
            await extra.sendNotification({
              method: 'notifications/progress',
              params: { progressToken, progress, total },
            });
          },
        }),
    ),
  );
  registered.set(server, added);
}
