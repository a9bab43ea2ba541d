/** Longest pattern that is admitted, in UTF-16 code units, and the highest count in a quantifier. */
const PATTERN_MAX = 1_000;
const COUNT_MAX = 1_000;

/**
 * What matching a pattern may cost: given the length of a text, how many ways there are to read it, at most. Undefined for a
 * pattern that is not admitted: no regular expression, a back-reference, or a repetition of something that can be read in
 * several ways, which takes exponential time (G9).
 */
export function patternCost(source: string): ((length: number) => number) | undefined {
  if (source.length > PATTERN_MAX || !compiles(source)) return undefined;
  const parsed = parseAlternatives({ source, at: 0 });
  if (parsed === undefined) return undefined;
  const isAnchored = source.startsWith('^') && !source.includes('|');
  return (length) => parsed(length) * (isAnchored ? 1 : length + 1);
}

function compiles(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Ways to read a text of some length; 1 for what can be read in one way alone. */
type Ways = (length: number) => number;
const ONE: Ways = () => 1;

interface Reader {
  readonly source: string;
  at: number;
}

/** The source compiles, so brackets match and quantifiers have something to repeat. */
function parseAlternatives(reader: Reader): Ways | undefined {
  const all: Ways[] = [];
  do {
    const ways = parseSequence(reader);
    if (ways === undefined) return undefined;
    all.push(ways);
  } while (take(reader, '|'));
  if (all.length === 1) return all[0];
  return (length) => all.reduce((sum, ways) => sum + ways(length), 0);
}

function parseSequence(reader: Reader): Ways | undefined {
  const parts: Ways[] = [];
  while (reader.at < reader.source.length && !/[|)]/.test(reader.source[reader.at]!)) {
    const part = parseAtom(reader);
    const ways = part === undefined ? undefined : repeat(part, parseQuantifier(reader));
    if (ways === undefined) return undefined;
    if (ways !== ONE) parts.push(ways);
  }
  if (parts.length === 0) return ONE;
  return (length) => parts.reduce((product, ways) => product * ways(length), 1);
}

function parseAtom(reader: Reader): Ways | undefined {
  const { source } = reader;
  if (take(reader, '\\')) return parseEscape(reader);
  if (take(reader, '[')) {
    while (!take(reader, ']')) reader.at += source[reader.at] === '\\' ? 2 : 1;
    return ONE;
  }
  if (!take(reader, '(')) {
    reader.at += source.codePointAt(reader.at)! > 0xffff ? 2 : 1;
    return ONE;
  }
  const head = /^\?(?:<?[=!]|:|<[^>]*>)/.exec(source.slice(reader.at));
  reader.at += head?.[0].length ?? 0;
  // Flags inside a pattern are too new to be known everywhere.
  if (source[reader.at] === '?') return undefined;
  const ways = parseAlternatives(reader);
  take(reader, ')');
  return ways;
}

function parseEscape(reader: Reader): Ways | undefined {
  const rest = reader.source.slice(reader.at);
  if (/^(?:[1-9]|k)/.test(rest)) return undefined;
  const long = /^(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z])/.exec(rest);
  reader.at += long?.[0].length ?? 1;
  return ONE;
}

interface Quantifier {
  readonly least: number;
  readonly most: number;
}

function parseQuantifier(reader: Reader): Quantifier | undefined {
  const found = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(reader.source.slice(reader.at));
  if (found === null) return undefined;
  reader.at += found[0].length;
  const [, sign, least, comma, most] = found;
  if (sign === '?') return { least: 0, most: 1 };
  if (sign !== undefined) return { least: sign === '+' ? 1 : 0, most: Number.POSITIVE_INFINITY };
  const first = Number(least);
  return { least: first, most: comma === '' ? first : most === '' ? Number.POSITIVE_INFINITY : Number(most) };
}

/** Repeating what can be read in several ways multiplies them each time. */
function repeat(ways: Ways, quantifier: Quantifier | undefined): Ways | undefined {
  if (quantifier === undefined) return ways;
  const { least, most } = quantifier;
  if (least > COUNT_MAX || (Number.isFinite(most) && most > COUNT_MAX)) return undefined;
  if (ways === ONE) {
    return least === most ? ONE : (length) => Math.max(1, Math.min(most, length) - least + 1);
  }
  if (most === Number.POSITIVE_INFINITY) return undefined;
  return (length) => (1 + ways(length)) ** most;
}

function take(reader: Reader, char: string): boolean {
  if (reader.source[reader.at] !== char) return false;
  reader.at += 1;
  return true;
}
