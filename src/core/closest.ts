import { escapeControls } from './text.js';

/**
 * Longer names are compared for equality only: edit distance costs length times distance for each candidate. A projected
 * name has at most 64 characters.
 */
const COMPARED_LENGTH = 128;
/** Edits beyond which two names have nothing to do with each other. */
const MAX_EDITS = 8;
/** Two neighbours swapped are two edits, and a common slip. Shorter names are one slip away from too many others. */
const SWAP_LENGTH = 4;
/** Longest name shown in a message, in UTF-16 code units. */
const SHOWN_LENGTH = 128;

interface Suggestion {
  readonly name: string;
  readonly score: number;
}

/**
 * The names that `name` was probably meant to be, best first, at most `max` (default 3) (N6, D6).
 *
 * A name counts when it is equal but for case, when it is equal after its server prefix (a model drops or mistakes the part
 * before `__`), or when few edits lead to it: a third of the length, from 2 to 8. Equal scores are in code-unit order, so the
 * answer does not depend on the order of `names`. The work is bounded by their number, whatever they are.
 */
export function closestNames(name: string, names: Iterable<string>, max = 3): string[] {
  if (max < 1) return [];
  const wanted = name.toLowerCase();
  const rows: Rows = [new Uint16Array(COMPARED_LENGTH + 2), new Uint16Array(COMPARED_LENGTH + 2)];
  const best: Suggestion[] = [];
  for (const candidate of new Set(names)) {
    const worst = best.length < max ? Number.POSITIVE_INFINITY : best[max - 1]!.score;
    const score = scoreName(wanted, candidate.toLowerCase(), worst, rows);
    if (score <= worst && score !== Number.POSITIVE_INFINITY) insert(best, { name: candidate, score }, max);
  }
  return best.map((suggestion) => suggestion.name);
}

/** `''`, or a sentence with a space before it: `` Did you mean `x` or `y`?`` */
export function didYouMean(name: string, names: Iterable<string>): string {
  return suggestion(closestNames(name, names));
}

/** The same over names that also go by others: the values are shown for their keys. */
export function didYouMeanAmong(name: string, shownAs: ReadonlyMap<string, string>): string {
  const found = closestNames(name, shownAs.keys()).map((each) => shownAs.get(each)!);
  return suggestion([...new Set(found)]);
}

function suggestion(names: readonly string[]): string {
  const shown = names.map((each) => `\`${escapeControls(each.slice(0, SHOWN_LENGTH))}\``);
  if (shown.length === 0) return '';
  const last = shown.pop()!;
  return ` Did you mean ${shown.length === 0 ? last : `${shown.join(', ')} or ${last}`}?`;
}

/** Two rows of edit costs, used again for each candidate. */
type Rows = [Uint16Array, Uint16Array];

/** Lower is closer. A match without the prefix ranks after the same match with it, and before one more edit. */
function scoreName(wanted: string, candidate: string, worst: number, rows: Rows): number {
  if (wanted === candidate) return 0;
  const tail = tailOf(candidate);
  if (wanted === tail || candidate.endsWith(`__${wanted}`)) return 0.25;
  const wantedTail = tailOf(wanted);
  if (wantedTail !== wanted && wantedTail === tail) return 0.5;
  const allowed = Math.max(Math.floor(wanted.length / 3), wanted.length >= SWAP_LENGTH ? 2 : 0);
  const limit = Math.floor(Math.min(MAX_EDITS, allowed, worst));
  if (limit < 1) return Number.POSITIVE_INFINITY;
  const edits = countEdits(wanted, candidate, limit, rows);
  // A name that has a prefix is compared with its prefix only.
  if (wantedTail !== wanted || tail === candidate) return edits;
  return Math.min(edits, countEdits(wanted, tail, limit, rows) + 0.25);
}

/** What follows the first `__`, or the whole name. */
function tailOf(name: string): string {
  const at = name.indexOf('__');
  return at < 1 || at + 2 >= name.length ? name : name.slice(at + 2);
}

function insert(best: Suggestion[], suggestion: Suggestion, max: number): void {
  const at = best.findIndex(
    (each) => suggestion.score < each.score || (suggestion.score === each.score && suggestion.name < each.name),
  );
  if (at === -1) best.push(suggestion);
  else best.splice(at, 0, suggestion);
  if (best.length > max) best.pop();
}

/** Levenshtein distance in UTF-16 code units, or infinity beyond `limit`. Only the band that can stay within it is computed. */
function countEdits(a: string, b: string, limit: number, rows: Rows): number {
  if (Math.abs(a.length - b.length) > limit) return Number.POSITIVE_INFINITY;
  if (a.length > COMPARED_LENGTH || b.length > COMPARED_LENGTH) return Number.POSITIVE_INFINITY;
  const [from, to] = trimCommon(a, b);
  let [previous, current] = rows;
  for (let column = 0; column <= to.length; column++) previous[column] = column;
  for (let row = 1; row <= from.length; row++) {
    const first = Math.max(1, row - limit);
    const last = Math.min(to.length, row + limit);
    // Cells outside the band cost more than the limit; those next to it are the only ones that are read.
    current[first - 1] = first === 1 ? row : limit + 1;
    if (row > 1 && row + limit <= to.length) previous[row + limit] = limit + 1;
    let least = current[first - 1]!;
    const char = from.charCodeAt(row - 1);
    for (let column = first; column <= last; column++) {
      const replaced = previous[column - 1]! + (char === to.charCodeAt(column - 1) ? 0 : 1);
      const cost = Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1);
      current[column] = cost;
      if (cost < least) least = cost;
    }
    if (least > limit) return Number.POSITIVE_INFINITY;
    [previous, current] = [current, previous];
  }
  const edits = previous[to.length]!;
  return edits > limit ? Number.POSITIVE_INFINITY : edits;
}

/** Both texts without what they share at either end, which no shortest edit touches. */
function trimCommon(a: string, b: string): [string, string] {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start += 1;
  let end = 0;
  while (end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end += 1;
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)];
}
