import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isRecord } from '../core/json.js';
import { INTERNAL_ERROR } from '../core/rpc-codes.js';
import type { Exchanges, ProgressParams, RpcError } from './exchanges.js';

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
  // What the SDK is shown is made anew: an answer of a form that it refuses would be waited for until the deadline.
  const { id } = message;
  // A message may hold both, and one of them empty.
  if ('error' in message && message.error !== undefined && message.error !== null) {
    pending.rpcError = readError(message.error);
    return { jsonrpc: '2.0', id, error: pending.rpcError } as JSONRPCMessage;
  }
  const result: unknown = 'result' in message ? message.result : undefined;
  pending.result = result;
  const shown = EMPTY_RESULTS.get(pending.method) ?? (isRecord(result) ? result : {});
  return { jsonrpc: '2.0', id, result: shown } as JSONRPCMessage;
}

/** A code and a message in any case. Some servers give a text alone. */
function readError(error: unknown): RpcError {
  const { code, message, ...rest } = isRecord(error) ? error : { message: error };
  return {
    ...rest,
    code: Number.isSafeInteger(code) ? (code as number) : INTERNAL_ERROR,
    message: typeof message === 'string' ? message : '',
  };
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
