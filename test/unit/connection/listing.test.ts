import { describe, expect, it } from 'vitest';
import { readListing } from '../../../src/connection/listing.js';

const LIMITS = { listPages: 10, toolsPerServer: 100, listBytes: 1_000 };

/** Pages by cursor; a page that is an Error rejects. */
function walk(pages: Record<string, { tools: unknown[]; nextCursor?: unknown } | Error>, limits = LIMITS) {
  const asked: (string | undefined)[] = [];
  const source = {
    page: async (cursor: string | undefined) => {
      asked.push(cursor);
      const page = pages[cursor ?? 'first']!;
      if (page instanceof Error) throw page;
      return page;
    },
    admit: (entry: unknown) => ({ entry, chars: String(entry).length }),
  };
  return { asked, listing: readListing(source, limits) };
}

describe('readListing', () => {
  it('L2 follows every page, an empty cursor included', async () => {
    const { asked, listing } = walk({
      first: { tools: ['a'], nextCursor: '' },
      '': { tools: [], nextCursor: 'x' },
      x: { tools: ['b'], nextCursor: null },
    });
    expect(await listing).toEqual({
      entries: [
        { entry: 'a', chars: 1 },
        { entry: 'b', chars: 1 },
      ],
      pages: 3,
      ttlMs: 0,
    });
    expect(asked).toEqual([undefined, '', 'x']);
  });

  it.each([1, 2, 3])('L2 ends at a cursor seen %i pages before', async (period) => {
    const pages: Record<string, { tools: string[]; nextCursor: string }> = { first: { tools: ['f'], nextCursor: '0' } };
    for (let index = 0; index < period; index++) {
      pages[index] = { tools: [String(index)], nextCursor: String((index + 1) % period) };
    }
    const { asked, listing } = walk(pages);
    expect(await listing).toMatchObject({ truncated: 'repeated-cursor', pages: period + 1 });
    expect(asked).toHaveLength(period + 1);
  });

  it('L2 the first page that fails rejects, a later one is an end', async () => {
    await expect(walk({ first: new Error('down') }).listing).rejects.toThrow('down');
    const { listing } = walk({ first: { tools: ['a'], nextCursor: 'x' }, x: new Error('down') });
    expect(await listing).toMatchObject({ truncated: 'failed-page', pages: 1, entries: [{ entry: 'a' }] });
  });

  it.each([7, false, {}, []])('L2 a cursor of %j ends the walk as a page that fails', async (nextCursor) => {
    expect(await walk({ first: { tools: ['a'], nextCursor } }).listing).toMatchObject({
      truncated: 'failed-page',
      pages: 1,
    });
  });

  it('L2 limits are inclusive, and what was read is kept', async () => {
    const pages = { first: { tools: ['aa', 'bb'], nextCursor: 'x' }, x: { tools: ['cc'] } };
    expect(await walk(pages, { listPages: 2, toolsPerServer: 3, listBytes: 6 }).listing).not.toHaveProperty(
      'truncated',
    );
    expect(await walk(pages, { ...LIMITS, listPages: 1 }).listing).toMatchObject({ truncated: 'pages', pages: 1 });
    const tools = await walk(pages, { ...LIMITS, toolsPerServer: 2 }).listing;
    expect(tools).toMatchObject({ truncated: 'tools', pages: 2 });
    expect(tools.entries).toHaveLength(2);
    const bytes = await walk(pages, { ...LIMITS, listBytes: 5 }).listing;
    expect(bytes).toMatchObject({ truncated: 'bytes' });
    expect(bytes.entries).toHaveLength(2);
  });

  it('L2 lets other work run while it judges a long list', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    const tools = Array.from({ length: 5_000 }, (_, index) => index);
    await walk({ first: { tools } }, { listPages: 1, toolsPerServer: 5_000, listBytes: 1e9 }).listing;
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
