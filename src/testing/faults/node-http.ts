import { McpConfigError } from '../../core/errors.js';

/**
 * The parts of `node:http` that the fault server uses, by their shape: the library is compiled without the types of any
 * platform, and its users need none.
 */
export interface NodeHttp {
  createServer(handle: (request: NodeRequest, response: NodeResponse) => void): NodeServer;
}

export interface NodeServer {
  keepAliveTimeout: number;
  listen(port: number, host: string, listening: () => void): unknown;
  close(closed: () => void): unknown;
  closeAllConnections(): void;
  address(): unknown;
  on(event: 'connection', listener: (socket: NodeSocket) => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
}

export interface NodeSocket {
  destroy(): unknown;
  on(event: 'close' | 'error', listener: () => void): unknown;
}

export interface NodeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  destroy(): unknown;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown;
}

export interface NodeResponse {
  statusCode: number;
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  readonly writableFinished: boolean;
  readonly socket: NodeSocket | null;
  setHeader(name: string, value: string): unknown;
  writeHead(status: number, headers?: Record<string, string>): unknown;
  flushHeaders(): void;
  write(chunk: string | Uint8Array, written?: () => void): boolean;
  end(chunk?: string): unknown;
  destroy(): unknown;
  on(event: 'close' | 'error', listener: () => void): unknown;
}

/**
 * Node's HTTP server, which Bun has too. Loaded on demand, and in a way that a bundler takes for optional: elsewhere the rest of
 * the test kit stays usable.
 *
 * @throws McpConfigError (as a rejection) where there is none.
 */
export async function loadHttp(): Promise<NodeHttp> {
  try {
    // biome-ignore lint/suspicious/noTsIgnore: where Node's types are at hand there is no error to expect.
    // @ts-ignore Without any platform's types the module has none.
    const http: unknown = await import('node:http');
    return http as NodeHttp;
  } catch (cause) {
    throw new McpConfigError('faultServer needs an HTTP server: run it on Node, Bun or Deno.', { cause });
  }
}
