import type { Era } from '../../core/status.js';
import type { Channel } from './channel.js';
import type { Judge } from './choice.js';
import type { HostActs } from './exchange.js';
import type { NodeResponse } from './node-http.js';
import type { Notices } from './notices.js';
import type { Entry, Records } from './records.js';
import type { Message } from './rpc.js';

/** All that one fault server holds. */
export interface ServerState {
  readonly era: Era;
  readonly transport: 'http' | 'sse';
  readonly format: 'json' | 'sse';
  /** Legacy over HTTP: sessions are handed out and insisted on. */
  readonly hasSessions: boolean;
  readonly records: Records;
  readonly notices: Notices;
  readonly sessions: Set<string>;
  /** Event streams that are open now. */
  readonly streams: Set<NodeResponse>;
  /** Requests that may still be cancelled. */
  readonly underway: Set<Underway>;
  judge: Judge;
  /** The built-in ones included. */
  tools: readonly Message[];
  closing: boolean;
  /** Connections end because the server goes away, and not because a client does. */
  cutting: boolean;
  readonly host: HostActs;
}

export interface Underway {
  readonly entry: Entry;
  readonly channel: Channel;
  abort(): void;
}

/** Notes that an event stream is open, until it is over. */
export function watchStream(state: ServerState, response: NodeResponse): void {
  state.streams.add(response);
  response.on('close', () => state.streams.delete(response));
}

/** Ends the work on everything under way: the server goes away. */
export function abandonAll({ underway }: ServerState): void {
  for (const one of [...underway]) one.abort();
  underway.clear();
}
