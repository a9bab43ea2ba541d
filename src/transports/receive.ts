import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { Exchanges, ProgressParams } from './exchanges.js';

export interface Receiver {
  readonly exchanges: Exchanges;
  /** The server says that its tools have changed (L7). */
  onToolsChanged(): void;
}

/**
 * Takes off a message what is ours: the answer to a request, its progress, a change of tools. What is returned is what the
 * SDK may see of it.
 */
export function receiveMessage(message: JSONRPCMessage, receiver: Receiver): JSONRPCMessage | undefined {
  if (typeof message !== 'object' || message === null) return undefined;
  if (!('method' in message)) return receiveAnswer(message, receiver.exchanges);
  switch (message.method) {
    case 'notifications/progress':
      return receiveProgress(message.params, receiver.exchanges);
    case 'notifications/tools/list_changed':
      receiver.onToolsChanged();
      return undefined;
    default:
      return message;
  }
}

type Answer = Extract<JSONRPCMessage, { result: unknown } | { error: unknown }>;

function receiveAnswer(message: Answer, exchanges: Exchanges): JSONRPCMessage | undefined {
  const pending = exchanges.byId(message.id);
  // A late, repeated or foreign answer: there is nobody to give it to.
  if (pending === undefined || pending.answered) return undefined;
  pending.answered = true;
  exchanges.release(pending);
  // What is not read to its end by now, or has not even begun, holds nothing more.
  const { body } = pending.facts;
  if (body === undefined || body === 'event-stream') exchanges.endLater(pending);
  // In process a message is an object that nobody has parsed: it may hold both, and one of them empty.
  if ('error' in message && message.error !== undefined && message.error !== null) {
    pending.rpcError = message.error;
    return message;
  }
  pending.result = 'result' in message ? message.result : undefined;
  const empty = EMPTY_RESULTS.get(pending.method);
  return empty === undefined ? message : ({ ...message, result: empty } as JSONRPCMessage);
}

/** Progress that nobody asked for, or that comes after the answer, is noise. */
function receiveProgress(params: ProgressParams | undefined, exchanges: Exchanges): undefined {
  const pending = exchanges.byKey(params?.progressToken);
  if (params !== undefined && pending?.answered === false) pending.onProgress?.(params);
}

/** Valid in both eras, and nothing in them to refuse. */
const EMPTY_RESULTS: ReadonlyMap<string, object> = new Map<string, object>([
  ['tools/list', { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' }],
  ['tools/call', { resultType: 'complete', content: [] }],
]);
