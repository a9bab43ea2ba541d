import type { Era } from '../../core/status.js';
import type { Channel } from './channel.js';
import type { Fault } from './plan.js';
import type { Entry } from './records.js';
import { type Answer, type Message, notification, recordOf } from './rpc.js';

/** One HTTP request from its arrival to its end, and all that a fault may do with it. */
export interface Exchange {
  readonly entry: Entry;
  readonly era: Era;
  readonly channel: Channel;
  /** Aborted when the client gave the request up, or when the server closes. */
  readonly signal: AbortSignal;
  /** Whether the server is closing; nothing is said any more then. */
  readonly closing: () => boolean;
  /** Does what the request asks, once, however often it is called. Undefined where no message answers it. */
  run(): Promise<Answer | undefined>;
  /** Answers as a good server does. */
  proceed(): Promise<void>;
  /** Drops what the method itself would send on the way. */
  mute(): void;
  /** What a fault may do to the server as a whole. */
  readonly host: HostActs;
}

export interface HostActs {
  restart(options: { readonly downMs: number; readonly keepSessions: boolean }): Promise<void>;
  forgetSession(session: string | undefined): void;
  /** Sends on the notice streams of the request's session, or of all where there are no sessions; says to how many. */
  notify(message: Message, session: string | undefined): number;
}

/** The fault of one kind. */
export type FaultOf<Kind extends Fault['kind']> = Extract<Fault, { readonly kind: Kind }>;

/** One act for each kind. */
export type Acts<Kind extends Fault['kind'], Result> = {
  readonly [Name in Kind]: (fault: FaultOf<Name>, exchange: Exchange) => Result;
};

/** A progress notification for the request. Without a token of the client's own the request's id stands for it. */
export function progressOf({ params, id }: Pick<Entry, 'params' | 'id'>, progress: number, total?: number): Message {
  const { progressToken = id ?? 0 } = recordOf(recordOf(params)._meta);
  return notification('notifications/progress', {
    progressToken,
    progress,
    ...(total === undefined ? {} : { total }),
  });
}
