import {
  McpConnectError,
  type McpError,
  type McpErrorDetails,
  McpOutcomeUnknownError,
  McpProtocolError,
} from '../core/errors.js';
import { serverText } from '../core/text.js';
import type { ExchangeFacts } from '../guard/exchange.js';
import type { RpcError } from '../transports/exchanges.js';

/** How one request ended, by our own records alone. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: unknown }
  | {
      readonly kind: 'rpc-error';
      readonly error: RpcError;
      /** An older server gave it as an ordinary answer: what 2026-07-28 says of its code does not hold. */
      readonly asAnswer?: boolean;
    }
  /** No answer came. `failure` is ours: the guard's verdict, or the deadline's. */
  | {
      readonly kind: 'lost';
      readonly facts: ExchangeFacts;
      readonly failure?: McpError | undefined;
      /** Why what carried several requests ended, such as a stream or a process: it says nothing of this one. */
      readonly streamFailure?: McpError | undefined;
    };

export type Lost = Extract<Outcome, { kind: 'lost' }>;

/**
 * Network errors that a runtime gives before a connection stands, and only then: nothing can have left. An unreachable host
 * or network is none of them: a connection that stands can meet it too.
 */
const NEVER_LEFT: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
  'FailedToOpenSocket',
];

/** Whether the request surely never reached the server (C4). */
export function neverLeft({ facts }: Lost): boolean {
  if (facts.status !== undefined || facts.delivered) return false;
  if (!facts.sent) return true;
  // A host's own fetch may have tried, and failed, a second time.
  return !facts.foreignFetch && facts.networkCode !== undefined && NEVER_LEFT.includes(facts.networkCode);
}

/** A JSON-RPC error with our id, whatever the HTTP status (R1). */
export function rpcFailure(error: RpcError, details: McpErrorDetails): McpProtocolError {
  const text = typeof error.message === 'string' && error.message !== '' ? `: ${serverText(error.message)}` : '';
  const where = details.tool === undefined ? `\`${details.server}\`` : `\`${details.server}\` for \`${details.tool}\``;
  return new McpProtocolError(`Error ${error.code} from server ${where}${text}`, { ...details, rpcCode: error.code });
}

/** A tool call that got no answer (C5). Whether it ran is only claimed where that is known. */
export function callFailure(lost: Lost, details: McpErrorDetails): McpError {
  if (lost.failure !== undefined) return lost.failure;
  if (neverLeft(lost)) return requestFailure(lost, details);
  const { status } = lost.facts;
  if (status === 401 || status === 403) return unauthorized(status, details);
  return new McpOutcomeUnknownError(
    `\`${details.tool}\` was sent to \`${details.server}\` and may have run, but ${reasonOf(lost)}. It is not sent again; check its effect before you repeat it.`,
    { ...details, cause: causeOf(lost) },
  );
}

/** A request without effects that got no answer: a listing, a handshake. */
export function requestFailure(lost: Lost, details: McpErrorDetails): McpError {
  if (lost.failure !== undefined) return lost.failure;
  if (lost.streamFailure?.code === 'process-failed') return lost.streamFailure;
  const { status } = lost.facts;
  if (status === 401 || status === 403) return unauthorized(status, details);
  return new McpConnectError('connect-failed', `Server \`${details.server}\` could not be used: ${reasonOf(lost)}.`, {
    ...details,
    cause: causeOf(lost),
  });
}

/** A handshake that failed, for the reasons of {@link requestFailure} or because no protocol revision is shared. */
export function connectFailure(lost: Lost & { readonly unusable: boolean }, details: McpErrorDetails): McpError {
  if (lost.failure === undefined && lost.unusable) {
    return new McpConnectError(
      'protocol-unsupported',
      `Server \`${details.server}\` offers no protocol revision that this client may use; see its \`protocol\` option.`,
      { ...details, cause: causeOf(lost) },
    );
  }
  return requestFailure(lost, details);
}

function unauthorized(status: number, details: McpErrorDetails): McpConnectError {
  // 403 is also what a server answers that minds the host name, and says nothing of credentials.
  const refusal = status === 401 ? 'refused the credentials' : 'does not allow this request';
  return new McpConnectError(
    'unauthorized',
    `Server \`${details.server}\` ${refusal} (HTTP ${status}); check its \`headers\`, \`auth\` or \`oauth\`.`,
    { ...details, cause: { name: 'HttpError', status } },
  );
}

/** There is no authorization to finish. */
export function nothingPending(server: string): McpConnectError {
  const message = `\`finishAuth\`: no authorization of server \`${server}\` is pending; it was finished already, or none was begun.`;
  return new McpConnectError('unauthorized', message, { server });
}

function reasonOf({ facts, streamFailure }: Lost): string {
  if (streamFailure?.code === 'process-failed') return 'its process ended';
  if (streamFailure !== undefined) return 'the stream that it shared with other requests was ended';
  if (facts.status !== undefined && (facts.status < 200 || facts.status > 299))
    return `it answered HTTP ${facts.status}`;
  if (facts.status !== undefined) return 'its response held no usable answer';
  if (facts.networkCode !== undefined) return `the network failed (${facts.networkCode})`;
  return 'no response came, and nothing says why';
}

function causeOf({ facts: { status, networkCode }, streamFailure }: Lost): unknown {
  if (streamFailure !== undefined) return streamFailure;
  if (status !== undefined) return { name: 'HttpError', status };
  return networkCode === undefined ? undefined : { name: 'NetworkError', code: networkCode };
}
