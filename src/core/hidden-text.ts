/** Text that nobody sees: what was found of it, and where. */
export interface HiddenText {
  /** Distinct, as `U+200B`, at most 16 of them. */
  readonly codePoints: readonly string[];
  /** How many characters there were. */
  readonly count: number;
}

/** Collects what is found in several texts. */
export interface HiddenFound {
  readonly codePoints: Set<string>;
  count: number;
}

export function createHiddenFound(): HiddenFound {
  return { codePoints: new Set(), count: 0 };
}

const CODE_POINTS_TOLD = 16;

export function toHiddenText({ codePoints, count }: HiddenFound): HiddenText {
  return { codePoints: [...codePoints].slice(0, CODE_POINTS_TOLD), count };
}

/** Scripts that join or part letters by invisible characters. */
const JOINING = [
  'Arabic',
  'Bengali',
  'Devanagari',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Khmer',
  'Malayalam',
  'Mandaic',
  'Mongolian',
  'Myanmar',
  'Nko',
  'Oriya',
  'Phags_Pa',
  'Sinhala',
  'Syriac',
  'Tamil',
  'Telugu',
  'Tibetan',
]
  .map((script) => `\\p{scx=${script}}`)
  .join('');

const PICTURE = '\\p{Extended_Pictographic}';
const IGNORABLE = '\\p{Default_Ignorable_Code_Point}';
const SELECTOR = '[\\uFE00-\\uFE0F\\u{E0100}-\\u{E01EF}]';

/** Invisible characters that make another one what it is: one for each, and never a run of them. */
const NEEDED = [
  // The flags of England, Scotland, Wales and the like.
  '\\u{1F3F4}[\\u{E0061}-\\u{E007A}]{2}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{1,4}\\u{E007F}',
  '[0-9#*]\\uFE0F\\u20E3',
  `${PICTURE}(?:[\\uFE0E\\uFE0F]|\\p{Emoji_Modifier})?(?:\\u200D${PICTURE}(?:\\uFE0F|\\p{Emoji_Modifier})?)*`,
  // Some letters of these scripts are drawn as nothing themselves. Variants of Mongolian ones may stand between.
  `(?<=(?!${IGNORABLE})[${JOINING}][\\u180B-\\u180F]?)[\\u200C\\u200D](?![\\u200C\\u200D])`,
  `\\p{Unified_Ideograph}[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}](?!${SELECTOR})`,
  '(?<=[\\u1820-\\u18AA])[\\u180B-\\u180F](?![\\u180B-\\u180F])',
  `(?<=[\\u1000-\\u109F\\uAA60-\\uAA7F\\u2200-\\u22FF\\u2A00-\\u2AFF])\\uFE00(?!${SELECTOR})`,
  '[\\u1100-\\u115E]\\u1160|\\u115F[\\u1161-\\u11A7]',
].join('|');

/** Control characters but tab and line breaks, everything that is drawn as nothing, and marks of annotations. */
const HIDDEN = `[\\0-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F${IGNORABLE}\\uFFF9-\\uFFFB]`;
/** What tells a terminal to do something, with what it says to it. One ends where the next begins: no text is read twice. */
const COMMANDS = [
  '(?:\\x1B\\[[0-?]*|\\x9B[0-?]+)[ -\\/]*[@-~]',
  '(?:\\x1B[\\]PX^_]|[\\x90\\x98\\x9D-\\x9F])[^\\x07\\x1B\\x90\\x98\\x9C-\\x9F\\r\\n]*(?:\\x07|\\x1B\\\\|\\x9C)',
  '\\x1B(?:[ -\\/]+[0-~]|[78=>cDEHMNOZ])',
].join('|');
const TAG = '[\\u{E0000}-\\u{E007F}]';

const ANY_HIDDEN = /* @__PURE__ */ new RegExp(HIDDEN, 'u');
const ANY_TAG = /* @__PURE__ */ new RegExp(TAG, 'u');
const REMOVED = /* @__PURE__ */ new RegExp(`(${NEEDED})|${COMMANDS}|${HIDDEN}`, 'gu');
const ESCAPED = /* @__PURE__ */ new RegExp(`(${NEEDED})|${HIDDEN}`, 'gu');
const REMOVED_TAGS = /* @__PURE__ */ new RegExp(`(${NEEDED.slice(0, NEEDED.indexOf('|'))})|${TAG}`, 'gu');

/** A text without what nobody sees, which is noted in `found` (G10). Emoji and scripts that need joiners stay as they are. */
export function cleanText(text: string, found?: HiddenFound): string {
  return ANY_HIDDEN.test(text) ? remove(text, REMOVED, found) : text;
}

/** A text without tag characters, but for those of flags. Results are data and keep the rest (G10). */
export function removeTags(text: string, found?: HiddenFound): string {
  return ANY_TAG.test(text) ? remove(text, REMOVED_TAGS, found) : text;
}

/** A text in which one can see what nobody would, for logs. */
export function escapeHidden(text: string, escapeOne: (unit: string) => string): string {
  if (!ANY_HIDDEN.test(text)) return text;
  return text.replace(ESCAPED, (match, needed: string | undefined) =>
    needed === undefined ? match.replace(/[\s\S]/g, escapeOne) : match,
  );
}

function remove(text: string, pattern: RegExp, found: HiddenFound | undefined): string {
  return text.replace(pattern, (match, needed: string | undefined) => {
    if (needed !== undefined) return match;
    if (found !== undefined) for (const char of match) note(char, found);
    return '';
  });
}

function note(char: string, found: HiddenFound): void {
  // The visible part of a command to a terminal goes with it.
  if (!ANY_HIDDEN.test(char)) return;
  found.count += 1;
  found.codePoints.add(`U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`);
}
