import type { Deadline } from '../core/deadline.js';
import { isMcpError, McpConnectError, type McpError } from '../core/errors.js';
import { INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION } from '../core/rpc-codes.js';
import { lateToken } from '../guard/credentials.js';
import type { ExchangeFacts } from '../guard/exchange.js';
import { connectFailure, rpcFailure } from './failure.js';
import type { LinkDeps } from './handshake.js';
import { guardFailure, type LinkParts } from './link.js';

/** Codes by which a server says that it knows neither the method nor the revision of a handshake. */
const NO_SHARED_REVISION: readonly number[] = [UNSUPPORTED_VERSION, METHOD_NOT_FOUND, INVALID_PARAMS];

export interface FailedHandshake {
  readonly deps: LinkDeps;
  readonly parts: LinkParts;
  readonly deadline: Deadline;
  readonly facts: ExchangeFacts;
}

/** Why a connect failed, by our own records before anything that was thrown. */
export function handshakeFailure(error: unknown, { deps, parts, deadline, facts }: FailedHandshake): McpError {
  const details = { server: deps.name };
  // Several questions, each in time, took too long together: the server was not asked.
  if (deadline.reason === 'timeout' && !facts.sent && deps.tokens?.ask && deps.tokens.made?.asking)
    return lateToken(deps.name, deadline.ms);
  if (deadline.reason !== undefined) return deadline.error(details);
  const thrown = isMcpError(error) && error.code !== 'closed' ? error : undefined;
  const failure = guardFailure(facts, parts) ?? thrown;
  if (failure !== undefined) return failure;
  if (parts.opened === undefined && deps.server.kind === 'custom') {
    const message = `\`connect\` of server \`${deps.name}\` failed before it returned a transport.`;
    return new McpConnectError('connect-failed', message, { ...details, cause: error });
  }
  const handshake = parts.exchanges.handshake();
  const answer = deps.server.protocol === 'modern' ? undefined : handshake?.rpcError;
  if (answer !== undefined && !NO_SHARED_REVISION.includes(answer.code)) return rpcFailure(answer, details);
  const refused = [facts.rpc?.code, handshake?.rpcError?.code].includes(UNSUPPORTED_VERSION);
  const notModern =
    deps.server.protocol === 'modern' && (facts.status ?? 500) < 500 && facts.status !== 401 && facts.status !== 403;
  // Once the older handshake was at its last step, the revision was agreed on.
  const unusable =
    refused || (parts.exchanges.initialized === undefined && (notModern || handshake?.answered === true));
  return connectFailure({ kind: 'lost', facts, unusable }, details);
}
