import { McpToolUnavailableError } from '../core/errors.js';

export function quarantinedTool(
  name: string,
  reason: string,
  details?: { server: string; tool: string },
): McpToolUnavailableError {
  return new McpToolUnavailableError('quarantined', `\`${name}\` cannot be called: ${reason}`, details);
}

/** N6: refused here, with the names that are closest. */
export function unknownTool(
  name: string,
  suggestion: string,
  details?: { server: string; tool: string },
): McpToolUnavailableError {
  return new McpToolUnavailableError('unknown-tool', `There is no tool \`${name}\`.${suggestion}`, details);
}
