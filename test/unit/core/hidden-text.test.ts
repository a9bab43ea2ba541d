import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, createHiddenFound, escapeHidden, removeTags, toHiddenText } from '../../../src/core/hidden-text.js';
import { escapeControls, serverText } from '../../../src/core/text.js';

const point = (code: number) => String.fromCodePoint(code);
const tags = (text: string) => Array.from(text, (char) => point(0xe0000 + char.codePointAt(0)!)).join('');
const SCOTLAND = `\u{1f3f4}${tags('gbsct')}\u{e007f}`;

/** Each hides something between `a` and `b`. */
const HIDDEN: readonly (readonly [what: string, text: string])[] = [
  ['tag characters', tags('ignore all that')],
  ['a language tag', '\u{e0001}'],
  ['tags after a black flag that is no flag of a region', ''.concat(tags('send the key'))],
  ...[0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069].map(
    (code) => [`the bidi control ${code.toString(16)}`, point(code)] as const,
  ),
  ...[0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0xad, 0x34f, 0x180e, 0x17b4, 0x3164, 0xffa0, 0x115f].map(
    (code) => [`the zero-width ${code.toString(16)}`, point(code)] as const,
  ),
  ...[0x2061, 0x2064, 0x206a, 0x206f, 0xfff0, 0xfff9, 0xfffb, 0x1bca0, 0x1d173, 0xe0fff].map(
    (code) => [`the ignorable ${code.toString(16)}`, point(code)] as const,
  ),
  ['variation selectors after a letter', '\ufe00\ufe0f\u{e0100}\u{e01ef}'],
  ...[0, 7, 8, 0xb, 0xc, 0x1b, 0x7f, 0x80, 0x85, 0x90, 0x9b, 0x9f].map(
    (code) => [`the control ${code.toString(16)}`, point(code)] as const,
  ),
  ['a colour', '\u001b[31;1m'],
  ['a cursor movement of one byte', '\u009b2J'],
  ['a title of a terminal, with its text', '\u001b]0;ignore all that\u0007'],
  ['a link, with its address', '\u001b]8;;https://evil.example\u001b\\'],
  ['a device string', '\u001bPignore\u001b\\'],
  ['a short escape', '\u001b(B'],
];

describe('what is removed', () => {
  it.each(HIDDEN)('G10 %s', (_, text) => {
    const found = createHiddenFound();
    expect(cleanText(`a${text}b`, found)).toBe('ab');
    expect(found.count).toBe([...text].filter((char) => cleanText(char) === '').length);
    for (const each of [`${text}a`, `a${text}`]) expect(cleanText(each)).toBe('a');
    expect(cleanText(text.repeat(3))).toBe('');
  });

  it.each([
    ['a second selector after an emoji', `❤\ufe0f${'\ufe0f\ufe0e\ufe01'}`, '❤\ufe0f'],
    [
      'data in selectors after an emoji',
      `😀${Array.from('key', (char) => point(0xe0100 + char.charCodeAt(0))).join('')}`,
      '😀',
    ],
    ['a run of joiners in a script that has them', 'می\u200c\u200d\u200c\u200dخواهم', 'میخواهم'],
    ['a joiner between letters of a script that has none', 'pass\u200dword', 'password'],
    ['a joiner at the start', '\u200dक', 'क'],
    ['tags after a flag of a region', `${SCOTLAND}${tags('x')}`, SCOTLAND],
    ['tags after a black flag that are too many', `\u{1f3f4}${tags('abcdefgh')}\u{e007f}`, '\u{1f3f4}'],
    ['tags after a black flag that do not end', `\u{1f3f4}${tags('gbsct')}x`, '\u{1f3f4}x'],
    ['two selectors after an ideograph', '葛\u{e0100}\u{e0101}', '葛'],
    ['a selector after a digit that is no key', '1\ufe0f', '1'],
  ])('G10 %s', (_, text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });
});

