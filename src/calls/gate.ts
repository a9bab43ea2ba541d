import { paramHeaders } from '../catalog/param-headers.js';
import type { SurveyedTool } from '../catalog/survey.js';
import { isAbortSignal } from '../config/checks.js';
import { DEFAULTS } from '../config/defaults.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import type { Connection } from '../connection/connection.js';
import { type ClosingSignal, createDeadline, type Deadline, type Listen } from '../core/deadline.js';
import {
  isMcpError,
  McpClosedError,
  McpConfigError,
  type McpError,
  type McpErrorDetails,
  withTool,
} from '../core/errors.js';
import { quietly } from '../core/quietly.js';
import type { Disclosure, ExecuteOptions, McpToolResult } from '../core/tools.js';
import { reportCall, startSpan } from '../telemetry/span.js';
import type { ArgumentRules, Arguments } from './arguments.js';
import type { Checks } from './checks.js';
import { detachArguments } from './detach.js';
import type { Govern } from './govern.js';
import { progressListener } from './progress.js';
import { adaptResult } from './results.js';
import { quarantinedTool, unknownTool } from './unavailable.js';
import { explainUnknownTool } from './withdrawn.js';

/** What the current catalogue says of a tool, at the moment of the call. */
export type Target =
  | {
      readonly state: 'active';
      readonly tool: SurveyedTool;
      readonly connection: Connection;
      readonly timeoutMs: number;
      /** How much of its schema the model is shown. */
      readonly disclosure: Disclosure;
      /** Lists the tool's server again. */
      relist(): Promise<void>;
      /** The same, unless it was done a moment ago. */
      confirm(): Promise<void>;
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
  /** Shares one listener on a caller's signal among its calls. */
  readonly listen: Listen;
  readonly govern: Govern;
  /** Loaded when something is called. */
  loadChecks(): Promise<Checks>;
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

async function passGate(call: GatedCall, deps: GateDeps, progress: { sent: boolean }): Promise<McpToolResult> {
  const { options, closing } = deps;
  const details = { server: call.server, tool: call.tool };
  if (closing.aborted)
    throw new McpClosedError(`The toolset was closed; make a new one to call \`${call.toolName}\`.`, details);
  const detached = detachArguments(call.args);
  const { checkArguments, checkOutput, cleanResult } = await deps.loadChecks();
  const { abortSignal: signal, idempotencyKey, toolCallId } = readOptions(call.options, details);
  const target = available(call, details);
  const args = checkArguments(detached, argumentRules(target, details, options), details);
  const ms = target.timeoutMs;
  const totalMs = options.maxTotalMs ?? ms * DEFAULTS.totalFactor;
  const deadline = createDeadline({
    ms,
    totalMs,
    signal,
    closing,
    listen: deps.listen,
  });
  try {
    if (deadline.reason !== undefined) throw deadline.error(details);
    const onSent = () => {
      progress.sent = true;
    };
    const raw = await send({ call, target, args, deadline, options, idempotencyKey, toolCallId, onSent });
    const result = cleanResult(adaptResult(raw, options.limits, details), target.tool, details);
    checkOutput(result, target.tool, details);
    return deps.govern(result, details);
  } catch (error) {
    const explained = await explainUnknownTool(error, { call, target, deadline });
    throw isMcpError(explained) ? withTool(explained, call.tool) : explained;
  } finally {
    deadline.dispose();
  }
}

/** Plain JavaScript may pass anything, and a call that cannot be cancelled must not go out unnoticed. */
function readOptions(given: ExecuteOptions, details: McpErrorDetails): ExecuteOptions {
  const read = quietly(() => {
    const { abortSignal, idempotencyKey, toolCallId } = given;
    return { abortSignal, idempotencyKey, toolCallId, cancels: abortSignal == null || isAbortSignal(abortSignal) };
  });
  if (read === undefined) throw new McpConfigError('The options of `execute` cannot be read.', details);
  if (!read.cancels) throw new McpConfigError('`abortSignal` must be an AbortSignal.', details);
  if (read.idempotencyKey != null && typeof read.idempotencyKey !== 'string')
    throw new McpConfigError('`idempotencyKey` must be a string.', details);
  const { abortSignal, idempotencyKey, toolCallId } = read;
  return {
    ...(abortSignal == null ? {} : { abortSignal }),
    ...(idempotencyKey == null ? {} : { idempotencyKey }),
    ...(toolCallId == null ? {} : { toolCallId }),
  };
}

type ActiveTarget = Extract<Target, { state: 'active' }>;

interface Sending {
  readonly call: GatedCall;
  readonly target: ActiveTarget;
  readonly args: Arguments;
  readonly deadline: Deadline;
  readonly options: ResolvedOptions;
  readonly idempotencyKey: string | undefined;
  readonly toolCallId: string | undefined;
  onSent(): void;
}

function argumentRules(
  { tool, disclosure }: ActiveTarget,
  { server, tool: name }: { readonly server: string; readonly tool: string },
  { report }: ResolvedOptions,
): ArgumentRules {
  return {
    tool,
    hidden: disclosure !== 'full',
    onCoerced(paths) {
      const message = `Arguments of \`${name}\` (server \`${server}\`) were strings where its schema wants something else, and were read as that.`;
      report({ code: 'arguments-coerced', level: 'info', message, server, tool: name, data: { paths } });
    },
  };
}

function send(sending: Sending): Promise<Record<string, unknown>> {
  const { call, target, args, deadline, options, idempotencyKey, toolCallId, onSent } = sending;
  const { server, tool } = call;
  return target.connection.call({
    tool,
    args,
    meta: idempotencyKey === undefined ? undefined : { idempotencyKey },
    deadline,
    onSent,
    // A promise is no answer.
    idempotent: quietly<unknown>(() => options.idempotent({ server, tool })) === true,
    headers() {
      // What the catalogue says now: it may have been read again since.
      const current = call.find();
      const { paramHeaders: marked } = current.state === 'active' ? current.tool : target.tool;
      return marked.length === 0 ? undefined : paramHeaders(marked, args);
    },
    relist: () => deadline.race(target.relist(), { server, tool }),
    onProgress: progressListener(options, { server, tool, toolCallId: toolCallId ?? '' }, deadline),
  });
}

function available(call: GatedCall, details: { server: string; tool: string }): ActiveTarget {
  const target = call.find();
  switch (target.state) {
    case 'active':
      return target;
    case 'quarantined':
      throw quarantinedTool(call.toolName, target.reason, details);
    case 'unknown':
      throw unknownTool(call.toolName, target.suggestion, details);
  }
}
