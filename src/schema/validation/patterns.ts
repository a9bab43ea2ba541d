/** Longest pattern that is admitted, in UTF-16 code units, the highest count in a quantifier, and of counts in each other. */
const PATTERN_MAX = 1_000;
const COUNT_MAX = 1_000;
const STEPS_MAX = 10_000;
/** Steps of one way to read a text that cost no more than the way itself. */
const STEPS_FREE = 4;

/**
 * What matching a pattern may cost: given the length of a text, how many ways there are to read it, at most. Undefined for a
 * pattern that is not admitted: no regular expression, a back-reference, or a repetition of something that can be read in
 * several ways, which takes exponential time (G9).
 */
export function patternCost(source: string): ((length: number) => number) | undefined {
  if (source.length > PATTERN_MAX || !compiles(source)) return undefined;
  const parsed = parseAlternatives({ source, at: 0 });
  if (parsed === undefined || parsed.steps > STEPS_MAX) return undefined;
  const { ways, steps } = parsed;
  const isAnchored = source.startsWith('^') && !source.includes('|');
  return (length) =>
    ways(length) * (isAnchored ? 1 : length + 1) * Math.max(1, Math.ceil(Math.min(steps, length) / STEPS_FREE));
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

/** A part of a pattern. */
interface Part {
  readonly ways: Ways;
  /** Characters that counts make one way read, at most; 1 without any. */
  readonly steps: number;
}
const PLAIN: Part = { ways: ONE, steps: 1 };

interface Reader {
  readonly source: string;
  at: number;
}

/** The source compiles, so brackets match and quantifiers have something to repeat. */
function parseAlternatives(reader: Reader): Part | undefined {
  const all: Part[] = [];
  do {
    const part = parseSequence(reader);
    if (part === undefined) return undefined;
    all.push(part);
  } while (take(reader, '|'));
  if (all.length === 1) return all[0];
  return {
    ways: (length) => all.reduce((sum, { ways }) => sum + ways(length), 0),
    steps: Math.max(...all.map(({ steps }) => steps)),
  };
}

function parseSequence(reader: Reader): Part | undefined {
  const parts: Part[] = [];
  while (reader.at < reader.source.length && !/[|)]/.test(reader.source[reader.at]!)) {
    const atom = parseAtom(reader);
    const part = atom === undefined ? undefined : repeat(atom, parseQuantifier(reader));
    if (part === undefined) return undefined;
    parts.push(part);
  }
  const open = parts.filter(({ ways }) => ways !== ONE);
  return {
    ways: open.length === 0 ? ONE : (length) => open.reduce((product, { ways }) => product * ways(length), 1),
    steps: parts.reduce((sum, { steps }) => (steps === 1 ? sum : sum + steps), 0) || 1,
  };
}

function parseAtom(reader: Reader): Part | undefined {
  const { source } = reader;
  if (take(reader, '\\')) return parseEscape(reader);
  if (take(reader, '[')) {
    while (!take(reader, ']')) reader.at += source[reader.at] === '\\' ? 2 : 1;
    return PLAIN;
  }
  if (!take(reader, '(')) {
    reader.at += source.codePointAt(reader.at)! > 0xffff ? 2 : 1;
    return PLAIN;
  }
  const head = /^\?(?:<?[=!]|:|<[^>]*>)/.exec(source.slice(reader.at));
  reader.at += head?.[0].length ?? 0;
  // Flags inside a pattern are too new to be known everywhere.
  if (source[reader.at] === '?') return undefined;
  const part = parseAlternatives(reader);
  take(reader, ')');
  return part;
}

function parseEscape(reader: Reader): Part | undefined {
  const rest = reader.source.slice(reader.at);
  if (/^(?:[1-9]|k)/.test(rest)) return undefined;
  const long = /^(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z])/.exec(rest);
  reader.at += long?.[0].length ?? 1;
  return PLAIN;
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
function repeat(part: Part, quantifier: Quantifier | undefined): Part | undefined {
  if (quantifier === undefined) return part;
  const { ways } = part;
  const { least, most } = quantifier;
  if (least > COUNT_MAX || (Number.isFinite(most) && most > COUNT_MAX)) return undefined;
  const steps = part.steps * Math.max(1, least);
  if (ways === ONE) {
    if (least === most) return { ways, steps };
    return { ways: (length) => Math.max(1, Math.min(most, length) - least + 1), steps };
  }
  if (most === Number.POSITIVE_INFINITY) return undefined;
  return { ways: (length) => (1 + ways(length)) ** most, steps };
}

function take(reader: Reader, char: string): boolean {
  if (reader.source[reader.at] !== char) return false;
  reader.at += 1;
  return true;
}
