import { McpClosedError, type McpError } from '../core/errors.js';
import { quietly } from '../core/quietly.js';
import type { Exchange } from './exchange.js';

/** One request under way, with its redirects and its response body. */
export interface Flight {
  /**
   * The guard's own, made in the request that runs the call: on Workers a signal of another request must not reach
   * fetch (W9).
   */
  readonly signal: AbortSignal;
  /** The guard's own error, where it ended the flight. */
  readonly failure: McpError | undefined;
  /** Who else has to hear of an abort: the reader of the body. */
  onAbort: ((reason: unknown) => void) | undefined;
  /** Ends the flight with an error of the guard, and returns that error. */
  fail(error: McpError): McpError;
  /** Throws when the flight was ended from outside. */
  check(): void;
  /** The flight is over: no listener stays on the exchange's signal (C2). */
  land(): void;
}

export interface Flights {
  open(exchange: Exchange | undefined): Flight;
  /** Throws once these are closed. */
  check(): void;
  /** Aborts every flight; later ones fail at once. Never throws (W4). */
  close(): void;
}

/** Flights in the air before it is worth looking for those that were left behind. */
const MANY = 64;

/** Keeps the requests of one connection that are under way. */
export function createFlights(server: string): Flights {
  const inAir = new Map<Flight, Exchange | undefined>();
  let many = MANY;
  let closed = false;
  const closedError = (): McpClosedError =>
    new McpClosedError(`Server \`${server}\`: the connection was closed; make a new toolset to call it again`, {
      server,
    });
  return {
    open(exchange) {
      if (inAir.size >= many) {
        dropFinished(inAir);
        many = Math.max(MANY, 2 * inAir.size);
      }
      const flight = createFlight(exchange, inAir);
      if (closed) flight.fail(closedError());
      return flight;
    },
    check() {
      if (closed) throw closedError();
    },
    close() {
      closed = true;
      for (const flight of [...inAir.keys()]) flight.fail(closedError());
    },
  };
}

/**
 * A Workers request that ends with its answer never sees the event stream end that the answer came on, and one whose client
 * goes away sees no end at all. Of the others, the exchange's own signal ends the flight.
 */
function dropFinished(inAir: Map<Flight, Exchange | undefined>): void {
  for (const [flight, exchange] of inAir) if (isFinished(exchange)) inAir.delete(flight);
}

/** Nobody waits for what is left of it. */
export function isFinished(exchange: Exchange | undefined): boolean {
  return exchange?.answered === true || exchange?.over === true;
}

function createFlight(exchange: Exchange | undefined, inAir: Map<Flight, Exchange | undefined>): Flight {
  const controller = new AbortController();
  const outer = exchange?.signal;
  let failure: McpError | undefined;
  const abort = (reason: unknown): void => {
    if (controller.signal.aborted) return;
    flight.land();
    // On Workers, ending another request's fetch may throw; that request then ends it itself.
    quietly(() => controller.abort(reason));
    // At once, so that the reader of the body sees this reason and not the runtime's own error.
    quietly(() => flight.onAbort?.(reason));
  };
  const onOuterAbort = (): void => abort(outer?.reason);
  const flight: Flight = {
    signal: controller.signal,
    get failure() {
      return failure;
    },
    onAbort: undefined,
    fail(error) {
      failure ??= error;
      if (exchange !== undefined) exchange.facts.failure ??= failure;
      abort(failure);
      return failure;
    },
    check() {
      if (controller.signal.aborted) throw failure ?? controller.signal.reason;
    },
    land() {
      inAir.delete(flight);
      outer?.removeEventListener('abort', onOuterAbort);
    },
  };
  if (outer?.aborted) abort(outer.reason);
  else {
    inAir.set(flight, exchange);
    outer?.addEventListener('abort', onOuterAbort, { once: true });
  }
  return flight;
}
