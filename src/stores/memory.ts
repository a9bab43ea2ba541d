import { type EncodedRow, encodeFingerprints, encodeRow } from './codec.js';
import { decodeRow, foundIn } from './decode.js';
import { type McpConnectionStore, REBASE, type RebasingStore } from './row.js';

/**
 * Rows for as long as this object lives: for tests, and for processes that wake within themselves. What is written is a copy, and so
 * is what is read.
 */
export function createMemoryMcpConnectionStore(): McpConnectionStore {
  const rows = new Map<string, EncodedRow>();
  const read = (encoded: EncodedRow) => decodeRow(foundIn(encoded));
  const store: RebasingStore = {
    list: (prefix = '') => [...rows].filter(([id]) => id.startsWith(prefix)).map(([, encoded]) => read(encoded)),
    get(id) {
      const encoded = rows.get(id);
      return encoded === undefined ? undefined : read(encoded);
    },
    save(row) {
      const encoded = encodeRow(row);
      rows.set(row.id, { ...encoded, baseline: rows.get(row.id)?.baseline ?? encoded.baseline });
    },
    remove: (id) => void rows.delete(id),
    [REBASE](id, rebase) {
      const encoded = rows.get(id);
      if (encoded === undefined) return;
      const row = read(encoded);
      rows.set(id, { ...encoded, baseline: encodeFingerprints(rebase?.(row), row.name) });
    },
  };
  return store;
}
