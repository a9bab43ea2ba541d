import type { Transport } from '@modelcontextprotocol/client';
import type {
  ResolvedCustomServer,
  ResolvedHttpServer,
  ResolvedStdioServer,
  WiredServer,
} from '../config/resolve-servers.js';
import { LEAST_WAIT_MS, LONGEST_WAIT_MS, WAIT_GROWTH } from '../core/backoff.js';
import type { Report } from '../core/diagnostics.js';
import { McpConfigError, McpConnectError, type McpError } from '../core/errors.js';
import type { Session } from '../core/servers.js';
import type { TransportFactory } from '../core/transport.js';
import type { Credentials } from '../guard/credentials.js';
import type { ExchangeFacts } from '../guard/exchange.js';
import { createGuardedFetch, type GuardedFetchOptions } from '../guard/fetch.js';
import type { Exchanges } from './exchanges.js';
import { createReconnection } from './reconnection.js';
import { registeredTransport } from './registry.js';
import { loadSdk } from './sdk.js';

export type TransportKind = WiredServer['kind'];

/** What a transport needs besides its server's own configuration. */
export interface TransportDeps {
  /** The server's effective name. */
  readonly server: string;
  readonly exchanges: Exchanges;
  readonly fetch: typeof globalThis.fetch;
  readonly foreignFetch: boolean;
  readonly limits: { readonly responseBytes: number; readonly redirects: number };
  readonly session: Session | undefined;
  readonly credentials: Credentials | undefined;
  /** Those that the host gave; they come before the registered ones (T1). */
  readonly transports: readonly TransportFactory[];
  readonly report: Report;
  /** Aborted when the connect is given up. */
  readonly signal: AbortSignal;
  /** Where change notices are wanted (L7). */
  readonly notices: GuardedFetchOptions['notices'] | undefined;
}

/** A transport and what ends everything below it. */
export interface OpenTransport {
  readonly transport: Transport;
  /** Whether the exchange header reaches our guarded fetch, which alone takes it off again. */
  readonly keyed: boolean;
  /** Whether the guard knows which request an HTTP request carries, by that header or otherwise. */
  readonly tied: boolean;
  /** What is known of requests that carry no exchange of their own. */
  readonly facts: ExchangeFacts;
  /** Why the guard ended the transport as a whole, where it did. */
  failure(): McpError | undefined;
  /** Ends the server's session (DELETE), where there is one. */
  endSession?(): Promise<void>;
  /** Aborts every request that is still open. */
  abort(): void;
  /** Milliseconds that its `close()` may need; absent for as long as any other. */
  readonly closeMs?: number;
}

export function openTransport(server: WiredServer, kind: TransportKind, deps: TransportDeps): Promise<OpenTransport> {
  if (server.kind === 'custom') return openCustom(server, deps);
  if (server.kind === 'stdio') return openProcess(server, deps);
  return kind === 'sse' ? openSse(server, deps) : openHttp(server, deps);
}

/** A stream that cannot be taken up is tried again twice; the guard opens the one for notices for as long as it takes (L7). */
const RECONNECTION = {
  initialReconnectionDelay: LEAST_WAIT_MS,
  reconnectionDelayGrowFactor: WAIT_GROWTH,
  maxReconnectionDelay: LONGEST_WAIT_MS,
  maxRetries: 2,
};

/** Streamable HTTP, every request of it through the guard. */
async function openHttp(config: ResolvedHttpServer, deps: TransportDeps): Promise<OpenTransport> {
  const { StreamableHTTPClientTransport } = await loadSdk();
  const guard = guardedFetch(config, deps, 'http');
  const reconnection = createReconnection();
  // The guard follows redirects itself; the SDK is told to leave them alone.
  const transport = new StreamableHTTPClientTransport(config.url, {
    fetch: guard.fetch,
    redirectPolicy: 'follow',
    reconnectionOptions: RECONNECTION,
    reconnectionScheduler: reconnection.schedule,
  });
  return {
    transport,
    keyed: true,
    tied: true,
    facts: guard.facts,
    failure: () => guard.facts.failure,
    endSession: () => transport.terminateSession(),
    abort() {
      reconnection.close();
      guard.close();
    },
  };
}

/** HTTP+SSE, the transport of servers from before 2025-03-26. A stream that ends closes the connection. */
async function openSse(config: ResolvedHttpServer, deps: TransportDeps): Promise<OpenTransport> {
  const { SSEClientTransport } = await loadSdk();
  const guard = guardedFetch(config, deps, 'sse', () => void transport.close().catch(() => {}));
  const transport = new SSEClientTransport(config.url, { fetch: guard.fetch, redirectPolicy: 'follow' });
  return {
    transport,
    keyed: false,
    tied: true,
    facts: guard.facts,
    failure: () => guard.facts.failure,
    abort: guard.close,
  };
}

function guardedFetch(config: ResolvedHttpServer, deps: TransportDeps, kind: 'http' | 'sse', onStreamEnd?: () => void) {
  return createGuardedFetch({
    server: deps.server,
    url: config.url,
    headers: config.headers,
    fetch: deps.fetch,
    foreignFetch: deps.foreignFetch,
    redirect: config.redirect,
    limits: deps.limits,
    allowed: config.allowedHosts,
    credentials: deps.credentials,
    kind,
    exchange: deps.exchanges.byKey,
    exchangeOf: deps.exchanges.byId,
    exchangeOfStream: deps.exchanges.byToken,
    ...(deps.notices === undefined ? {} : { notices: deps.notices }),
    ...(onStreamEnd === undefined ? {} : { onStreamEnd }),
  });
}

/** The host's own transport: nothing below it is ours to guard. */
async function openCustom(config: ResolvedCustomServer, deps: TransportDeps): Promise<OpenTransport> {
  const { session, signal } = deps;
  const transport = await config.connect({ signal, ...(session === undefined ? {} : { session }) });
  const { start, send, close } = transport ?? {};
  if (![start, send, close].every((method) => typeof method === 'function')) {
    throw new McpConfigError(`\`connect\` of server \`${deps.server}\` returned no MCP transport.`, {
      server: deps.server,
    });
  }
  const facts: ExchangeFacts = { sent: false, carriedSession: false };
  return { transport, keyed: false, tied: false, facts, failure: () => undefined, abort() {} };
}

/** How long a process and all below it may take to end: two times to do so by themselves, and once when they must (T4). */
const PROCESS_CLOSE_MS = 5_500;

/** A child process, by whoever can start one here (T1). */
async function openProcess({ launch }: ResolvedStdioServer, deps: TransportDeps): Promise<OpenTransport> {
  const { server, limits, signal, report } = deps;
  const factory = deps.transports.find(({ type }) => type === 'stdio') ?? registeredTransport('stdio');
  if (factory === undefined) {
    throw new McpConnectError(
      'transport-missing',
      `Server \`${server}\` is a process (stdio), and nothing here can start one: import \`mcp-toolset/node\` on Node, Bun or Deno. Workers and browsers have no processes; reach the server over HTTP there.`,
      { server },
    );
  }
  const transport = factory.open(launch, { server, limits, signal, report });
  const facts: ExchangeFacts = { sent: false, carriedSession: false };
  return {
    transport: transport as Transport,
    keyed: false,
    tied: false,
    facts,
    failure: () => transport.failure(),
    abort() {},
    closeMs: PROCESS_CLOSE_MS,
  };
}
