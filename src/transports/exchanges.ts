import { quietly } from '../core/quietly.js';
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
  /** Nobody waits for it any more. */
  over: boolean;
  /** Ends its HTTP request and response stream. */
  abort(): void;
}

/** The requests under way on one connection, by key for the guard and by id for the answers. */
export interface Exchanges {
  open(): Pending;
  byKey(key: unknown): Pending | undefined;
  byId(id: unknown): Pending | undefined;
  /** The request without an answer whose event stream showed this event id last, also one that is over: the SDK resumes it by that. */
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
  /** How many requests of ours are without an answer. */
  readonly underWay: number;
  /** Ends every request and stream under way. */
  abortAll(): void;
}

/** How long a server may keep an event stream open after the answer was on it. */
const LINGER_MS = 1_000;

/** More than so many do not wait for their timers: a Workers request takes those with it when it ends. */
const MANY = 256;

export function createExchanges(): Exchanges {
  const keyed = new Map<unknown, Pending>();
  // A Map tells 1 and "1" apart, as JSON-RPC does.
  const identified = new Map<unknown, Pending>();
  const lingering = createLingering();
  const resumable = createResumable();
  let next = 0;
  let handshake: Pending | undefined;
  return {
    open() {
      const pending = createPending(String(next++));
      keyed.set(pending.key, pending);
      return pending;
    },
    byKey: (key) => keyed.get(key),
    byId: (id) => identified.get(id),
    byToken: resumable.find,
    noteToken: resumable.note,
    assign(pending, id, method) {
      pending.requestId = id;
      pending.method = method;
      if (pending.handshake) handshake = pending;
      identified.set(id, pending);
    },
    release(pending) {
      keyed.delete(pending.key);
      if (identified.get(pending.requestId) === pending) identified.delete(pending.requestId);
      pending.over = true;
      resumable.release(pending);
    },
    endLater: lingering.add,
    streamEnded: lingering.drop,
    handshake: () => handshake,
    initialized: undefined,
    get underWay() {
      return identified.size;
    },
    abortAll() {
      const open = [...keyed.values(), ...lingering.dropAll()];
      // Aborting what another Workers request opened throws there, and that request ends it; the rest must still be ended.
      for (const pending of open) quietly(pending.abort);
      keyed.clear();
      identified.clear();
    },
  };
}

/** Requests whose event streams had an event with an id, so that they can be taken up again. */
function createResumable() {
  const all = new Set<Pending>();
  return {
    find(token: string): Pending | undefined {
      const holders = [...all].filter(({ resumeToken }) => resumeToken === token);
      // A server may count its events for each stream anew.
      return holders.find(({ over }) => !over) ?? holders[0];
    },
    note(pending: Pending, given: string): void {
      // The SDK takes no stream up again that the answer came on; with its result it is not held here.
      if (pending.answered) return;
      // As it comes back in a header, which is without white space around it.
      const token = given.replace(/^[\t ]+|[\t ]+$/g, '');
      if (token === pending.resumeToken) return;
      pending.facts.barren = 0;
      pending.resumeToken = token;
      all.add(pending);
    },
    release(pending: Pending): void {
      if (pending.answered) all.delete(pending);
      // No more than that wait to be taken up again; those of the last requests are still told from others then.
      let excess = all.size - 2 * MANY;
      for (const each of all) {
        if (excess-- <= 0) return;
        if (each.over) all.delete(each);
      }
    },
  };
}

/** Response streams that a server may keep open for a while after the answer. */
function createLingering() {
  const timers = new Map<Pending, ReturnType<typeof setTimeout>>();
  const drop = (pending: Pending): void => {
    clearTimeout(timers.get(pending));
    timers.delete(pending);
  };
  return {
    add(pending: Pending): void {
      const end = () => {
        timers.delete(pending);
        pending.abort();
      };
      if (timers.size >= MANY) {
        for (const left of [...timers.keys()].slice(0, MANY / 2)) {
          drop(left);
          quietly(left.abort);
        }
      }
      timers.set(pending, setTimeout(end, LINGER_MS));
    },
    drop,
    dropAll(): Pending[] {
      const left = [...timers.keys()];
      for (const pending of left) drop(pending);
      return left;
    },
  };
}

function createPending(key: string): Pending {
  const controller = new AbortController();
  const pending: Pending = {
    key,
    requestId: undefined,
    method: '',
    handshake: false,
    signal: controller.signal,
    facts: { sent: false, carriedSession: false },
    answered: false,
    ended: false,
    over: false,
    abort() {
      // Whoever still waits hears of it first.
      controller.abort();
      pending.over = true;
    },
  };
  return pending;
}
