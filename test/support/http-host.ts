import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Largest request body that a test server reads, in bytes. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, DELETE',
  'access-control-allow-headers': '*, authorization',
  'access-control-expose-headers': 'mcp-session-id, mcp-protocol-version, www-authenticate',
};

/** A listening test server. Closing it cuts every connection, hanging ones included. */
export interface HttpHost {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly origin: string;
  readonly server: Server;
  /** Sockets that are open now, idle keep-alive ones included. */
  openSockets(): number;
  /** Idempotent. Resolves when no socket is left. */
  close(): Promise<void>;
}

export interface ListenOptions {
  /** Lets pages of every origin in, as a server for browsers does. Default false. */
  readonly cors?: boolean | undefined;
  /** For a server in the place of one that was closed. Default: the system chooses. */
  readonly port?: number | undefined;
}

/** Listens on 127.0.0.1. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
  { cors = false, port: wanted = 0 }: ListenOptions = {},
): Promise<HttpHost> {
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    response.on('error', () => {});
    if (cors) {
      for (const [name, value] of Object.entries(CORS_HEADERS)) response.setHeader(name, value);
      if (request.method === 'OPTIONS') {
        response.writeHead(204).end();
        return;
      }
    }
    Promise.resolve(handle(request, response)).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(`test server failed: ${String(error)}`);
    });
  });
  server.maxConnections = 5_000;
  // Tests reuse connections for as long as they like; an idle close in the middle would be a flake.
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    origin: `http://127.0.0.1:${port}`,
    server,
    openSockets: () => sockets.size,
    close: () => {
      closing ??= (async () => {
        const gone = [...sockets].map(
          (socket) => new Promise<void>((resolve) => socket.once('close', () => resolve())),
        );
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        for (const socket of sockets) socket.destroy();
        server.closeAllConnections();
        // The server says that it is closed before its sockets and responses have said so.
        await Promise.all([closed, ...gone]);
      })();
      return closing;
    },
  };
}

/** Reads a whole request body as text; rejects over the limit, or when the client goes away. */
export function readBody(request: IncomingMessage): Promise<string> {
  // By events and not by iteration, which would destroy the request for whoever handles it next.
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) request.destroy(new Error('request body too large'));
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('error', reject);
  });
}

/** Waits until `condition` holds, looking every 5 ms; rejects after `timeoutMs` (default 2,000). */
export async function until(condition: () => boolean, timeoutMs = 2_000): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`condition not met within ${timeoutMs} ms: ${condition.toString()}`);
    await sleep(5);
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
