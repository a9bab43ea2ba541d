import { type McpErrorDetails, McpProtocolError } from '../core/errors.js';
import { cloneJson, isRecord } from '../core/json.js';
import { METHOD_NOT_FOUND } from '../core/rpc-codes.js';
import { callFailure, type Outcome, requestFailure, rpcFailure } from './failure.js';

/** The raw result of a call that was answered. Throws the `McpError` of any other outcome. */
export function readCall(outcome: Outcome, details: McpErrorDetails): Record<string, unknown> {
  if (outcome.kind === 'rpc-error') throw rpcFailure(outcome.error, details);
  if (outcome.kind === 'lost') throw callFailure(outcome, details);
  return readCompleted(outcome.result, details);
}

/** The same of an answer that nobody has parsed: in process it is the server's own object, and is copied by way of JSON text. */
export function readForeignCall(outcome: Outcome, details: McpErrorDetails): Record<string, unknown> {
  const isObject = outcome.kind === 'result' && isRecord(outcome.result);
  return readCall(isObject ? { ...outcome, result: copyForeign(outcome.result, details) } : outcome, details);
}

function copyForeign(result: unknown, details: McpErrorDetails): unknown {
  try {
    return cloneJson(result);
  } catch (error) {
    // Too deep or too long for the native writer, and JSON data all the same as far as anybody knows.
    if (error instanceof RangeError) return result;
    const message = `Server \`${details.server}\` answered with a result that is not JSON data.`;
    throw new McpProtocolError(message, details);
  }
}

interface Page {
  readonly tools: readonly unknown[];
  readonly nextCursor?: unknown;
  readonly ttlMs?: unknown;
}

/** One page of `tools/list`, its entries unread. */
export function readPage(outcome: Outcome, server: string, isFirst: boolean): Page {
  if (outcome.kind === 'lost') throw requestFailure(outcome, { server });
  if (outcome.kind === 'rpc-error') {
    // A server without tools need not know the method.
    if (isFirst && outcome.error.code === METHOD_NOT_FOUND) return { tools: [] };
    throw rpcFailure(outcome.error, { server });
  }
  const { tools, nextCursor, ttlMs } = readCompleted(outcome.result, { server });
  if (!Array.isArray(tools))
    throw new McpProtocolError(`Server \`${server}\` answered tools/list without a \`tools\` array.`, { server });
  return { tools, nextCursor, ttlMs };
}

/** A result of type `complete`, which an older server does not say. */
function readCompleted(result: unknown, details: McpErrorDetails): Record<string, unknown> {
  const problem = isRecord(result) ? problemOf(result) : 'a result that is no object';
  if (problem !== undefined)
    throw new McpProtocolError(`Server \`${details.server}\` answered with ${problem}.`, details);
  return result as Record<string, unknown>;
}

function problemOf({ resultType = 'complete' }: Record<string, unknown>): string | undefined {
  if (resultType === 'complete') return undefined;
  return resultType === 'input_required'
    ? 'a result that asks for input, which this client does not give'
    : 'a type of result that this client does not know';
}
