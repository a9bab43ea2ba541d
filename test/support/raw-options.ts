import type { ServerResponse } from 'node:http';
import type { RecordedRequest, Recorder } from './recorder.js';
import type { RawJson } from './rpc-text.js';

export const LEGACY_VERSION = '2025-11-25';
export const MODERN_VERSION = '2026-07-28';
export const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
export const META_SERVER = 'io.modelcontextprotocol/serverInfo';
export const META_SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

export type Era = 'legacy' | 'modern' | 'both';
export type Tools = readonly unknown[] | RawJson;

/** One page of `tools/list`. Other fields (`ttlMs`, `cacheScope`, `_meta`) go into the result as they are. */
export interface Page {
  readonly tools: Tools;
  readonly nextCursor?: unknown;
  readonly [field: string]: unknown;
}

/** What a handler gets beside the request's params. */
export interface CallContext {
  readonly method: string;
  readonly id: unknown;
  readonly era: 'legacy' | 'modern';
  readonly request: RecordedRequest;
  /** The response itself, for hanging, dripping and closing. Return `HANDLED` when you use it. */
  readonly response: ServerResponse;
  /** Aborted when the response is over, by whichever side. */
  readonly signal: AbortSignal;
  /** Sends a notification before the answer; the response becomes an event stream. */
  notify(method: string, params: unknown): void;
  /** Sends a progress notification, if the request carries a progress token. */
  progress(progress: number, total?: number): void;
  /** Answers with a result. Afterwards return `HANDLED`. */
  send(result: unknown): void;
  /** Answers with a JSON-RPC error. Afterwards return `HANDLED`. */
  fail(code: number, message: string, data?: unknown, status?: number): void;
}

/** An answer that replaces the usual one for a method. */
export interface StatusOverride {
  readonly status: number;
  /** Sent as a JSON-RPC error with `id` (default: the id of the request). */
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly id?: unknown;
  /** Sent as it is instead of `error`. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only for the first so many requests. Default: for all. */
  readonly times?: number;
}

export interface RawServerOptions {
  /** Default `both`. `modern` answers `initialize` with HTTP 400 and -32022. */
  readonly era?: Era;
  /** Any JSON; with `rawJson('[…]')`, or `rawJson('{…}')` entries, any text. */
  readonly tools?: Tools;
  /**
   * Instead of `tools`. An array of pages: plain arrays get the cursors `page-1`, `page-2`, …, `Page` objects keep
   * their own `nextCursor`. A function gets the cursor as it was sent and may answer forever.
   */
  readonly pages?: ReadonlyArray<readonly unknown[] | Page> | ((cursor: unknown) => Page | Promise<Page>);
  /** How answers travel. Default `json`. */
  readonly format?: 'json' | 'sse';
  /** Wait before each answer. */
  readonly latencyMs?: number | ((method: string) => number);
  /**
   * Answers `tools/call`: return a result (or `rawJson`), an `rpcError`, or `HANDLED`. Default: an echo of the
   * arguments as JSON text.
   */
  readonly onCall?: (params: Record<string, unknown>, ctx: CallContext) => unknown;
  /** Answers any other method that the server does not know. */
  readonly onMethod?: (params: Record<string, unknown>, ctx: CallContext) => unknown;
  /** Sees every request first; returns true when it wrote the response (redirects, 401, HTML). */
  readonly onRequest?: (request: RecordedRequest, response: ServerResponse) => boolean;
  /** Legacy: hand out a session id and insist on it. Default true. */
  readonly session?: boolean;
  /** Legacy: how an unknown session is refused. Default 404; 400 carries a JSON-RPC error with a null id. */
  readonly lostSessionStatus?: 404 | 400;
  /** Legacy: answer GET with an event stream for notices instead of 405. Default false. */
  readonly stream?: boolean;
  /** Modern: refuse headers that do not match the body with 400 and -32020. Default true. */
  readonly strict?: boolean;
  readonly instructions?: string;
  readonly capabilities?: Readonly<Record<string, unknown>>;
  readonly serverInfo?: unknown;
  /** Modern: the hint on `server/discover` and on pages without their own. Default 0. */
  readonly ttlMs?: number;
  /** By JSON-RPC method or HTTP method. A number alone sends an empty body. */
  readonly status?: Readonly<Record<string, number | StatusOverride>>;
  /**
   * false sends `connection: close`, so that `openSockets()` does not count idle ones. Default true. Beware: Node's
   * fetch then takes a response that was cut off for a complete one.
   */
  readonly keepAlive?: boolean;
}

export interface RawServer extends Omit<Recorder, 'accept'> {
  /** Ends in `/mcp`. */
  readonly url: string;
  readonly origin: string;
  /** Live session ids. */
  readonly sessions: ReadonlySet<string>;
  openSockets(): number;
  /** Forgets every session, as a restarted server does. */
  expireSessions(): void;
  /** Replaces some options from the next request on. */
  set(options: Partial<RawServerOptions>): void;
  /** Sends a notification on every open notice stream; returns how many there were. */
  broadcast(method: string, params?: Record<string, unknown>): number;
  /** Ends every open notice stream, as a restarting server does. */
  dropStreams(): void;
  close(): Promise<void>;
}
