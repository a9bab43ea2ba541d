import type { Client, PriorDiscovery } from '@modelcontextprotocol/client';
import type { ResolvedOptions } from '../config/resolve-options.js';
import type { WiredServer } from '../config/resolve-servers.js';
import type { ClosingSignal, Deadline } from '../core/deadline.js';
import { isMcpError, McpConnectError, type McpError } from '../core/errors.js';
import {
  HEADER_MISMATCH,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
} from '../core/rpc-codes.js';
import type { ProtocolChoice } from '../core/servers.js';
import { lateToken } from '../guard/credentials.js';
import type { ExchangeFacts } from '../guard/exchange.js';
import type { NoticeStream } from '../guard/streams.js';
import { createExchanges } from '../transports/exchanges.js';
import { openTransport, type TransportKind } from '../transports/open.js';
import { loadSdk } from '../transports/sdk.js';
import { wrapTransport } from '../transports/wire.js';
import type { TokenSource } from './credentials.js';
import { connectFailure, rpcFailure } from './failure.js';
import { createLink, endLost, endParts, guardFailure, type Link, type LinkParts } from './link.js';
import { createNotices, declaresChanges, keepListening } from './notices.js';
import { credentialsOf } from './tokens.js';

export interface LinkDeps {
  readonly server: WiredServer;
  /** The server's effective name. */
  readonly name: string;
  readonly options: ResolvedOptions;
  /** Absent: no token is sent. */
  readonly tokens?: TokenSource | undefined;
  /** Aborted when the toolset closes. */
  readonly closing: ClosingSignal;
  /** The server says that its tools have changed (L7). */
  onToolsChanged(): void;
}

/** What an earlier connect to this server learned. */
export interface Known {
  /** A server that once answered over SSE is not tried over HTTP again, nor the other way round (W8). */
  readonly kind: TransportKind;
  readonly prior: PriorDiscovery | undefined;
}

type Attempt = { readonly link: Link } | { readonly error: McpError; readonly facts: ExchangeFacts };

/** The newest revision; `protocol: 'modern'` speaks nothing older. */
const MODERN_REVISION = '2026-07-28';
/** Error codes that only a 2026-07-28 server sends. */
const MODERN_CODES: readonly number[] = [HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION];
/** Statuses with which a server that only speaks HTTP+SSE answers a POST (W8). */
const SSE_ONLY: readonly number[] = [400, 404, 405];
/** Codes by which a server says that it knows neither the method nor the revision of a handshake. */
const NO_SHARED_REVISION: readonly number[] = [UNSUPPORTED_VERSION, METHOD_NOT_FOUND, INVALID_PARAMS];

/** Connects to a server. Rejects with an `McpError` and then leaves nothing open. */
export async function openLink(deps: LinkDeps, known: Known | undefined, deadline: Deadline): Promise<Link> {
  const { server } = deps;
  const first = await attemptLink(deps, known?.kind ?? server.kind, known?.prior, deadline);
  if ('link' in first) return first.link;
  if (
    server.kind !== 'http' ||
    !server.fallbackToSse ||
    known !== undefined ||
    !mayBeSseOnly(server.protocol, first.facts)
  ) {
    throw first.error;
  }
  const second = await attemptLink(deps, 'sse', undefined, deadline);
  if ('link' in second) return second.link;
  // Where the second try says more than that there is nothing, it is the better report.
  throw second.error.code === 'connect-failed' ? first.error : second.error;
}

function mayBeSseOnly(protocol: ProtocolChoice, { status, rpc }: ExchangeFacts): boolean {
  if (protocol === 'modern' || status === undefined || !SSE_ONLY.includes(status)) return false;
  return rpc?.code === undefined || !MODERN_CODES.includes(rpc.code);
}

