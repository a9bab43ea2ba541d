import type { McpError } from '../core/errors.js';

/**
 * Ties an HTTP request to the JSON-RPC request it carries: the caller puts the exchange's key in this header and the
 * guarded fetch takes it off again, so it never reaches the network.
 */
export const EXCHANGE_HEADER = 'mcp-toolset-exchange';

/** What became known about one HTTP request: the ground for judging whether a call was delivered (C4, C5). */
export interface ExchangeFacts {
  /** The request was handed to the runtime's fetch: from here on it may have been delivered. */
  sent: boolean;
  /** The request carried a session id, to wherever its last redirect led. */
  carriedSession: boolean;
  /** A response came, if only a redirect: the request has been delivered somewhere, whatever failed after it. */
  delivered?: boolean;
  /** The host's own fetch sent it: its errors prove nothing about what left. */
  foreignFetch?: boolean;
  /** Status of the final response. */
  status?: number;
  /** What the final response carries. */
  body?: 'json' | 'event-stream' | 'none' | 'other';
  /** Why the guard ended it, where it did. */
  failure?: McpError;
  /** The JSON-RPC error in the body of a final response that is not 2xx. */
  rpc?: { readonly code: number | undefined; readonly id: 'ours' | 'absent' | 'other'; readonly message: string };
  /** That body was not read to its end: what it says is not known. */
  unread?: boolean;
  /** The `code` of the runtime's network error, where it gave one. */
  networkCode?: string;
  /** How often in a row its event stream was taken up again and brought nothing. */
  barren?: number;
}

/** One JSON-RPC request on its way over HTTP. */
export interface Exchange {
  /** Its JSON-RPC id; none for a notification. */
  readonly requestId: string | number | undefined;
  /**
   * A handshake's status is evidence for the protocol era and is passed on untouched. For any other request an error
   * status whose body is a JSON-RPC error with our id becomes an ordinary answer (R1).
   */
  readonly handshake: boolean;
  /** Ends the HTTP request and its response stream. Made in the call's own Workers request. */
  readonly signal: AbortSignal;
  /** The answer came; what is left of the response holds nothing more for anybody. */
  readonly answered?: boolean;
  /** Nobody waits for it any more: its stream is not taken up again. */
  readonly over?: boolean;
  readonly facts: ExchangeFacts;
}
