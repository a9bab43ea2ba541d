import { type McpErrorDetails, McpInvalidArgumentsError } from '../core/errors.js';

/**
 * The arguments as they will be sent: plain JSON, detached from the caller's object. Nothing given means no arguments.
 * Throws `McpInvalidArgumentsError` for what is no JSON object.
 */
export function detachArguments(args: unknown, details: McpErrorDetails): Readonly<Record<string, unknown>> {
  if (args === undefined || args === null) return {};
  if (typeof args !== 'object') throw invalid(`must be a JSON object, not a ${typeof args}`, details);
  const copy = copyJson(args, details);
  if (Array.isArray(copy)) throw invalid('must be a JSON object, not an array', details);
  if (typeof copy === 'object' && copy !== null) return copy as Record<string, unknown>;
  throw invalid('must be a JSON object', details);
}

function copyJson(args: object, details: McpErrorDetails): unknown {
  try {
    return JSON.parse(JSON.stringify(args));
  } catch (cause) {
    throw invalid('cannot be written as JSON (a cycle, a BigInt, or nested too deeply)', { ...details, cause });
  }
}

function invalid(problem: string, details: McpErrorDetails): McpInvalidArgumentsError {
  const message = `The arguments of \`${details.tool}\` (server \`${details.server}\`) ${problem}. Nothing was sent.`;
  return new McpInvalidArgumentsError(message, { ...details, issues: [{ path: '', message: problem }] });
}
