import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createRedact } from '../../../../src/transports/stdio/redact.js';
import { createTail, TAIL_BYTES } from '../../../../src/transports/stdio/tail.js';

const bytes = (text: string) => new TextEncoder().encode(text);
const tailOf = (chunks: readonly string[], given: Parameters<typeof createRedact>[0] = {}) => {
  const tail = createTail(createRedact(given));
  for (const chunk of chunks) tail.add(bytes(chunk));
  return tail.text();
};

describe('the tail', () => {
  it('T5 is all of it where that is little, and nothing of nothing', () => {
    expect(tailOf(['one\n', 'two\n'])).toBe('one\ntwo');
    expect(tailOf([])).toBe('');
  });

  it('T5 is the end of it otherwise, however it came', () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join('');
    const whole = tailOf([text]);
    expect(tailOf(text.match(/.{1,7}/gs)!)).toBe(whole);
    expect(tailOf(text.match(/.{1,20000}/gs)!)).toBe(whole);
    expect(text.trimEnd().endsWith(whole)).toBe(true);
    expect(whole.length).toBeGreaterThan(TAIL_BYTES - 10);
    expect(whole.length).toBeLessThanOrEqual(TAIL_BYTES);
  });

  it('T5 shows no control character, and half a character not at all', () => {
    expect(tailOf(['\u001b[2J\u0007\u009b0m\tx'])).toBe('\\u001b[2J\\u0007\\u009b0m\tx');
    expect(tailOf(['🙂'.repeat(5_000)])).toMatch(/^(🙂)+$/u);
  });
});

describe('secrets', () => {
  it('S1 of the environment are taken out, line by line too', () => {
    const env = { KEY: 'first-secret', PEM: '-----BEGIN\nabcdefgh\n-----END', MODE: 'dev' };
    expect(tailOf(['key first-secret, pem\n  abcdefgh\n, mode dev'], { env })).toBe(
      'key [redacted], pem\n  [redacted]\n, mode dev',
    );
  });

  it('S1 that begin before the end of the output are taken out whole', () => {
    const secret = `secret-${'x'.repeat(200)}`;
    for (let shift = 0; shift < 220; shift++) {
      const text = tailOf([`${secret}${'.'.repeat(TAIL_BYTES - shift)}`], { env: { KEY: secret } });
      expect(text).not.toContain('xxxx');
    }
  });

  it.each([
    [['--api-key=abcd-1234']],
    [['--api-key', 'abcd-1234']],
    [['--apiKey:abcd-1234']],
    [['-token', 'abcd-1234']],
    [['API_TOKEN=abcd-1234']],
    [['--header', 'Authorization: Bearer abcd-1234']],
    [['--header', 'X-Api-Key:abcd-1234']],
    [['/password:abcd-1234']],
  ])('S1 of arguments are known by their names: %j', (args) => {
    expect(tailOf(['said abcd-1234 here'], { args })).toBe('said [redacted] here');
  });

  it('S1 other arguments stay readable, and so does what is short', () => {
    const given = { args: ['--root', '/srv/files', '-y', 'server', '--key'], env: { DEBUG: '1', EMPTY: '' } };
    expect(tailOf(['no such folder: /srv/files (server 1)'], given)).toBe('no such folder: /srv/files (server 1)');
  });

  it.each([
    ['a JSON string', (text: string) => JSON.stringify({ text })],
    ['what Node prints', (text: string) => inspect({ text })],
    ['a URL', (text: string) => `https://x.test/?q=${encodeURIComponent(text)}&r=1`],
    ['a form', (text: string) => String(new URLSearchParams({ text }))],
  ])('S1 are known as %s shows them', (_, print) => {
    for (const secret of ['ab"cd\\ef gh/ij', '{"key":"-----BEGIN\\nabcdef"}', 'pässword+=']) {
      expect(tailOf([print(secret)], { env: { KEY: secret } })).toBe(print('MARK').replace('MARK', '[redacted]'));
    }
  });

  it('S1 of URLs are taken out, the rest of it is shown', () => {
    const args = ['https://u.test/sse?region=eu&api_key=abcd-1234', '--db=postgres://me:pass%2Fword@db.test/x'];
    const env = { CACHE: 'redis://:hunter22@cache.test' };
    const said = 'to u.test, eu, key abcd-1234; me pass%2Fword or pass/word at db.test; hunter22 at cache.test';
    expect(tailOf([said], { args, env })).toBe(
      'to u.test, eu, key [redacted]; me [redacted] or [redacted] at db.test; [redacted] at cache.test',
    );
  });

  it('S1 of long texts are found in no time', () => {
    const args = ['x'.repeat(500_000), '=a'.repeat(250_000), '='.repeat(500_000)];
    const startedAt = performance.now();
    expect(tailOf(['said'], { args, env: { A: args[0]!, B: args[1]! } })).toBe('said');
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('S1 a text that is no Unicode is one too', () => {
    expect(tailOf(['half'], { env: { A: 'half\ud800' } })).toBe('half');
  });

  it('S1 the longest is taken out first', () => {
    expect(tailOf(['abcdef'], { env: { A: 'abcd', B: 'abcdef' } })).toBe('[redacted]');
  });
});
