import { escapeControls } from './text.js';
import type { ArgumentIssue, ContentBlock, JsonSchema } from './tools.js';

/** Every `code` an {@link McpError} can carry: switch on it, never on a message. */
export type McpErrorCode =
  | 'config'
  | 'connect-failed'
  | 'host-denied'
  | 'redirect-denied'
  | 'transport-missing'
  | 'process-failed'
  | 'unauthorized'
  | 'protocol-unsupported'
  | 'breaker-open'
  | 'protocol'
  | 'tool-error'
  | 'invalid-arguments'
  | 'unknown-tool'
  | 'quarantined'
  | 'withdrawn'
  | 'outcome-unknown'
  | 'limit'
  | 'timeout'
  | 'aborted'
  | 'closed';

/**
 * What is kept of a foreign error: enough to tell it apart, nothing that could hold a body, a header or a token (R7).
 */
export interface ErrorCause {
  readonly name: string;
  readonly code?: string | number;
  readonly status?: number;
  readonly cause?: ErrorCause | McpError;
}

export interface McpErrorDetails {
  readonly server?: string | undefined;
  readonly tool?: string | undefined;
  readonly cause?: unknown;
}

const BRAND = Symbol.for('mcp-toolset.error');

/** The base of everything this library throws. `cause` is a sanitised copy, or another `McpError` (R7). */
export abstract class McpError extends Error {
  abstract readonly code: McpErrorCode;
  /** The configured name of the server. */
  readonly server?: string;
  /** The tool's name as the server publishes it. */
  readonly tool?: string;

  constructor(message: string, details: McpErrorDetails = {}) {
    const cause = sanitiseCause(details.cause);
    // A tool's name is the server's text too, and may hold anything.
    super(escapeControls(message), cause === undefined ? undefined : { cause });
    if (details.server !== undefined) this.server = details.server;
    if (details.tool !== undefined) this.tool = details.tool;
    Object.defineProperty(this, 'name', { value: new.target.errorName, configurable: true });
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The class's public name; a minifier may rename the class itself. */
  static readonly errorName: string = 'McpError';
}

/** A wiring mistake, found before any I/O (W3). The message names the option and the remedy. */
export class McpConfigError extends McpError {
  static override readonly errorName = 'McpConfigError';
  readonly code = 'config' as const;
}

/** The server could not be reached or started, was refused by the guard, or refused us. */
export class McpConnectError extends McpError {
  static override readonly errorName = 'McpConnectError';
  readonly code:
    | 'connect-failed'
    | 'host-denied'
    | 'redirect-denied'
    | 'transport-missing'
    | 'process-failed'
    | 'unauthorized'
    | 'protocol-unsupported'
    | 'breaker-open';
  constructor(code: McpConnectError['code'], message: string, details?: McpErrorDetails) {
    super(message, details);
    this.code = code;
  }
}

/** The server answered with a JSON-RPC error, or with something that is not MCP (R1). */
export class McpProtocolError extends McpError {
  static override readonly errorName = 'McpProtocolError';
  readonly code = 'protocol' as const;
  /** The JSON-RPC error code, where the server sent one. */
  readonly rpcCode?: number;
  constructor(message: string, details: McpErrorDetails & { readonly rpcCode?: number | undefined } = {}) {
    super(message, details);
    if (details.rpcCode !== undefined) this.rpcCode = details.rpcCode;
  }
}

/** The tool ran and failed: a result with `isError: true`. The message is the server's own text (R1). */
export class McpToolExecutionError extends McpError {
  static override readonly errorName = 'McpToolExecutionError';
  readonly code = 'tool-error' as const;
  readonly result: { readonly content: readonly ContentBlock[]; readonly structuredContent?: unknown };
  constructor(message: string, details: McpErrorDetails & { readonly result: McpToolExecutionError['result'] }) {
    super(message, details);
    this.result = details.result;
  }
}

/** The arguments cannot be sent. Nothing was sent. */
export class McpInvalidArgumentsError extends McpError {
  static override readonly errorName = 'McpInvalidArgumentsError';
  readonly code = 'invalid-arguments' as const;
  readonly issues: readonly ArgumentIssue[];
  /** The tool's whole input schema, where the model was not shown it (D7); also in the message, unless it is long. */
  readonly schema?: JsonSchema;
  constructor(message: string, details: McpErrorDetails & Pick<McpInvalidArgumentsError, 'issues' | 'schema'>) {
    super(message, details);
    this.issues = details.issues;
    if (details.schema !== undefined) this.schema = details.schema;
  }
}

/** The tool is not in the current catalogue, or is quarantined. Nothing was sent. */
export class McpToolUnavailableError extends McpError {
  static override readonly errorName: string = 'McpToolUnavailableError';
  readonly code: 'unknown-tool' | 'quarantined' | 'withdrawn';
  constructor(code: McpToolUnavailableError['code'], message: string, details?: McpErrorDetails) {
    super(message, details);
    this.code = code;
  }
}

/** The server no longer has the tool: it said so, and its fresh list agrees (S8). */
export class McpToolWithdrawnError extends McpToolUnavailableError {
  static override readonly errorName = 'McpToolWithdrawnError';
  constructor(message: string, details?: McpErrorDetails) {
    super('withdrawn', message, details);
  }
}

/** The call may have been delivered and no usable answer came back. It is never sent again by itself (C5). */
export class McpOutcomeUnknownError extends McpError {
  static override readonly errorName = 'McpOutcomeUnknownError';
  readonly code = 'outcome-unknown' as const;
}

/** A bound of `McpOptions.limits` was passed. */
export class McpLimitError extends McpError {
  static override readonly errorName = 'McpLimitError';
  readonly code = 'limit' as const;
  /** The option's name, as in `McpOptions.limits`. */
  readonly limit: string;
  readonly max: number;
  constructor(message: string, details: McpErrorDetails & { readonly limit: string; readonly max: number }) {
    super(message, details);
    this.limit = details.limit;
    this.max = details.max;
  }
}

/** `timeoutMs`, `maxTotalMs` or `connectTimeoutMs` passed. Never an abort by the caller (C2). */
export class McpTimeoutError extends McpError {
  static override readonly errorName = 'McpTimeoutError';
  readonly code = 'timeout' as const;
}

/** The caller's signal was aborted. `reason` is the signal's reason, as it was given (C2). */
export class McpAbortError extends McpError {
  static override readonly errorName = 'McpAbortError';
  readonly code = 'aborted' as const;
  readonly reason: unknown;
  constructor(message: string, details: McpErrorDetails & { readonly reason: unknown }) {
    super(message, details);
    this.reason = details.reason;
  }
}

/** The toolset was closed (W4). */
export class McpClosedError extends McpError {
  static override readonly errorName = 'McpClosedError';
  readonly code = 'closed' as const;
}

/** Every class that this library throws, so that a `code` tells which fields there are. */
export type AnyMcpError =
  | McpConfigError
  | McpConnectError
  | McpProtocolError
  | McpToolExecutionError
  | McpInvalidArgumentsError
  | McpToolUnavailableError
  | McpOutcomeUnknownError
  | McpLimitError
  | McpTimeoutError
  | McpAbortError
  | McpClosedError;

/** The same error, said of one tool: what one connect failed with is told to every call that waited for it. */
export function withTool(error: McpError, tool: string): McpError {
  if (error.tool !== undefined) return error;
  const { stack: _own, ...members } = Object.getOwnPropertyDescriptors(error);
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error));
  return Object.defineProperties(copy, { ...members, tool: { value: tool, enumerable: true } });
}

