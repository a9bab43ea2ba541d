import { say, writable } from './channel.js';
import type { NodeResponse } from './node-http.js';
import { META_SUBSCRIPTION, type Message, notification, recordOf } from './rpc.js';

export type ListKind = 'tools' | 'prompts' | 'resources';

/** Who listens on a notice stream. */
export interface Listener {
  /** Cuts the stream's connection, so that it does not count as closed by the client. */
  cut(): void;
  readonly session?: string | undefined;
  /** On 2026-07-28: the id of the request that listens, and what it wants to hear. */
  readonly subscription?: { readonly id: unknown; readonly filter: Readonly<Record<string, unknown>> };
}

export interface NoticeStream {
  readonly response: NodeResponse;
  cut(): void;
}

/** The open streams for notices: a legacy session's GET, a modern `subscriptions/listen`. */
export interface Notices {
  /** Takes a stream that has begun, and acknowledges a subscription. */
  open(response: NodeResponse, listener: Listener): void;
  /** The stream of a session of the HTTP+SSE transport. */
  streamOf(session: string): NoticeStream | undefined;
  /** Sends to one session, or to all; says to how many. */
  send(message: Message, session?: string): number;
  /** Sends `list_changed` to all who want it; says to how many. */
  broadcast(kind: ListKind): number;
  /** Ends every stream gracefully, or cuts its connection. */
  drop(how: 'end' | 'destroy'): void;
}

export function createNotices(): Notices {
  const listeners = new Map<NodeResponse, Listener>();
  const sendAll = (message: Message, wants: (listener: Listener) => boolean): number => {
    const chosen = [...listeners].filter(([response, listener]) => writable(response) !== undefined && wants(listener));
    for (const [response, listener] of chosen) say(response, stamped(message, listener));
    return chosen.length;
  };
  return {
    open(response, listener) {
      listeners.set(response, listener);
      response.on('close', () => listeners.delete(response));
      if (listener.subscription === undefined) return;
      const acknowledged = notification('notifications/subscriptions/acknowledged', {
        notifications: listener.subscription.filter,
      });
      say(response, stamped(acknowledged, listener));
    },
    streamOf(session) {
      const [response, listener] = [...listeners].find(([, { session: own }]) => own === session) ?? [];
      return response === undefined || listener === undefined ? undefined : { response, cut: listener.cut };
    },
    send: (message, session) => sendAll(message, (listener) => session === undefined || listener.session === session),
    broadcast: (kind) =>
      sendAll(
        notification(`notifications/${kind}/list_changed`),
        ({ subscription }) => subscription === undefined || subscription.filter[`${kind}ListChanged`] === true,
      ),
    drop(how) {
      for (const [response, { cut }] of [...listeners]) {
        if (how === 'end') response.end();
        else cut();
      }
    },
  };
}

/** A modern notification says which subscription it belongs to. */
function stamped(message: Message, { subscription }: Listener): Message {
  if (subscription === undefined) return message;
  const params = recordOf(message.params);
  const meta = { ...recordOf(params._meta), [META_SUBSCRIPTION]: subscription.id };
  return { ...message, params: { ...params, _meta: meta } };
}
