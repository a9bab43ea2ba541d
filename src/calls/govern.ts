import type { Report } from '../core/diagnostics.js';
import type { McpToolResult } from '../core/tools.js';
import { cutResult, readOversized } from './cut.js';
import type { HeldResults } from './held.js';

/** Bounds what a model sees of one result (R4). */
export type Govern = (
  result: McpToolResult,
  subject: { readonly server: string; readonly tool: string },
) => McpToolResult;

interface GovernDeps {
  /** Estimated tokens of one result. */
  readonly resultTokens: number;
  readonly held: HeldResults;
  readonly report: Report;
}

export function createGovern({ resultTokens, held, report }: GovernDeps): Govern {
  if (resultTokens === Number.POSITIVE_INFINITY) return (result) => result;
  return (result, { server, tool }) => {
    const reading = readOversized(result, resultTokens);
    if (reading === undefined) return result;
    const message = `A result of \`${tool}\` of server \`${server}\` is about ${reading.tokens} tokens; the model is shown ${resultTokens} (\`limits.resultTokens\`) and can read the rest.`;
    const data = { tokens: reading.tokens, limit: resultTokens };
    report({ code: 'result-truncated', level: 'info', message, server, tool, data });
    return cutResult(reading, resultTokens, held.hold(reading.whole));
  };
}
