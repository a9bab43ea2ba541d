import { type ClosingSignal, createDeadline, type Deadline, settleWithin } from '../core/deadline.js';
import { isMcpError, McpClosedError, type McpError, McpProtocolError } from '../core/errors.js';
import { type Shared, share } from '../core/shared.js';
import type { Era, ServerState } from '../core/status.js';
import { inSpan } from '../telemetry/span.js';
import { readCall, readPage } from './answers.js';
import type { Known, LinkDeps } from './handshake.js';
import type { Link } from './link.js';
import { type Listing, type ListingSource, readListing } from './listing.js';

/** One server: connected when first needed, connected again when the connection was lost, and closed once. */
export interface Connection {
  readonly state: ServerState;
  readonly era: Era | undefined;
  readonly protocolVersion: string | undefined;
  /** See {@link Link.mirrorsParams}. */
  readonly mirrorsParams: boolean;
  /** Why the last connect or listing failed. */
  readonly error: McpError | undefined;
  /** The whole catalogue; `admit` judges each entry. Connects first where needed. */
  list<A>(admit: ListingSource<A>['admit'], deadline: Deadline): Promise<Listing<A>>;
  /** Sends one call and resolves to the raw result. Rejects with an `McpError`. */
  call(request: CallRequest): Promise<Record<string, unknown>>;
  /** Idempotent, bounded, never rejects. */
  close(): Promise<void>;
}

export interface CallRequest {
  /** The raw name (N6). */
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly deadline: Deadline;
}

/** How long a close waits for a connect under way to end: one of another Workers request never does. */
const CONNECT_END_MS = 2_500;

export interface ConnectionDeps extends LinkDeps {
  /** Aborted when the toolset closes. */
  readonly closing: ClosingSignal;
}

export function createConnection(deps: ConnectionDeps): Connection {
  const { options, name, closing } = deps;
  let link: Link | undefined;
  let attempt: Shared<Link> | undefined;
  let known: Known | undefined;
  let error: McpError | undefined;
  let closed: Promise<void> | undefined;

  /** One connect at a time, whoever asks (its own deadline is `connectTimeoutMs`; the wiring's signal ends it too). */
  async function connect(signal: AbortSignal | undefined): Promise<Link> {
    const deadline = createDeadline({ ms: options.connectTimeoutMs, signal, closing, option: 'connectTimeoutMs' });
    try {
      return await inSpan(options.telemetry, 'connect', { server: name }, async (span) => {
        // Transports and guard are needed from the first connect on, and not loaded before.
        const { openLink } = await import('./handshake.js');
        const made = await openLink(deps, known, deadline);
        span.set({
          era: made.era,
          ...(made.protocolVersion === undefined ? {} : { protocolVersion: made.protocolVersion }),
        });
        return made;
      });
    } finally {
      deadline.dispose();
    }
  }

  function startAttempt(signal?: AbortSignal): Shared<Link> {
    const connecting = connect(signal).then(
      async (made) => {
        if (attempt === started) attempt = undefined;
        if (closed !== undefined) throw await closeLate(made, name);
        known = { kind: made.kind, prior: made.prior };
        error = undefined;
        link = made;
        return made;
      },
      (failure: unknown) => {
        if (attempt === started) attempt = undefined;
        // A remembered verdict may be what was wrong (W7).
        if (known !== undefined) known = { kind: known.kind, prior: undefined };
        throw fail(failure);
      },
    );
    const started = share(connecting);
    attempt = started;
    return started;
  }

  /** The live link, or a new one, for which another may be waiting already. */
  async function ready(deadline: Deadline): Promise<Link> {
    for (;;) {
      if (closed !== undefined)
        throw new McpClosedError(`The toolset was closed; make a new one to reach \`${name}\`.`, { server: name });
      if (link !== undefined && !link.closed) return link;
      const waiting = attempt ?? startAttempt();
      const made = await deadline.race(waiting.wait(), { server: name });
      if (made !== undefined) return made;
      if (attempt === waiting) attempt = undefined;
    }
  }

  function fail(failure: unknown): McpError {
    const known = isMcpError(failure)
      ? failure
      : new McpProtocolError(`Server \`${name}\` failed.`, { server: name, cause: failure });
    error = known;
    return known;
  }

  async function page(cursor: string | undefined, deadline: Deadline) {
    const current = await ready(deadline);
    const params = cursor === undefined ? {} : { cursor };
    const outcome = await current.request('tools/list', params, { deadline, server: name });
    return readPage(outcome, name);
  }

  return {
    get state() {
      if (closed !== undefined) return 'closed';
      if (error !== undefined) return 'failed';
      return link === undefined ? 'connecting' : 'ready';
    },
    get era() {
      return link?.era;
    },
    get protocolVersion() {
      return link?.protocolVersion;
    },
    get mirrorsParams() {
      return link?.mirrorsParams ?? false;
    },
    get error() {
      return error;
    },
    list: (admit, deadline) =>
      inSpan(options.telemetry, 'discover', { server: name }, async (span) => {
        try {
          const listing = await readListing({ page: (cursor) => page(cursor, deadline), admit }, options.limits);
          error = undefined;
          span.set({ tools: listing.entries.length, pages: listing.pages });
          return listing;
        } catch (failure) {
          throw fail(failure);
        }
      }),
    async call({ tool, args, meta, headers, deadline }) {
      const details = { server: name, tool };
      const current = await ready(deadline);
      const params = { name: tool, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
      const outcome = await current.request('tools/call', params, { deadline, headers, ...details });
      return readCall(outcome, details);
    },
    close() {
      closed ??= (async () => {
        const connecting = attempt === undefined ? undefined : settleWithin(attempt.wait(), CONNECT_END_MS);
        await Promise.all([link?.close(), connecting]);
      })();
      return closed;
    },
  };
}

/** A connect that finished after the close. */
async function closeLate(made: Link, name: string): Promise<McpClosedError> {
  await made.close();
  return new McpClosedError(`The toolset was closed while \`${name}\` was connecting.`, { server: name });
}
