import type { Limits } from '../config/options.js';
import { nextTurn, PIECES_A_TURN } from '../core/turns.js';

/** What ended a walk over `tools/list` before its last page (L2). */
export type Truncation = 'pages' | 'tools' | 'bytes' | 'repeated-cursor' | 'failed-page';

/** Every entry that was read, each judged by the caller's `admit`. */
export interface Listing<Admitted> {
  readonly entries: readonly Admitted[];
  readonly pages: number;
  /** How long the server says that it stays true: the shortest of its pages, at most 24 h, 0 where it says nothing (L7). */
  readonly ttlMs: number;
  readonly truncated?: Truncation;
}

export interface ListingSource<Admitted> {
  /** One page. Rejects with an `McpError`. */
  page(
    cursor: string | undefined,
  ): Promise<{ readonly tools: readonly unknown[]; readonly nextCursor?: unknown; readonly ttlMs?: unknown }>;
  /** Judges one entry; `chars` is the length of its JSON text, where it was measured. */
  admit(entry: unknown): Admitted & { readonly chars?: number };
}

const LONGEST_TTL_MS = 24 * 60 * 60 * 1_000;

function readTtl(ttlMs: unknown): number {
  return typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0;
}

/**
 * Follows the pages to the end (L2). An empty cursor is a cursor, `null` is none; a cursor seen before, one that is no
 * string, a limit, or a later page that fails ends the walk and what was read is kept.
 */
export async function readListing<Admitted>(
  source: ListingSource<Admitted>,
  limits: Pick<Limits, 'listPages' | 'toolsPerServer' | 'listBytes'>,
): Promise<Listing<Admitted>> {
  const entries: Admitted[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  let pages = 0;
  let bytes = 0;
  let ttlMs = LONGEST_TTL_MS;
  const end = (truncated?: Truncation): Listing<Admitted> => ({
    entries,
    pages,
    ttlMs: truncated === undefined ? ttlMs : 0,
    ...(truncated === undefined ? {} : { truncated }),
  });

  for (;;) {
    if (pages === limits.listPages) return end('pages');
    const page = await nextPage(source, cursor, pages);
    if (page === undefined) return end('failed-page');
    pages += 1;
    ttlMs = Math.min(ttlMs, readTtl(page.ttlMs));
    for (const entry of page.tools) {
      if (entries.length === limits.toolsPerServer) return end('tools');
      if (entries.length > 0 && entries.length % PIECES_A_TURN === 0) await nextTurn();
      const admitted = source.admit(entry);
      bytes += admitted.chars ?? 0;
      if (bytes > limits.listBytes) return end('bytes');
      entries.push(admitted);
    }
    const { nextCursor } = page;
    if (nextCursor === undefined || nextCursor === null) return end();
    // There is a next page, and no way to ask for it.
    if (typeof nextCursor !== 'string') return end('failed-page');
    if (seen.has(nextCursor)) return end('repeated-cursor');
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}

/** The first page's failure is the server's failure; a later one ends the walk. */
async function nextPage<Admitted>(source: ListingSource<Admitted>, cursor: string | undefined, pages: number) {
  if (pages === 0) return source.page(cursor);
  try {
    return await source.page(cursor);
  } catch {
    return undefined;
  }
}
