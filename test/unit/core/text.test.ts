import { expect, it } from 'vitest';
import { escapeControls, SERVER_TEXT_MAX, serverText } from '../../../src/core/text.js';

it.each([
  ['plain – ünïcode 👩‍💻', 'plain – ünïcode 👩‍💻'],
  ['tab\tand\nline', 'tab\tand\nline'],
  ['\u0000\u0007\u001b[31m', '\\u0000\\u0007\\u001b[31m'],
  ['\r\u007f\u0085\u009b', '\\u000d\\u007f\\u0085\\u009b'],
])('controls are escaped: %j', (text, escaped) => expect(escapeControls(text)).toBe(escaped));

it('a text of a server is capped, and says so', () => {
  expect(serverText('x'.repeat(SERVER_TEXT_MAX))).toBe('x'.repeat(SERVER_TEXT_MAX));
  expect(serverText('x'.repeat(SERVER_TEXT_MAX + 1))).toBe(`${'x'.repeat(SERVER_TEXT_MAX)}[…]`);
  expect(serverText('a\u001b')).toBe('a');
});
