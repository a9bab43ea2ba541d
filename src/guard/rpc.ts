import type { ExchangeFacts } from './exchange.js';

type RpcFact = NonNullable<ExchangeFacts['rpc']>;

/**
 * The JSON-RPC error that an error status' body holds, and whether it is for this request (R1, C4). The id must be
 * strictly ours: `"1"` does not answer `1`. Undefined for anything else. Pure.
 */
export function readRpcError(body: string, requestId: string | number | undefined): RpcFact | undefined {
  const answer = parse(body);
  if (answer?.jsonrpc !== '2.0' || !isRpcError(answer.error)) return undefined;
  const { code, message } = answer.error;
  if (answer.id === undefined || answer.id === null) return { code, id: 'absent', message };
  return { code, id: answer.id === requestId ? 'ours' : 'other', message };
}

/** The id of a JSON-RPC request, as it was written. */
export function idOf(body: string): unknown {
  return parse(body)?.id;
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
function isRpcError(error: unknown): error is { readonly code: number; readonly message: string } {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message } = error as { code?: unknown; message?: unknown };
  return Number.isInteger(code) && typeof message === 'string';
}
