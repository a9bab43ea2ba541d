import type { Exchange, ExchangeFacts } from '../guard/exchange.js';

/** A JSON-RPC error as it came over the wire. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** One request of ours from `send` to its answer: what the SDK is not shown, and what the guard learned on the way. */
export interface Pending extends Exchange {
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
  /** Ends an event stream that stays open after its answer. */
  lingering?: ReturnType<typeof setTimeout>;
  /** Ends its HTTP request and response stream. */
  abort(): void;
}

/** The requests under way on one connection, by key for the guard and by id for the answers. */
export interface Exchanges {
  open(): Pending;
  byKey(key: string): Pending | undefined;
  byId(id: unknown): Pending | undefined;
  /** Gives an opened request the id that the SDK chose for it. */
  assign(pending: Pending, id: string | number, method: string): void;
  release(pending: Pending): void;
  /** The last request of the handshake. */
  handshake(): Pending | undefined;
  /** Ends every request under way. */
  abortAll(): void;
}

export function createExchanges(): Exchanges {
  const keyed = new Map<string, Pending>();
  // A Map tells 1 and "1" apart, as JSON-RPC does.
  const identified = new Map<unknown, Pending>();
  let next = 0;
  let handshake: Pending | undefined;
  return {
    open() {
      const controller = new AbortController();
      const pending: Pending = {
        key: String(next++),
        requestId: undefined,
        method: '',
        handshake: false,
        signal: controller.signal,
        facts: { sent: false, carriedSession: false },
        answered: false,
        ended: false,
        abort: () => controller.abort(),
      };
      keyed.set(pending.key, pending);
      return pending;
    },
    byKey: (key) => keyed.get(key),
    byId: (id) => identified.get(id),
    assign(pending, id, method) {
      pending.requestId = id;
      pending.method = method;
      if (pending.handshake) handshake = pending;
      identified.set(id, pending);
    },
    handshake: () => handshake,
    release(pending) {
      keyed.delete(pending.key);
      if (identified.get(pending.requestId) === pending) identified.delete(pending.requestId);
    },
    abortAll() {
      for (const pending of [...keyed.values()]) attempt(pending.abort);
      keyed.clear();
      identified.clear();
    },
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
