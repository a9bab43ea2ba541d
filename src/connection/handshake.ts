import type { Client, PriorDiscovery, VersionNegotiationOptions } from '@modelcontextprotocol/client';
import type { ResolvedOptions } from '../config/resolve-options.js';
import type { WiredServer } from '../config/resolve-servers.js';
import type { ClosingSignal, Deadline } from '../core/deadline.js';
import type { McpError } from '../core/errors.js';
import { HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from '../core/rpc-codes.js';
import type { ProtocolChoice } from '../core/servers.js';
import type { ExchangeFacts } from '../guard/exchange.js';
import type { NoticeStream } from '../guard/streams.js';
import { createExchanges } from '../transports/exchanges.js';
import { openTransport, type TransportKind } from '../transports/open.js';
import { loadSdk } from '../transports/sdk.js';
import { PROBE, wrapTransport } from '../transports/wire.js';
import type { TokenSource } from './credentials.js';
import { handshakeFailure } from './handshake-failure.js';
import { createLink, endLost, endParts, type Link, type LinkParts } from './link.js';
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

interface Failure {
  readonly error: McpError;
  readonly facts: ExchangeFacts;
  /** The last request was the question for the era. */
  readonly probed: boolean;
}

type Attempt = { readonly link: Link } | Failure;

/** The newest revision; `protocol: 'modern'` speaks nothing older. */
const MODERN_REVISION = '2026-07-28';
/** Error codes that only a 2026-07-28 server sends. */
const MODERN_CODES: readonly number[] = [HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION];
/** Statuses with which a server that only speaks HTTP+SSE answers a POST (W8). */
const SSE_ONLY: readonly number[] = [400, 404, 405];
/** Connects to a server. Rejects with an `McpError` and then leaves nothing open. */
export async function openLink(deps: LinkDeps, known: Known | undefined, deadline: Deadline): Promise<Link> {
  const { server } = deps;
  const first = await attemptLink(deps, known?.kind ?? server.kind, known?.prior, deadline);
  if ('link' in first) return first.link;
  if (diedOfProbe(server, known, first)) {
    const again = await attemptLink(deps, 'stdio', { kind: 'legacy' }, deadline);
    if ('link' in again) return again.link;
    throw again.error;
  }
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

/** Some older servers end at any request before `initialize`. */
function diedOfProbe({ kind, protocol }: WiredServer, known: Known | undefined, { error, probed }: Failure): boolean {
  return (
    kind === 'stdio' && protocol === 'auto' && known?.prior === undefined && error.code === 'process-failed' && probed
  );
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
    const failed = handshakeFailure(error, { deps, parts, deadline, facts });
    await endParts(parts);
    return { error: failed, facts, probed: parts.exchanges.handshake()?.method === PROBE };
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
    died: false,
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
    transports: options.transports,
    report: options.report,
    signal: step.deadline.signal,
    notices: legacyNotices(notices, parts),
  });
  parts.opened = opened;
  const client = new Client(options.clientInfo, {
    capabilities: {},
    versionNegotiation: negotiationOf(parts.kind, server.protocol, step.deadline),
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
    isProcess: parts.kind === 'stdio',
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

/** A process that says nothing to a question of the newer era is an older server; over HTTP that is an outage (W7). */
function negotiationOf(kind: TransportKind, protocol: ProtocolChoice, { ms }: Deadline): VersionNegotiationOptions {
  if (kind === 'sse' || protocol === 'legacy') return { mode: 'legacy' };
  if (protocol === 'modern') return { mode: { pin: MODERN_REVISION } };
  return { mode: 'auto', ...(kind === 'stdio' ? { probe: { timeoutMs: ms / 2 } } : {}) };
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
