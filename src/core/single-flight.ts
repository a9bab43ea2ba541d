import { raceSignal } from './deadline.js';
import { quietly } from './quietly.js';
import { type Shared, share } from './shared.js';

/** Work that is done once for all who ask while it is under way. */
export interface SingleFlight<T, A> {
  /** Whether it is under way. */
  readonly busy: boolean;
  /**
   * Joins the work that is under way, or begins it with `argument`. Rejects with the signal's reason as soon as that is aborted;
   * the work itself is aborted when nobody waits for it any more, unless it is `lasting`.
   */
  run(argument: A, signal: AbortSignal): Promise<T>;
}

interface Flight<T> {
  readonly work: Shared<T>;
  readonly controller: AbortController;
  waiting: number;
  settled: boolean;
}

export function createSingleFlight<T, A>(
  begin: (argument: A, signal: AbortSignal) => Promise<T>,
  { lasting = false }: { readonly lasting?: boolean } = {},
): SingleFlight<T, A> {
  let current: Flight<T> | undefined;

  function forget(flight: Flight<T>): void {
    if (current === flight) current = undefined;
  }

  function start(argument: A): Flight<T> {
    const controller = new AbortController();
    const work = begin(argument, controller.signal);
    const flight: Flight<T> = { work: share(work), controller, waiting: 0, settled: false };
    const settle = () => {
      flight.settled = true;
      forget(flight);
    };
    work.then(settle, settle);
    current = flight;
    return flight;
  }

  function leave(flight: Flight<T>): void {
    flight.waiting -= 1;
    if (flight.waiting > 0 || flight.settled || lasting) return;
    forget(flight);
    // On Workers, whoever began it may be gone for long.
    quietly(() => flight.controller.abort());
  }

  return {
    get busy() {
      return current !== undefined;
    },
    async run(argument, signal) {
      for (;;) {
        const flight = current ?? start(argument);
        flight.waiting += 1;
        try {
          const made = await raceSignal(flight.work.wait(), signal, () => signal.reason);
          if (made !== undefined) return made;
          forget(flight);
        } finally {
          leave(flight);
        }
      }
    },
  };
}
