import type { Client, PriorDiscovery, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { MAX_TIMEOUT_MS } from '../config/defaults.js';
import { type Deadline, settleWithin } from '../core/deadline.js';
import { isMcpError, type McpError } from '../core/errors.js';
import type { Era } from '../core/status.js';
import { EXCHANGE_HEADER, type ExchangeFacts } from '../guard/exchange.js';
import type { Exchanges, Pending, ProgressParams } from '../transports/exchanges.js';
import type { OpenTransport, TransportKind } from '../transports/open.js';
import type { Outcome } from './failure.js';
import { declaresChanges } from './notices.js';

/** One live connection to a server, over whichever transport and protocol era it turned out to speak. */
export interface Link {
  readonly kind: TransportKind;
  readonly era: Era;
  readonly protocolVersion: string | undefined;
  /** Whether arguments marked `x-mcp-header` travel as headers too: 2026-07-28 over HTTP (L6). */
  readonly mirrorsParams: boolean;
  /** What lets the next connect skip the question which era this is (W7). */
  readonly prior: PriorDiscovery;
  /** The transport has ended; nothing can be sent over it any more. */
  readonly closed: boolean;
  /** Never rejects: what happened is in the outcome. */
  request(method: string, params: Record<string, unknown>, options: RequestOptions): Promise<Outcome>;
  /** Whether the server says that it announces changes of its tools (L7). */
  readonly announces: boolean;
  /** Aborted when the transport has ended. */
  readonly ended: AbortSignal;
  /** It ended, and not by us. */
  readonly died: boolean;
  /** Sends nothing more and closes once what is under way has ended: for a session that the server has forgotten. */
  retire(): void;
  /** Ends the server's session and every stream. Bounded, never rejects. */
  close(): Promise<void>;
}

export interface RequestOptions {
  readonly deadline: Deadline;
  /** The server's effective name, for the deadline's error. */
  readonly server: string;
  readonly tool?: string | undefined;
  /** `Mcp-Param-*` headers (L6). */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Asks the server for progress. Called with what it sends, unchecked. */
  readonly onProgress?: ((params: ProgressParams) => void) | undefined;
}

/** The parts of a connection, from the first step of a connect to its end. */
export interface LinkParts {
  readonly kind: TransportKind;
  readonly exchanges: Exchanges;
  opened: OpenTransport | undefined;
  client: Client | undefined;
  /** The transport has ended, by whichever side. */
  closed: boolean;
  /** Aborted then. */
  readonly ended: AbortController;
  /** It has ended by itself. */
  died: boolean;
  /** How many requests were under way then. */
  lostTogether: number;
  /** See {@link Link.retire}; set once the link stands. */
  retire?: () => void;
}

/** How long the server may take to end its session, and the transport to close, where it does not say itself. */
const CLOSE_MS = 2_000;

/** Accepts anything: results are read raw, below the SDK's parser (R2). */
const ANY: StandardSchemaV1<unknown, Record<string, unknown>> = {
  '~standard': {
    version: 1,
    vendor: 'mcp-toolset',
    validate: (value) => ({ value: value as Record<string, unknown> }),
  },
};

export function createLink(parts: LinkParts, client: Client): Link {
  const discover = client.getDiscoverResult();
  const era = client.getProtocolEra() ?? 'legacy';
  let active = 0;
  let retired = false;
  const endIfIdle = () => {
    if (retired && active === 0) void endParts(parts);
  };
  const retire = () => {
    retired = true;
    endIfIdle();
  };
  parts.retire = retire;
  return {
    kind: parts.kind,
    era,
    announces: declaresChanges(client),
    ended: parts.ended.signal,
    get died() {
      // Who finds that it has ended, and lets go of it, may be first.
      return parts.died || parts.opened?.failure() !== undefined;
    },
    retire,
    protocolVersion: client.getNegotiatedProtocolVersion(),
    mirrorsParams: era === 'modern' && parts.opened?.transport.hasPerRequestStream === true,
    prior: era === 'modern' && discover !== undefined ? { kind: 'modern', discover } : { kind: 'legacy' },
    get closed() {
      return parts.closed || retired;
    },
    async request(method, params, options) {
      active += 1;
      try {
        return await sendRequest(parts, client, { method, params }, options);
      } finally {
        active -= 1;
        endIfIdle();
      }
    },
    close: () => endParts(parts),
  };
}

/** Ends whatever of a connection exists so far, a session that the handshake began included. Never rejects. */
export async function endParts(parts: LinkParts): Promise<void> {
  markEnded(parts);
  parts.exchanges.abortAll();
  const { client, opened } = parts;
  await settle(() => opened?.endSession?.());
  const close = () => (client?.transport === undefined ? opened?.transport.close() : client.close());
  await settle(close, opened?.closeMs);
  opened?.abort();
}

/** The transport has ended by itself: what is still under way over it can bring nothing more. */
export function endLost(parts: LinkParts): void {
  if (parts.closed) return;
  parts.died = true;
  markEnded(parts);
  parts.lostTogether = parts.exchanges.underWay;
  // First those of requests: they are lost, and not closed by us.
  parts.exchanges.abortAll();
  parts.opened?.abort();
}

function markEnded(parts: LinkParts): void {
  parts.closed = true;
  parts.ended.abort();
}

/** A host's own transport may throw at once, or return nothing to wait for. */
function settle(work: () => unknown, ms = CLOSE_MS): Promise<void> {
  return settleWithin(
    (async () => {
      await work();
    })(),
    ms,
  );
}

async function sendRequest(
  parts: LinkParts,
  client: Client,
  request: { method: string; params: Record<string, unknown> },
  { deadline, headers, server, tool, onProgress }: RequestOptions,
): Promise<Outcome> {
  const pending = parts.exchanges.open();
  pending.onProgress = onProgress;
  try {
    await client.request(onProgress === undefined ? request : withProgressToken(request, pending.key), ANY, {
      signal: deadline.signal,
      // The deadline is ours alone; the SDK's own timer must never be first.
      timeout: MAX_TIMEOUT_MS,
      headers: { ...headers, [EXCHANGE_HEADER]: pending.key },
    });
  } catch (error) {
    // An error of our own comes back as it was thrown. Any other is judged below by what we recorded, never by itself.
    if (isMcpError(error)) pending.facts.failure ??= error;
  } finally {
    parts.exchanges.release(pending);
  }
  return outcomeOf(pending, parts, deadline, { server, tool });
}

function withProgressToken<R extends { params: Record<string, unknown> }>(request: R, progressToken: string): R {
  const { _meta } = request.params as { _meta?: object };
  return { ...request, params: { ...request.params, _meta: { ..._meta, progressToken } } };
}

function outcomeOf(
  pending: Pending,
  parts: LinkParts,
  deadline: Deadline,
  details: { server: string; tool?: string | undefined },
): Outcome {
  if (pending.rpcError !== undefined) {
    const asAnswer = parts.client?.getProtocolEra() !== 'modern' && pending.facts.status !== 400;
    return { kind: 'rpc-error', error: pending.rpcError, ...(asAnswer ? { asAnswer } : {}) };
  }
  if (pending.answered) return { kind: 'result', result: pending.result };
  const { facts } = pending;
  const ended = deadline.reason === undefined ? undefined : deadline.error(details);
  const failure = ended ?? guardFailure(facts, parts);
  const shared = facts.failure === undefined && failure !== undefined && saysNothingOfOne(failure, parts);
  return { kind: 'lost', facts, ...(shared ? { streamFailure: failure } : { failure }) };
}

/**
 * What was too large on a stream may have been the answer to any of the requests on it, and a process that died may have run
 * any of them before.
 */
function saysNothingOfOne({ code }: McpError, { lostTogether }: LinkParts): boolean {
  return code === 'process-failed' || (code === 'limit' && lostTogether > 1);
}

/**
 * Why the guard ended a request, or the transport that it was on. That we let go of a connection says nothing of the request:
 * where the toolset was closed, the deadline says so.
 */
export function guardFailure(facts: ExchangeFacts, { opened }: LinkParts): McpError | undefined {
  return [facts.failure, opened?.failure()].find((failure) => failure !== undefined && failure.code !== 'closed');
}
