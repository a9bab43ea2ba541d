import { paramHeaders } from '../catalog/param-headers.js';
import type { SurveyedTool } from '../catalog/survey.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import type { Connection } from '../connection/connection.js';
import { type ClosingSignal, createDeadline } from '../core/deadline.js';
import { isMcpError, McpClosedError, type McpError, McpToolUnavailableError } from '../core/errors.js';
import type { ExecuteOptions, McpToolResult } from '../core/tools.js';
import { reportCall, startSpan } from '../telemetry/span.js';
import { detachArguments } from './arguments.js';
import { adaptResult } from './results.js';

/** What the current catalogue says of a tool, at the moment of the call. */
export type Target =
  | {
      readonly state: 'active';
      readonly tool: SurveyedTool;
      readonly connection: Connection;
      readonly timeoutMs: number;
    }
  | { readonly state: 'quarantined'; readonly reason: string }
  | { readonly state: 'unknown'; readonly suggestion: string };

export interface GatedCall {
  /** The projected name. */
  readonly toolName: string;
  /** The server's effective name. */
  readonly server: string;
  /** The raw name. */
  readonly tool: string;
  readonly args: unknown;
  readonly options: ExecuteOptions;
  find(): Target;
}

export interface GateDeps {
  readonly options: ResolvedOptions;
  /** Aborted when the toolset closes. */
  readonly closing: ClosingSignal;
}

/** Runs one call through every step in order (C1): closed, unknown, quarantined, arguments, connect, send, adapt. */
export async function runCall(call: GatedCall, deps: GateDeps): Promise<McpToolResult> {
  const { telemetry } = deps.options;
  // Awaited: on Workers a rejection that is only passed on may count as unhandled before it arrives.
  if (telemetry === undefined) return await passGate(call, deps, { sent: false });
  const span = startSpan(telemetry, 'call', { server: call.server, tool: call.tool, toolName: call.toolName });
  const startedAt = performance.now();
  const progress = { sent: false };
  const finish = (outcome: CallOutcome, error?: McpError) => {
    span.end(error);
    reportCall(telemetry, {
      toolName: call.toolName,
      server: call.server,
      durationMs: performance.now() - startedAt,
      outcome,
    });
  };
  try {
    const result = await passGate(call, deps, progress);
    finish('ok');
    return result;
  } catch (error) {
    const known = isMcpError(error) ? error : undefined;
    finish(known?.code === 'tool-error' ? 'tool-error' : progress.sent ? 'failed' : 'refused', known);
    throw error;
  }
}

type CallOutcome = 'ok' | 'tool-error' | 'refused' | 'failed';

async function passGate(
  call: GatedCall,
  { options, closing }: GateDeps,
  progress: { sent: boolean },
): Promise<McpToolResult> {
  const details = { server: call.server, tool: call.tool };
  if (closing.aborted)
    throw new McpClosedError(`The toolset was closed; make a new one to call \`${call.toolName}\`.`, details);
  const target = available(call, details);
  const args = detachArguments(call.args, details);
  const { abortSignal, idempotencyKey } = call.options;
  const deadline = createDeadline({ ms: target.timeoutMs, signal: abortSignal, closing });
  try {
    if (deadline.reason !== undefined) throw deadline.error(details);
    progress.sent = true;
    const raw = await target.connection.call({
      tool: call.tool,
      args,
      meta: idempotencyKey === undefined ? undefined : { idempotencyKey },
      headers: target.tool.paramHeaders.length === 0 ? undefined : paramHeaders(target.tool.paramHeaders, args),
      deadline,
    });
    return adaptResult(raw, options.limits, details);
  } finally {
    deadline.dispose();
  }
}

function available(call: GatedCall, details: { server: string; tool: string }): Extract<Target, { state: 'active' }> {
  const target = call.find();
  switch (target.state) {
    case 'active':
      return target;
    case 'quarantined':
      throw new McpToolUnavailableError(
        'quarantined',
        `\`${call.toolName}\` cannot be called: ${target.reason}`,
        details,
      );
    case 'unknown':
      throw unknownTool(call.toolName, target.suggestion, details);
  }
}

/** N6: refused here, with the names that are closest. */
export function unknownTool(
  name: string,
  suggestion: string,
  details?: { server: string; tool: string },
): McpToolUnavailableError {
  return new McpToolUnavailableError('unknown-tool', `There is no tool \`${name}\`.${suggestion}`, details);
}
