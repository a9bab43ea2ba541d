import type { Report } from '../core/diagnostics.js';
import { isMcpError, type McpError } from '../core/errors.js';

export interface ServerFailure {
  /** The server's effective name. */
  readonly server: string;
  readonly required: boolean;
  readonly error: McpError;
}

/** Runs one server's work so that its failure is a value and no sibling notices. What is no `McpError` is a defect of ours. */
export async function attempt(work: Promise<unknown>): Promise<McpError | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isMcpError(error)) return error;
    throw error;
  }
}

/** One `server-failed` diagnostic each (W2). */
export function reportFailures(failures: readonly ServerFailure[], report: Report): void {
  for (const { server, required, error } of failures) {
    const data = { errorCode: error.code, required };
    report({ code: 'server-failed', level: 'error', message: error.message, server, data });
  }
}
