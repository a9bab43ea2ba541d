import { isRecord, readJson } from '../core/json.js';
import type { ExchangeFacts } from './exchange.js';

type RpcFact = NonNullable<ExchangeFacts['rpc']>;

/** What the body of an error status says. */
export interface RpcReading {
  /** The JSON-RPC error in it, and whether it is for this request (R1, C4). */
  readonly rpc?: RpcFact;
  /** Whether the body as it is would be an ordinary answer to this request. */
  readonly isAnswer: boolean;
}

const NOTHING: RpcReading = { isAnswer: false };

/**
 * Reads the body of an error status. The id must be strictly ours: `"1"` does not answer `1`. Whatever carries our id is an
 * answer to us, also one that is malformed, a result, or part of a batch: the request was then delivered. Pure.
 */
export function readRpc(body: string, requestId: string | number | undefined): RpcReading {
  const value = readJson(body);
  const messages = (Array.isArray(value) ? value : [value]).filter(isRecord);
  const mine = messages.find((message) => requestId !== undefined && message.id === requestId && answers(message));
  if (mine !== undefined) {
    const error = mine.jsonrpc === '2.0' && isRpcError(mine.error) ? mine.error : undefined;
    const rpc = { id: 'ours', code: error?.code, message: error?.message ?? '' } as const;
    return { rpc, isAnswer: error !== undefined && !Array.isArray(value) };
  }
  const [first] = messages;
  if (first?.jsonrpc !== '2.0' || !isRpcError(first.error)) return NOTHING;
  const { code, message } = first.error;
  const id = first.id === undefined || first.id === null ? 'absent' : 'other';
  return { rpc: { code, id, message }, isAnswer: false };
}

/** The id of a JSON-RPC request, as it was written. */
export function idOf(body: string): unknown {
  const value = readJson(body);
  return isRecord(value) ? value.id : undefined;
}

function answers(message: Record<string, unknown>): boolean {
  return 'error' in message || 'result' in message;
}

/** The least that the SDK's parser accepts; a lesser one would be lost on its way to the caller. */
function isRpcError(error: unknown): error is { readonly code: number; readonly message: string } {
  if (!isRecord(error)) return false;
  return Number.isInteger(error.code) && typeof error.message === 'string';
}
