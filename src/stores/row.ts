import type { Era } from '../core/status.js';

type MaybePromise<T> = T | Promise<T>;

/** A tool as its server published it last. `inputSchema`, `outputSchema` and `annotations` may be parsed when they are read. */
export interface StoredTool {
  /** The raw name. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
}

/** What lets a wake adopt a server without a request (W7). */
export interface StoredProtocol {
  readonly era: Era;
  readonly supportedVersions?: readonly string[] | undefined;
  /** The server's own word on what it can do. */
  readonly capabilities?: unknown;
  /** Milliseconds since the epoch. */
  readonly checkedAt: number;
}

/** Fingerprints by raw tool name. Any name may be a key, `__proto__` too: ask with `Object.hasOwn`. */
export type Fingerprints = Readonly<Record<string, string>>;

/** One server, as a store keeps it: these fields and no other (S1). */
export interface McpConnectionRow {
  /** The server's identity: two servers of one name are two rows (S2). */
  readonly id: string;
  /** The configured name. */
  readonly name: string;
  readonly type: string;
  /** Without userinfo, query and fragment. Absent where the server has none. */
  readonly url?: string | undefined;
  /** The catalogue that the server published last: a cache, replaced by every save. */
  readonly tools: readonly StoredTool[];
  /** The baseline that drift is judged by. Recorded once, by the first save that has one (S3). */
  readonly toolFingerprints?: Fingerprints | undefined;
  readonly protocol?: StoredProtocol | undefined;
}

/**
 * Where the servers of a toolset are kept between its lives. Every method may answer with a promise or a value.
 *
 * A row that is there and cannot be read must not look as if it were not there, because its server would then be trusted anew
 * (S3): `get` throws or rejects, and in `list` such a row has its `id` and throws where more of it is read.
 */
export interface McpConnectionStore {
  /**
   * Every row, in no particular order.
   *
   * @param prefix only rows whose id starts with it are needed. A store may heed it, to read less.
   */
  list(prefix?: string): MaybePromise<McpConnectionRow[]>;
  /** The row of that id; undefined where there is none. */
  get(id: string): MaybePromise<McpConnectionRow | undefined>;
  /**
   * Writes a row, as a whole or not at all. A `toolFingerprints` that is recorded already stays, whatever the row has: to
   * replace it is {@link retrustMcpServer}, or `remove` and then `save`.
   */
  save(row: McpConnectionRow): MaybePromise<void>;
  /** Forgets a row and its baseline. Does nothing where there is none. */
  remove(id: string): MaybePromise<void>;
}

/** The baseline that takes the place of a row's own; undefined: none. It may throw, and then nothing changes. */
export type Rebase = (row: McpConnectionRow) => Fingerprints | undefined;

/**
 * How a store of ours replaces a baseline in one step (S6). Another's store has `remove` and `save`, between which a crash loses
 * the row. The name is shared by all copies of this library in one process.
 */
export const REBASE: unique symbol = Symbol.for('mcp-toolset.store.rebase');

export interface RebasingStore extends McpConnectionStore {
  /** Without `rebase` the baseline is cleared, and the row need not be readable. Does nothing where there is no row. */
  [REBASE](id: string, rebase?: Rebase): MaybePromise<void>;
}

export function canRebase(store: McpConnectionStore): store is RebasingStore {
  return REBASE in store;
}