/** Whether `value` is an error of this library, also one made by another copy of it in the process. */
export function isMcpError(value: unknown): value is AnyMcpError {
  try {
    return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true;
  } catch {
    // A revoked proxy, or a getter that throws.
    return false;
  }
}

const PLAIN_NAME = /^[A-Za-z_$][\w$]{0,63}$/;
const PLAIN_CODE = /^[\w-]{1,64}$/;

/** A copy of a foreign error that holds class name, code and status, three causes deep, and nothing else (R7). */
function sanitiseCause(error: unknown, depth = 0): ErrorCause | McpError | undefined {
  if (error === undefined || error === null) return undefined;
  if (isMcpError(error)) return error;
  if (typeof error !== 'object') return { name: typeof error };
  const { name, code, status, cause } = readOwn(error);
  const inner = depth < 3 ? sanitiseCause(cause, depth + 1) : undefined;
  return {
    name: typeof name === 'string' && PLAIN_NAME.test(name) ? name : 'Error',
    ...(typeof code === 'number' || (typeof code === 'string' && PLAIN_CODE.test(code)) ? { code } : {}),
    ...(typeof status === 'number' ? { status } : {}),
    ...(inner === undefined ? {} : { cause: inner }),
  };
}

/** Reads four fields of a hostile object: a getter may throw. */
function readOwn(error: object): { name?: unknown; code?: unknown; status?: unknown; cause?: unknown } {
  try {
    const { name, code, status, cause } = error as Record<string, unknown>;
    return { name, code, status, cause };
  } catch {
    return {};
  }
}
