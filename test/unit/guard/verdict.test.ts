import { describe, expect, it } from 'vitest';
import { classifyHost } from '../../../src/guard/addresses.js';
import { isLoopback } from '../../../src/guard/loopback.js';
import { judgeUrl, sameOrigin } from '../../../src/guard/verdict.js';

const classOf = (host: string): string => classifyHost(new URL(`https://${host}/`).hostname);

describe('classifyHost', () => {
  const table: Record<ReturnType<typeof classifyHost>, string[]> = {
    public: [
      'api.example.com',
      'api.example.com.',
      'API.Example.COM',
      'ａｐｉ.example.com',
      'аpi.example.com',
      'faß.de',
      'api.example.com%2eevil.com',
      'evil-example.com',
      'localhost.example.com',
      'notlocalhost.com',
      'internal.example.com',
      'mylocal.dev',
      '127.0.0.1.nip.io',
      '8.8.8.8',
      '1.1.1.1',
      '134744072',
      '168.63.129.17',
      '172.15.0.1',
      '172.32.0.1',
      '[2606:4700:4700::1111]',
      '[2a00:1450::1]',
    ],
    loopback: [
      'localhost',
      'localhost.',
      'LOCALHOST',
      'x.localhost',
      'x.localhost.',
      '127.0.0.1',
      '127.0.0.1.',
      '127.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '①②⑦.⓪.⓪.①',
      '127.255.255.254',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
    ],
    denied: [
      '169.254.169.254',
      '2852039166',
      '0xa9fea9fe',
      '0251.0376.0251.0376',
      '169.254.43518',
      '100.100.100.200',
      '192.0.0.192',
      '100.64.0.1',
      '198.18.0.1',
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.1.1',
      '224.0.0.1',
      '240.0.0.1',
      '255.255.255.255',
      '0.0.0.0',
      '0',
      '192.0.2.1',
      '203.0.113.5',
      '168.63.129.16',
      '[::ffff:169.254.169.254]',
      '[0:0:0:0:0:ffff:a9fe:a9fe]',
      '[::ffff:127.0.0.1]',
      '[::169.254.169.254]',
      '[::127.0.0.1]',
      '[64:ff9b::a9fe:a9fe]',
      '[64:ff9b:1::a9fe:a9fe]',
      '[2002:a9fe:a9fe::]',
      '[2001:0:a9fe:a9fe::1]',
      '[::ffff:0:a9fe:a9fe]',
      '[fd00:ec2::254]',
      '[::]',
      '[fe80::1]',
      '[fec0::1]',
      '[ff02::1]',
      '[2001:db8::1]',
      '[3fff::1]',
      '[5f00::1]',
      '[100::1]',
      '[4000::1]',
      '[1fff::1]',
      'metadata',
      'metadata.google.internal',
      'metadata.google.internal.',
      'METADATA.google.internal',
      'x.internal',
      'printer.local',
      'printer.local.',
      'intranet',
      'intranet.',
      'metadata.goog',
      'metadata.tencentyun.com',
      'localhost..',
      'metadata.google.internal..',
      'api..example.com',
    ],
  };
  for (const [expected, hosts] of Object.entries(table)) {
    it.each(hosts)(`G1 ${expected}: %s`, (host) => {
      expect(classOf(host)).toBe(expected);
      // The check that needs no address library agrees.
      if (URL.canParse(`http://${host}`)) expect(isLoopback(new URL(`http://${host}`))).toBe(expected === 'loopback');
    });
  }

  it.each(['', '0177.0.0.1', '127.1', '0x7f.1', '1.2.3.256', '[::1', '[zz]', '[fe80::1%eth0]', '[2606:4700::1%eth0]'])(
    'G1 denies %j, which no URL parser gives',
    (hostname) => expect(classifyHost(hostname)).toBe('denied'),
  );

  it('G1 reads IPv6 with and without brackets', () => {
    expect(classifyHost('2606:4700::1111')).toBe('public');
    expect(classifyHost('::a9fe:a9fe')).toBe('denied');
  });
});

describe('judgeUrl', () => {
  it.each([
    'https://api.example.com/mcp',
    'http://api.example.com:8080/',
    'http://localhost:3000/mcp',
    'https:api.example.com/mcp',
  ])('G1 allows %s', (url) => expect(judgeUrl(new URL(url), undefined)).toEqual({ allowed: true }));

  it.each([
    'javascript:alert(1)',
    'data:text/plain,x',
    'file:///etc/passwd',
    'ftp://example.com/',
    'ws://example.com/',
    'wss://example.com/',
    'blob:https://api.example.com/x',
    's3://bucket/key',
    'unix:/var/run/x.sock',
    'pipe:x',
  ])('G1 denies the scheme of %s', (url) => {
    expect(judgeUrl(new URL(url), undefined)).toMatchObject({ allowed: false, code: 'host-denied' });
  });

  it.each([
    'https://api.example.com@evil.com/',
    'https://api.example.com:pw@evil.com',
    'https://evil.com:443@api.example.com/',
    'https://user@api.example.com/',
    'https://:pw@api.example.com/',
  ])('G1 denies the user name or password in %s', (url) => {
    expect(judgeUrl(new URL(url), undefined)).toMatchObject({ allowed: false, code: 'host-denied' });
  });

  it('G1 denies a private host and says which and what to do', () => {
    const verdict = judgeUrl(new URL('http://10.0.0.1:81/secret-path?token=secret-query#secret-hash'), undefined);
    expect(verdict).toEqual({
      allowed: false,
      code: 'host-denied',
      reason: expect.stringMatching(/^10\.0\.0\.1:81 .*use the server's public host name/),
    });
  });

  it.each([
    'https://secret:secret@example.com/secret?secret',
    'http://192.168.0.1/secret?secret#secret',
    'secret:secret@host',
    'ftp://secret:secret@example.com/secret',
  ])('G1 keeps path, query and userinfo of %s out of the reason', (url) => {
    const verdict = judgeUrl(new URL(url), undefined);
    expect(verdict.allowed).toBe(false);
    expect(JSON.stringify(verdict)).not.toContain('secret');
  });
});

describe('sameOrigin and isLoopback', () => {
  it.each([
    ['https://a.com/x', 'https://a.com:443/y', true],
    ['https://a.com/', 'https://A.com/', true],
    ['https://a.com/', 'http://a.com/', false],
    ['https://a.com/', 'https://a.com:8443/', false],
    ['https://a.com/', 'https://a.com./', false],
    ['https://a.com/', 'blob:https://a.com/x', false],
    ['data:,x', 'data:,y', false],
  ])('G4 sameOrigin(%s, %s) is %s', (a, b, expected) => {
    expect(sameOrigin(new URL(a), new URL(b))).toBe(expected);
  });

  it('G4 knows loopback', () => {
    expect(isLoopback(new URL('http://[::1]:8080/'))).toBe(true);
    expect(isLoopback(new URL('http://example.com/'))).toBe(false);
  });
});
