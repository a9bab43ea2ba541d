import type { ExchangeFacts } from './exchange.js';

type RpcFact = NonNullable<ExchangeFacts['rpc']>;

/**
 * The JSON-RPC error that an error status' body holds, and whether it is for this request (R1, C4). The id must be
 * strictly ours: `"1"` does not answer `1`. Undefined for anything else. Pure.
 */
export function readRpcError(text: string, requestId: string | number | undefined): RpcFact | undefined {
  const message = parse(text);
  if (message?.jsonrpc !== '2.0' || !isRpcError(message.error)) return undefined;
  const { code } = message.error;
  if (message.id === undefined || message.id === null) return { code, id: 'absent' };
  return { code, id: message.id === requestId ? 'ours' : 'other' };
}

interface Candidate {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly error?: unknown;
}

function parse(text: string): Candidate | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The least that the SDK's parser accepts; a lesser one would be lost on its way to the caller. */
function isRpcError(error: unknown): error is { readonly code: number } {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return Number.isInteger(code) && typeof message === 'string';
}
