import { sha256Hex } from '../core/digest.js';
import { McpConfigError } from '../core/errors.js';
import { canRebase, type McpConnectionRow, type McpConnectionStore, REBASE, type RebasingStore } from './row.js';

/**
 * A store within a store: the rows of one principal (a user, a tenant), invisible to every other (S2). The rows of all of them
 * are rows of `store`, which sees each under an id that begins with a digest of the principal.
 *
 * @param principal told apart by its exact text. It is not written.
 * @throws McpConfigError where `principal` is empty or no string: all such callers would share their rows.
 */
export function scopedStore(store: McpConnectionStore, principal: string): McpConnectionStore {
  if (typeof principal !== 'string' || principal === '') {
    throw new McpConfigError('`principal` of scopedStore must be a non-empty string, one for each user or tenant.');
  }
  // JSON text, so that no two ill-formed texts hash alike.
  const prefix = `${sha256Hex(JSON.stringify(principal))}:`;
  const inside = (id: string) => prefix + id;
  const outside = (row: McpConnectionRow) => renamed(row, row.id.slice(prefix.length));
  const scoped: McpConnectionStore = {
    async list(within = '') {
      const rows = await store.list(inside(within));
      return rows.filter(({ id }) => id.startsWith(inside(within))).map(outside);
    },
    async get(id) {
      const row = await store.get(inside(id));
      return row === undefined ? undefined : outside(row);
    },
    save({ id, name, type, url, tools, toolFingerprints, protocol }) {
      if (typeof id !== 'string' || id === '')
        throw new McpConfigError('The `id` of a row must be a non-empty string.');
      return store.save({ id: inside(id), name, type, url, tools, toolFingerprints, protocol });
    },
    remove: (id) => store.remove(inside(id)),
  };
  if (!canRebase(store)) return scoped;
  const rebasing: RebasingStore = {
    ...scoped,
    [REBASE]: (id, rebase) => store[REBASE](inside(id), rebase && ((row) => rebase(outside(row)))),
  };
  return rebasing;
}

/** The same row under another id. Getters stay getters: one that throws belongs to a row that cannot be read. */
function renamed(row: McpConnectionRow, id: string): McpConnectionRow {
  const fields = Object.getOwnPropertyDescriptors(row);
  return Object.defineProperties({}, { ...fields, id: { value: id, enumerable: true } }) as McpConnectionRow;
}
