import type { Diagnostic } from './diagnostics.js';
import type { McpError } from './errors.js';
import type { StdioServer } from './servers.js';

/** What is said about one message; a transport may ignore all of it. */
export interface TransportSendOptions {
  /** The request that this message belongs to, where it is not an answer to it. */
  readonly relatedRequestId?: string | number | undefined;
  readonly resumptionToken?: string | undefined;
  readonly onresumptiontoken?: ((token: string) => void) | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly requestSignal?: AbortSignal | undefined;
  /** To be called when what carried the request ends, whether an answer came or not. */
  readonly onRequestStreamEnd?: (() => void) | undefined;
  /** Sent with the message, over a transport that has headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Declared as a method, which the compiler compares both ways: a transport whose own messages are narrower fits. */
interface Handlers {
  message(message: object, extra?: object): void;
}

/**
 * Carries JSON-RPC messages, parsed, to a server and back. Those of the official SDK fit, of its 1.x and of its 2.x line,
 * and so does an object of your own: the three `on…` members are set from outside before `start()`. Its types are its own,
 * so that no type of the SDK, which needs Node's types, reaches who uses this library.
 */
export interface Transport {
  /** Rejects when the server cannot be reached. */
  start(): Promise<void>;
  /** Rejects when the message surely did not leave, or was refused. */
  send(message: object, options?: TransportSendOptions): Promise<void>;
  close(): Promise<void>;
  /** To be called when the transport has ended, by whichever side. */
  onclose?: (() => void) | undefined;
  /** To be called for what went wrong beside any one message. */
  onerror?: ((error: Error) => void) | undefined;
  /** To be called with each message that comes. */
  onmessage?: Handlers['message'] | undefined;
  readonly sessionId?: string | undefined;
  /** True where each request travels on a stream of its own, as over Streamable HTTP. */
  readonly hasPerRequestStream?: boolean;
  setProtocolVersion?: ((version: string) => void) | undefined;
  setSupportedProtocolVersions?: ((versions: string[]) => void) | undefined;
}

/** What a transport factory is told besides the server's own configuration. */
export interface TransportContext {
  /** The server's effective name. */
  readonly server: string;
  readonly limits: { readonly responseBytes: number };
  /** Aborted when the connect is given up; what was begun then ends at once. */
  readonly signal: AbortSignal;
  report(diagnostic: Diagnostic): void;
}

export interface ProcessTransport extends Transport {
  /** Why it ended, where nobody closed it: set before `onclose` is called. */
  failure(): McpError | undefined;
}

/** Makes the transports of one kind of server that `fetch` does not reach: the export `stdio` of `mcp-toolset/node` (T1). */
export interface TransportFactory {
  readonly type: 'stdio';
  /** Starts nothing: `start()` does. Its `close()` resolves when nothing of the process is left. */
  open(server: StdioServer, context: TransportContext): ProcessTransport;
}
