import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namesHost, parseAllowedHost } from '../../../src/guard/allowlist.js';
import { judgeUrl } from '../../../src/guard/verdict.js';

const list = (...entries: string[]) =>
  entries.map((entry) => parseAllowedHost(entry) ?? expect.fail(`It cannot be parsed: ${entry}`));

describe('parseAllowedHost', () => {
  it.each([
    ['api.example.com', { hostname: 'api.example.com', below: false, port: 'default' }],
    ['API.Example.COM.', { hostname: 'api.example.com', below: false, port: 'default' }],
    ['bücher.example', { hostname: 'xn--bcher-kva.example', below: false, port: 'default' }],
    ['xn--bcher-kva.example', { hostname: 'xn--bcher-kva.example', below: false, port: 'default' }],
    ['localhost', { hostname: 'localhost', below: false, port: 'default' }],
    ['mcp-server:3000', { hostname: 'mcp-server', below: false, port: 3000 }],
    ['api.example.com:65535', { hostname: 'api.example.com', below: false, port: 65_535 }],
    ['api.example.com:*', { hostname: 'api.example.com', below: false, port: 'any' }],
    ['*.example.com', { hostname: 'example.com', below: true, port: 'default' }],
    ['10.0.0.5:8080', { hostname: '10.0.0.5', below: false, port: 8080 }],
    ['[::1]', { hostname: '[::1]', below: false, port: 'default' }],
    ['[::1]:8080', { hostname: '[::1]', below: false, port: 8080 }],
    ['[0:0:0:0:0:0:0:1]:*', { hostname: '[::1]', below: false, port: 'any' }],
    [`${'a'.repeat(63)}.example`, { hostname: `${'a'.repeat(63)}.example`, below: false, port: 'default' }],
  ])('G2 reads %s', (entry, parsed) => expect(parseAllowedHost(entry)).toEqual(parsed));

  it.each([
    '',
    ' ',
    ' api.example.com',
    'api.example.com ',
    'api.\nexample.com',
    'https://api.example.com',
    '//api.example.com',
    'api.example.com/mcp',
    'api.example.com\\mcp',
    'api.example.com?x',
    'api.example.com#x',
    'user@api.example.com',
    'api.example.com%2eevil.com',
    '*',
    '*.',
    '*.com',
    '*.*.example.com',
    'api.*.example.com',
    'api*.example.com',
    '*example.com',
    '*.example.com:443',
    '*.10.0.0.1',
    '*.[::1]',
    '.example.com',
    'api..example.com',
    'api.example.com..',
    '-api.example.com',
    'api-.example.com',
    'api_1.example.com',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(127)}example`,
    'api.example.com:',
    'api.example.com:0',
    'api.example.com:080',
    'api.example.com:65536',
    'api.example.com:x',
    'api.example.com:1:2',
    '::1',
    '[::1',
    '[fe80::1%25eth0]',
    '[::1]x',
    '256.256.256.256',
  ])('G2 cannot read %j', (entry) => expect(parseAllowedHost(entry)).toBeUndefined());
});

describe('namesHost', () => {
  it.each<[entry: string, named: string[], other: string[]]>([
    [
      'api.example.com',
      [
        'https://api.example.com/',
        'https://API.example.com./x',
        'http://api.example.com/',
        'https://api.example.com:443/',
        'https://ａｐｉ.example.com/',
        'https:\\\\api.example.com/mcp',
      ],
      [
        'https://api.example.com:8443/',
        'https://evil-api.example.com/',
        'https://api.example.com.evil.com/',
        'https://example.com/',
        'https://аpi.example.com/',
        'https://api.example.com@evil.com/',
        'https://evil.com#@api.example.com/',
        'https://evil.com\\@api.example.com/',
        'https://x.api.example.com/',
        'https://api.example.com%2eevil.com/',
      ],
    ],
    [
      'api.example.com:8443',
      ['https://api.example.com:8443/'],
      ['https://api.example.com/', 'https://api.example.com:8444/'],
    ],
    ['api.example.com:443', ['https://api.example.com/'], ['http://api.example.com/']],
    ['api.example.com:80', ['http://api.example.com/'], ['https://api.example.com/']],
    ['api.example.com:*', ['https://api.example.com/', 'http://api.example.com:1/'], ['https://b.example.com/']],
    [
      '*.example.com',
      ['https://a.example.com/', 'https://b.a.example.com./'],
      [
        'https://example.com/',
        'https://evilexample.com/',
        'https://a.example.com.evil.com/',
        'https://a.example.com:1/',
        'https://.example.com/',
        'https://a..example.com/',
      ],
    ],
    ['127.0.0.1', ['http://127.0.0.1/', 'http://127.1/', 'http://2130706433/'], ['http://localhost/', 'http://[::1]/']],
    [
      '[::1]:8080',
      ['http://[::1]:8080/', 'http://[0:0:0:0:0:0:0:1]:8080/'],
      ['http://[::1]/', 'http://127.0.0.1:8080/'],
    ],
  ])('G2 %s', (entry, named, other) => {
    for (const url of named) expect([url, namesHost(list(entry), new URL(url))]).toEqual([url, true]);
    for (const url of other) expect([url, namesHost(list(entry), new URL(url))]).toEqual([url, false]);
  });

  it('G2 an empty list names nothing', () => {
    for (const url of ['https://api.example.com/', 'http://localhost/'])
      expect(namesHost([], new URL(url))).toBe(false);
  });
});

describe('judgeUrl with a list', () => {
  it('G3 a private or metadata address that is named is allowed, loopback that is not named is not', () => {
    const allowed = list('10.0.0.5', '169.254.169.254', 'vault.internal:8200');
    for (const url of ['http://10.0.0.5/', 'http://169.254.169.254/', 'https://vault.internal:8200/']) {
      expect([url, judgeUrl(new URL(url), allowed)]).toEqual([url, { allowed: true }]);
    }
    for (const url of ['http://localhost/', 'http://127.0.0.1/', 'https://example.com/', 'http://10.0.0.6/']) {
      expect(judgeUrl(new URL(url), allowed)).toMatchObject({ allowed: false, code: 'host-denied' });
    }
  });

  it('G1 a name on the list makes no scheme and no user name good', () => {
    const allowed = list('api.example.com');
    for (const url of ['blob:https://api.example.com/x', 'ftp://api.example.com/', 'https://u:p@api.example.com/']) {
      expect(judgeUrl(new URL(url), allowed)).toMatchObject({ allowed: false });
    }
  });

  it('G2 what a list allows it names: the host of the URL, or a name above it', () => {
    const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
    const name = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join('.'));
    const canonical = name.filter((text) => URL.canParse(`https://${text}/`));
    fc.assert(
      fc.property(canonical, canonical, fc.boolean(), (entry, host, below) => {
        const url = new URL(`https://${host}/`);
        const allowed = judgeUrl(url, list(below ? `*.${entry}` : entry)).allowed;
        expect(allowed).toBe(below ? host.endsWith(`.${entry}`) : host === entry);
      }),
    );
  });
});
