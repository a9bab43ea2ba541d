import { createDeadline, type Deadline } from '../core/deadline.js';
import { McpConfigError, McpConnectError } from '../core/errors.js';
import { isHeaderValue } from '../core/headers.js';
import { isRecord } from '../core/json.js';
import { quietly } from '../core/quietly.js';
import { createSingleFlight } from '../core/single-flight.js';

/** Why a token is asked for: the first request of a connection, a later one, or one that was answered with 401 (G12). */
export type AuthReason = 'connect' | 'request' | 'unauthorized';

/** The bearer tokens of one server, for all its connections. What it rejects with is an `McpError`; nothing is sent then. */
export interface Credentials {
  /** Whether the host is being asked. */
  readonly asking: boolean;
  /** The token for a request that is about to leave; undefined while there is none. */
  token(reason: 'connect' | 'request', signal: AbortSignal): Promise<string | undefined>;
  /**
   * Another token than the one that was refused with 401 and this `WWW-Authenticate`; one question for all who were refused with
   * it. A token that has been replaced meanwhile is not asked for again (G11).
   */
  renew(refused: string | undefined, signal: AbortSignal, challenge?: string): Promise<string>;
  /** A token with more rights, after a 403 with this `WWW-Authenticate`; undefined where none can be asked for. */
  widen?(refused: string | undefined, signal: AbortSignal, challenge: string): Promise<string | undefined>;
  /** The headers of a request with a token that is bound to a key; undefined for one that whoever has it may use. */
  prove?(token: string, request: ProvenRequest): Promise<Readonly<Record<string, string>> | undefined>;
  /** Sees each response of the server; true where the request is to be proven anew, and sent again. */
  heard?(response: Response, request: ProvenRequest): boolean;
}

/** What a proof of possession is bound to. */
export interface ProvenRequest {
  readonly method: string;
  readonly url: URL;
}

export interface AuthOptions {
  /** The server's effective name, for messages. */
  readonly server: string;
  /** Asks the host. It may throw, hang, or answer anything. */
  ask(reason: AuthReason, signal: AbortSignal): unknown;
  /** Milliseconds that one question may take. */
  readonly ms: number;
}

/** Tokens of the option `auth`: asked for before each request, once more after a 401, one question at a time (G12). */
export function createCredentials(options: AuthOptions): Credentials {
  /** The newest token, and how often one was renewed. */
  let current: string | undefined;
  let renewals = 0;
  const asking = createSingleFlight(async (reason: AuthReason, signal) => {
    const before = renewals;
    const token = await askHost(options, reason, signal);
    // An answer that was overtaken by a renewal is older than what is known.
    if (renewals === before) current = token;
    return token;
  });
  const renewing = createSingleFlight(async (reason: AuthReason, signal) => {
    current = await askHost(options, reason, signal);
    renewals += 1;
    return current;
  });
  return {
    get asking() {
      return asking.busy || renewing.busy;
    },
    token: (reason, signal) => (renewing.busy ? renewing.run('unauthorized', signal) : asking.run(reason, signal)),
    async renew(refused, signal) {
      const replaced = current !== undefined && current !== refused && !renewing.busy;
      return replaced ? current! : renewing.run('unauthorized', signal);
    },
  };
}

async function askHost({ server, ask, ms }: AuthOptions, reason: AuthReason, signal: AbortSignal): Promise<string> {
  const deadline = createDeadline({ ms, signal });
  let answer: unknown;
  try {
    answer = await deadline.race((async () => ask(reason, deadline.signal))(), { server });
  } catch (cause) {
    throw noToken(server, deadline, cause);
  } finally {
    deadline.dispose();
  }
  const token = quietly(() => (isRecord(answer) ? answer.token : undefined));
  if (typeof token === 'string' && token !== '' && isHeaderValue(token)) return token;
  const message = `\`auth\` must give { token } with a text that an HTTP header can hold; for \`${server}\` it gave something else, and nothing was sent.`;
  throw new McpConfigError(message, { server });
}

function noToken(server: string, { reason, ms }: Deadline, cause: unknown): McpConnectError {
  if (reason === 'timeout') return lateToken(server, ms);
  // One level down: a status of whatever the host asked must not be taken for the server's.
  const details = { server, cause: { name: 'AuthError', cause } };
  return new McpConnectError('unauthorized', `\`auth\` for \`${server}\` failed; nothing was sent.`, details);
}

/** The error where the host was asked for a token and time ran out. */
export function lateToken(server: string, ms: number): McpConnectError {
  const message = `\`auth\` for \`${server}\` gave no answer within ${ms} ms, and nothing was sent; raise \`connectTimeoutMs\` if it needs longer.`;
  return new McpConnectError('unauthorized', message, { server, cause: { name: 'AuthError' } });
}
