import type { Deadline } from '../core/deadline.js';
import { McpProtocolError, McpToolWithdrawnError } from '../core/errors.js';
import { INVALID_PARAMS, METHOD_NOT_FOUND } from '../core/rpc-codes.js';
import type { GatedCall, Target } from './gate.js';

/** With these a server answers a tool that it does not know; the first also arguments that it does not like. */
const MAY_BE_UNKNOWN: readonly number[] = [INVALID_PARAMS, METHOD_NOT_FOUND];

interface Refused {
  readonly call: GatedCall;
  readonly target: Extract<Target, { state: 'active' }>;
  readonly deadline: Deadline;
}

/**
 * Tells a withdrawn tool from any other refusal (S8). The code alone does not say and texts are not matched, so the server
 * is listed again: when the tool is gone, that is the error, with the names that are closest.
 */
export async function explainUnknownTool(error: unknown, { call, target, deadline }: Refused): Promise<unknown> {
  if (!(error instanceof McpProtocolError) || !MAY_BE_UNKNOWN.includes(error.rpcCode ?? 0)) return error;
  const details = { server: call.server, tool: call.tool };
  try {
    await deadline.race(target.confirm(), details);
  } catch (failure) {
    // The server has answered: that its list could not be had, or not in time, changes nothing about that.
    return deadline.reason === 'aborted' || deadline.reason === 'closed' ? failure : error;
  }
  const current = call.find();
  if (current.state !== 'unknown') return error;
  const message = `Server \`${call.server}\` no longer has \`${call.tool}\`.${current.suggestion}`;
  return new McpToolWithdrawnError(message, { ...details, cause: error });
}
