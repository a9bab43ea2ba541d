import { readdirSync, readFileSync } from 'node:fs';
import { MARK } from './stdio-stand.js';

/** Ids of those that run and were started with a mark, or one that begins so, at whatever depth (Linux, as are the runtimes of the matrix). */
export function markedWith(mark: string): readonly number[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => environmentOf(id).includes(`\0${MARK}=${mark}`)).map(Number);
}

/** The dead have none, also those whom nobody has asked for. */
function environmentOf(id: string): string {
  try {
    return `\0${readFileSync(`/proc/${id}/environ`, 'latin1')}`;
  } catch {
    return '';
  }
}
