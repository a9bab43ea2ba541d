/** What the tests use of the Workers runtime's test kit, by its shape: its own types would come with a whole platform. */
declare module 'cloudflare:test' {
  export interface ObjectState {
    readonly storage: { readonly sql: import('../../src/stores/sql.js').SqlStorageLike };
    /** Ends the object at once: what it kept in memory is lost. */
    abort(reason?: string): void;
  }
  export interface ObjectStub {
    readonly id: unknown;
  }
  export interface ObjectNamespace {
    getByName(name: string): ObjectStub;
  }
  export function runInDurableObject<Result>(
    stub: ObjectStub,
    work: (instance: object, state: ObjectState) => Result | Promise<Result>,
  ): Promise<Result>;
  /** Ends the object gently; its storage stays. */
  export function evictDurableObject(stub: ObjectStub): Promise<void>;
  export function abortAllDurableObjects(): Promise<void>;
}
