import type { Exchange, ExchangeFacts } from '../guard/exchange.js';

/** A JSON-RPC error as it came over the wire. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The `params` of a `notifications/progress`, unchecked. */
export type ProgressParams = Readonly<Record<string, unknown>>;

/** One request of ours from `send` to its answer: what the SDK is not shown, and what the guard learned on the way. */
export interface Pending extends Exchange {
  /** Also the request's progress token. */
  readonly key: string;
  requestId: string | number | undefined;
  method: string;
  handshake: boolean;
  readonly facts: ExchangeFacts;
  /** An answer with our id came. */
  answered: boolean;
  /** The raw result, below the SDK's parser. */
  result?: unknown;
  rpcError?: RpcError;
  /** The response ended and no answer had come. */
  ended: boolean;
  onProgress?: ((params: ProgressParams) => void) | undefined;
  /** The last event id on its response stream. */
  resumeToken?: string;
  /** Ends its HTTP request and response stream. */
  abort(): void;
}

/** The requests under way on one connection, by key for the guard and by id for the answers. */
export interface Exchanges {
  open(): Pending;
  byKey(key: unknown): Pending | undefined;
  byId(id: unknown): Pending | undefined;
  /** The request whose event stream showed this event id last: the SDK resumes it by that. */
  byToken(token: string): Pending | undefined;
  noteToken(pending: Pending, token: string): void;
  /** Gives an opened request the id that the SDK chose for it. */
  assign(pending: Pending, id: string | number, method: string): void;
  release(pending: Pending): void;
  /** Ends the response stream of an answered request that the server keeps open. */
  endLater(pending: Pending): void;
  /** The response stream of an answered request has ended by itself. */
  streamEnded(pending: Pending): void;
  /** The last request of the handshake. */
  handshake(): Pending | undefined;
  /** The notice that ends an older handshake, once it is sent. */
  initialized: Pending | undefined;
  /** Ends every request and stream under way. */
  abortAll(): void;
}

/** How long a server may keep an event stream open after the answer was on it. */
const LINGER_MS = 1_000;

/** A Workers request takes its timers with it when it ends, so what waits for one is given up in time. */
const MANY = 256;

export function createExchanges(): Exchanges {
  const keyed = new Map<unknown, Pending>();
  // A Map tells 1 and "1" apart, as JSON-RPC does.
  const identified = new Map<unknown, Pending>();
  const lingering = new Map<Pending, ReturnType<typeof setTimeout>>();
  let next = 0;
  let handshake: Pending | undefined;
  const streamEnded = (pending: Pending) => {
    clearTimeout(lingering.get(pending));
    lingering.delete(pending);
  };
  return {
    open() {
      const pending = createPending(String(next++));
      keyed.set(pending.key, pending);
      return pending;
    },
    byKey: (key) => keyed.get(key),
    byId: (id) => identified.get(id),
    byToken: (token) => [...keyed.values()].find(({ resumeToken }) => resumeToken === token),
    noteToken(pending, token) {
      pending.resumeToken = token;
    },
    assign(pending, id, method) {
      pending.requestId = id;
      pending.method = method;
      if (pending.handshake) handshake = pending;
      identified.set(id, pending);
    },
    release(pending) {
      keyed.delete(pending.key);
      if (identified.get(pending.requestId) === pending) identified.delete(pending.requestId);
    },
    endLater(pending) {
      const end = () => {
        lingering.delete(pending);
        pending.abort();
      };
      if (lingering.size >= MANY) for (const left of [...lingering.keys()].slice(0, MANY / 2)) streamEnded(left);
      lingering.set(pending, setTimeout(end, LINGER_MS));
    },
    streamEnded,
    handshake: () => handshake,
    initialized: undefined,
    abortAll() {
      const open = [...keyed.values(), ...lingering.keys()];
      for (const pending of lingering.keys()) streamEnded(pending);
      for (const pending of open) attempt(pending.abort);
      keyed.clear();
      identified.clear();
    },
  };
}

function createPending(key: string): Pending {
  const controller = new AbortController();
  return {
    key,
    requestId: undefined,
    method: '',
    handshake: false,
    signal: controller.signal,
    facts: { sent: false, carriedSession: false },
    answered: false,
    ended: false,
    abort: () => controller.abort(),
  };
}

/** Aborting what another Workers request opened throws there; the rest must still be ended. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // Its own request ends it.
  }
}
