/**
 * The parts of undici 7 that are used, by their shape. Its own declarations would bring Node's types into every file of
 * the library.
 */
declare module 'undici' {
  export interface Dispatcher {
    close(): Promise<void>;
  }

  interface PoolOptions {
    readonly connect?: { readonly lookup: import('./pinned-lookup.js').NodeLookup };
  }

  export class Pool implements Dispatcher {
    constructor(origin: string | URL, options: PoolOptions);
    close(): Promise<void>;
  }

  export class Agent implements Dispatcher {
    /** `factory` makes the dispatcher for an origin that is asked for the first time, the targets of redirects included. */
    constructor(options: { factory(origin: string | URL, options: PoolOptions): Dispatcher });
    close(): Promise<void>;
  }

  export function fetch(input: string, init: RequestInit & { readonly dispatcher: Dispatcher }): Promise<Response>;
}
