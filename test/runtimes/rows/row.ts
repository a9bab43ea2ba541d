import type { Check, Stand } from '../scenario/scenario.js';
import type { Consumer } from '../setup/consumer.js';

export interface Context {
  readonly consumer: Consumer;
  /** Resolves with the path of Chromium, or rejects with what to install. */
  readonly chromium: Promise<string>;
}

export interface Ran {
  /** As the runtime itself says. */
  readonly version: string;
  readonly checks: readonly Check[];
}

/** One runtime of the matrix. */
export interface Row {
  readonly name: string;
  /** Runs the scenario there; rejects where the runtime is missing or does not come to the scenario's end. */
  run(stand: Stand, context: Context): Promise<Ran>;
}

/** How long a scenario may take on any runtime, in milliseconds. */
export const ROW_MS = 150_000;

export function check(name: string, ok: boolean, error: string): Check {
  return ok ? { name, ok } : { name, ok, error };
}
