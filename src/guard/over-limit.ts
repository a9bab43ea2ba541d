import { McpLimitError } from '../core/errors.js';

/** Something of a server is larger than `limits.responseBytes` allows (G6, T5). */
export function overResponseBytes(server: string, what: string, max: number): McpLimitError {
  const message = `Server \`${server}\`: ${what} is larger than ${max} bytes; raise limits.responseBytes if that is expected`;
  return new McpLimitError(message, { server, limit: 'responseBytes', max });
}