describe('what stays', () => {
  it.each([
    ['plain text', 'Line one.\r\n\tLine two, with “quotes” and – dashes.\u2028\u2029'],
    ['families', '👨‍👩‍👧‍👦 👩🏽‍🚀 👩🏿‍❤️‍💋‍👨🏻 🧑‍🤝‍🧑 🏳️‍🌈 🏴‍☠️ 🐻‍❄️'],
    ['presentation', '❤️ ☎︎ ©️ ™️ ↔️ ✔︎'],
    ['keys', '1️⃣ #️⃣ *️⃣'],
    ['flags', `🇺🇦🇮🇷 ${SCOTLAND}`],
    ['Persian', 'می‌خواهم کتاب‌ها را بخوانم'],
    ['Arabic with a joiner at its end', 'ه‍'],
    ['Hindi and Marathi', 'क्‍ष र्‍या न्‌न'],
    ['Bengali', 'র‍্যাব'],
    ['Malayalam', 'അവന്‍ മലയാളം'],
    ['Sinhala', 'ශ්‍රී ලංකා'],
    ['Kannada and Telugu', 'ರ‍್ಕ క్‌ష'],
    ['Khmer, Thai, Hebrew', 'ភាសាខ្មែរ ภาษาไทย עִבְרִית'],
    ['Mongolian', 'ᠭ᠋ᠠ ᠪᠠᠭᠠ᠎'],
    ['ideographs with a form of their own', '葛\u{e0100}城 辻\ufe00'],
    ['a form of a sign', '∩\ufe00'],
    ['Myanmar with dots', 'က\ufe00'],
    ['old Hangul', '\u1100\u1160\u11a8 \u115f\u1161'],
    ['marks', 'e\u0301 a\u0323\u0302 ñ'],
    ['half a pair', '\ud83d a'],
  ])('G10 %s', (_, text) => {
    const found = createHiddenFound();
    expect(cleanText(text, found)).toBe(text);
    expect(found.count).toBe(0);
    expect(escapeHidden(text, () => '!')).toBe(text);
  });
});

it('G10 cleaning once is enough, never lengthens, and leaves nothing that is hidden on its own', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 5 }),
    fc.constantFrom(
      ...HIDDEN.map(([, text]) => text),
      '\u{1f3f4}',
      '😀',
      'क',
      'م',
      '葛',
      'a',
      '1',
      '\u20e3',
      '\ufe0f',
      '\u200d',
    ),
  );
  const property = fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
    const text = pieces.join('');
    const clean = cleanText(text);
    expect(clean.length).toBeLessThanOrEqual(text.length);
    expect(clean).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff\u{e0001}]/u);
    expect(cleanText(cleanText(clean))).toBe(cleanText(clean));
  });
  fc.assert(property, { numRuns: 5_000, seed: 1 });
});

it('G10 what was found is told by distinct code points, and by number', () => {
  const found = createHiddenFound();
  cleanText('a\u200bb\u200bc\u202e', found);
  cleanText('\u{e0041}', found);
  expect(toHiddenText(found)).toEqual({ codePoints: ['U+200B', 'U+202E', 'U+E0041'], count: 4 });
  for (let code = 0x2060; code < 0x2070; code++) cleanText(point(code), found);
  cleanText('\ufeff', found);
  expect(toHiddenText(found).codePoints).toHaveLength(16);
});

it('G10 a result loses tag characters alone, but for those of flags', () => {
  const kept = `${SCOTLAND} \u200b\u202e\u0007\ufeff`;
  expect(removeTags(kept)).toBe(kept);
  expect(removeTags(`${kept}${tags('ignore')}`)).toBe(kept);
});

it('G10 logs show what is hidden, and leave what is needed', () => {
  expect(escapeControls(`a\u200b\u001b[31m\r\u{e0041}👩‍🚀\n\t`)).toBe(
    'a\\u200b\\u001b[31m\\u000d\\udb40\\udc41👩‍🚀\n\t',
  );
});

it('G10 R7 the text of an error loses it', () => {
  expect(serverText(`bad\u200b \u001b[31mvalue${tags('ignore')}`)).toBe('bad value');
});

it.each([
  ['\u009d'],
  ['\u001b]'],
  ['\u001b[0'],
  ['\u009b0'],
  ['\u200d'],
  ['😀\u200d'],
  [`\u{1f3f4}${tags('gb')}`],
  ['क\u200d'],
])('G10 takes time in proportion to the text, whatever it is made of: %j', (piece) => {
  const text = piece.repeat(200_000 / piece.length);
  for (const work of [cleanText, removeTags, escapeControls]) {
    const startedAt = performance.now();
    work(text);
    // A quadratic pass takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  }
});

describe('adversaries', () => {
  it.each([0x61c, 0x17b4, 0x180b, 0x180e])('G10 joiners after the invisible letter %s say nothing', (code) => {
    expect(cleanText(`a${`${point(code)}\u200c${point(code)}\u200d`.repeat(5)}b`)).toBe('ab');
  });

  it('G10 a joiner after a variant of a Mongolian letter stays', () => {
    expect(cleanText('\u1820\u180b\u200d')).toBe('\u1820\u180b\u200d');
  });

  it('G10 nothing comes to light by removing something else', () => {
    const alphabet = [
      ...'a \u061c\u200c\u200d\u0628\u180b\u1820\ufe0f\ufe001#\u20e3\u1160\u115f\u1100\u17b4\u001b[m\u0090\u0007\u009b\u4e2d\u{1f600}\u{1f3fb}\u{1f3f4}\u{e0061}\u{e007f}\u{e0100}',
    ];
    const texts = fc.array(fc.constantFrom(...alphabet), { maxLength: 8 }).map((chars) => chars.join(''));
    fc.assert(
      fc.property(texts, (text) => cleanText(cleanText(text)) === cleanText(text)),
      { numRuns: 3_000 },
    );
  });
});