async function attemptLink(
  deps: LinkDeps,
  kind: TransportKind,
  prior: PriorDiscovery | undefined,
  deadline: Deadline,
): Promise<Attempt> {
  const parts = createParts(kind);
  const lost = createLoss();
  const connecting = connect(deps, parts, { prior, deadline, onHandshakeLost: lost.raise });
  // A connect that was given up may still open something; it is closed when it does.
  connecting.then(
    () => (deadline.reason === undefined ? undefined : endParts(parts)),
    () => {},
  );
  try {
    const client = await deadline.race(Promise.race([connecting, lost.promise]), { server: deps.name });
    return { link: createLink(parts, client) };
  } catch (error) {
    const last = parts.exchanges.initialized ?? parts.exchanges.handshake();
    const facts = last?.facts ?? parts.opened?.facts ?? { sent: false, carriedSession: false };
    const failed = failureOf(error, { deps, parts, deadline, facts });
    await endParts(parts);
    return { error: failed, facts };
  }
}

function createParts(kind: TransportKind): LinkParts {
  const ended = new AbortController();
  return {
    kind,
    exchanges: createExchanges(),
    opened: undefined,
    client: undefined,
    closed: false,
    ended,
    lostTogether: 0,
  };
}

interface ConnectStep {
  readonly prior: PriorDiscovery | undefined;
  readonly deadline: Deadline;
  onHandshakeLost(): void;
}

async function connect(deps: LinkDeps, parts: LinkParts, step: ConnectStep): Promise<Client> {
  const { options, name, server } = deps;
  const [{ Client }, credentials] = await Promise.all([loadSdk(), credentialsOf(deps)]);
  if (step.deadline.reason !== undefined) throw step.deadline.error({ server: name });
  const notices = options.onToolsChanged === undefined ? undefined : watchNotices(deps, parts);
  const opened = await openTransport(server, parts.kind, {
    server: name,
    exchanges: parts.exchanges,
    fetch: options.fetch,
    foreignFetch: options.foreignFetch,
    limits: options.limits,
    session: options.session,
    credentials,
    signal: step.deadline.signal,
    notices: legacyNotices(notices, parts),
  });
  parts.opened = opened;
  const client = new Client(options.clientInfo, {
    capabilities: {},
    versionNegotiation: { mode: negotiationMode(parts.kind === 'sse' ? 'legacy' : server.protocol) },
    inputRequired: { autoFulfill: false },
  });
  client.onclose = () => endLost(parts);
  if (step.deadline.reason !== undefined) {
    await opened.transport.close();
    throw step.deadline.error({ server: name });
  }
  parts.client = client;
  const wire = wrapTransport(opened.transport, {
    exchanges: parts.exchanges,
    keyed: opened.keyed,
    tied: opened.tied,
    onHandshakeLost: step.onHandshakeLost,
    onToolsChanged: deps.onToolsChanged,
  });
  await client.connect(wire, { timeout: step.deadline.ms, ...(step.prior === undefined ? {} : { prior: step.prior }) });
  if (notices !== undefined && client.getProtocolEra() === 'modern' && declaresChanges(client)) {
    void keepListening(client, notices);
  }
  return client;
}

function watchNotices({ name, options, onToolsChanged }: LinkDeps, parts: LinkParts): NoticeStream {
  const onSessionLost = () => parts.retire?.();
  const { signal: ended } = parts.ended;
  return createNotices({ server: name, ended, report: options.report, onToolsChanged, onSessionLost });
}

/** The SDK opens an older server's stream by itself, in the handshake: it may where the server declares changes (L7). */
function legacyNotices(notices: NoticeStream | undefined, parts: LinkParts): NoticeStream | undefined {
  return notices && { ...notices, mayOpen: async () => declaresChanges(parts.client) && notices.mayOpen() };
}

function negotiationMode(protocol: ProtocolChoice): 'auto' | 'legacy' | { pin: string } {
  return protocol === 'modern' ? { pin: MODERN_REVISION } : protocol;
}

interface Failed {
  readonly deps: LinkDeps;
  readonly parts: LinkParts;
  readonly deadline: Deadline;
  readonly facts: ExchangeFacts;
}

function failureOf(error: unknown, { deps, parts, deadline, facts }: Failed): McpError {
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

/** A promise that only ever rejects, and whose rejection is taken where nobody waits. */
function createLoss(): { readonly promise: Promise<never>; raise(): void } {
  let raise: () => void = () => {};
  const promise = new Promise<never>((_, reject) => {
    raise = () => reject(new Error('The handshake ended without an answer'));
  });
  promise.catch(() => {});
  return { promise, raise: () => raise() };
}
