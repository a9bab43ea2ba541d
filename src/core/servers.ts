import type { Transport } from './transport.js';

/** Who the toolset is built for. Credentials and function sources see it; nothing else does. */
export interface Session {
  readonly id: string;
}

/** Names are raw or prefixed tool names, exact or with `*`; `allow` and `block` exclude each other (L4). */
export type ToolFilter =
  | { readonly allow: readonly string[]; readonly block?: never }
  | { readonly block: readonly string[]; readonly allow?: never };

/** `auto` tries 2026-07-28 first and falls back to the older handshake (W7). */
export type ProtocolChoice = 'auto' | 'legacy' | 'modern';

/** `same-origin` follows 307 and 308, and any redirect of a GET, within the origin (G5). */
export type RedirectPolicy = 'error' | 'same-origin' | 'follow';

export interface ServerBase {
  /** The id you give the server; never the name it reports of itself. */
  readonly name: string;
  /** Replaces `${name}__` in projected names. */
  readonly prefix?: string;
  /** Narrows the toolset-wide filter for this server (L4). */
  readonly tools?: ToolFilter;
  /** Default `auto`; `legacy` over stdio, and over SSE, which has no newer form. */
  readonly protocol?: ProtocolChoice;
  /** Milliseconds for one call. Default: `McpOptions.timeoutMs`. */
  readonly timeoutMs?: number;
  /** Default false. With true, this server's failure rejects `mcpTools` (W2). */
  readonly required?: boolean;
  /** Allows `headers` and tokens over plain http to a host that is not loopback. Default false (G4). */
  readonly insecureHttp?: boolean;
}

export interface HttpServer extends ServerBase {
  readonly type: 'streamable-http' | 'http';
  readonly url: string | URL;
  /** Sent to the URL's own origin only (G4). */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default `same-origin`. */
  readonly redirect?: RedirectPolicy;
  /** Whether a server that only speaks HTTP+SSE is tried as such (W8). Default: true for `http`, false for `streamable-http`. */
  readonly fallbackToSse?: boolean;
}

export interface SseServer extends ServerBase {
  readonly type: 'sse';
  readonly url: string | URL;
  /** Sent to the URL's own origin only (G4). */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A program of this machine, over its standard input and output. Needs the entry `mcp-toolset/node`, on Node, Bun or Deno (T1).
 */
export interface StdioServer extends ServerBase {
  readonly type: 'stdio';
  /**
   * One word, never a line for a shell. A bare name is looked up on the host's own `PATH`; `./name` is below `root`, else below
   * `cwd` (T3).
   */
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the least that programs expect, such as `PATH` and `HOME`; nothing else of the host's is inherited (T2). */
  readonly env?: Readonly<Record<string, string>>;
  /** Where it runs. Default: `root`, else where the host runs. */
  readonly cwd?: string;
  /** An absolute path that `cwd` and a `command` with a path may not leave, symbolic links followed (T3). */
  readonly root?: string;
  /** A second absolute path where `cwd` may be, beside `root`: what a plugin keeps. `command` may not (T3). */
  readonly data?: string;
  /** `strict` refuses variables in `env` that steer where programs and libraries are found. Default `overlay` (T2). */
  readonly envMode?: 'overlay' | 'strict';
}

/** What {@link McpOptions.auth} is told (G12). */
export interface AuthContext<S extends Session = Session> {
  readonly session: S;
  /** The server's configured URL. */
  readonly url: URL;
  /** `connect`: the first request of a connection. `unauthorized`: the server refused the last token with 401. */
  readonly reason: 'connect' | 'request' | 'unauthorized';
  /** Aborted when nobody waits for the token any more, or after half of `connectTimeoutMs`. */
  readonly signal: AbortSignal;
}

export interface ConnectContext {
  readonly session?: Session;
  /** Aborted when the connection is given up. */
  readonly signal: AbortSignal;
}

/** A transport you make yourself: in process, a service binding, a test. It is made anew at each connect. */
export interface CustomServer extends ServerBase {
  readonly type: 'custom';
  connect(context: ConnectContext): Transport | Promise<Transport>;
}

export type McpServerConfig = HttpServer | SseServer | StdioServer | CustomServer;

type MaybePromise<T> = T | Promise<T>;

/** A server, or a function that describes it once per `mcpTools` call, so that it can carry this session's credentials. */
export type McpServerSource<S extends Session = Session> =
  | McpServerConfig
  | ((context: { readonly session?: S; readonly signal?: AbortSignal }) => MaybePromise<McpServerConfig>);
