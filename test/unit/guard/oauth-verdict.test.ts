import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAllowedHost } from '../../../src/guard/allowlist.js';
import { judgeOAuthUrl, type OAuthPurpose } from '../../../src/guard/oauth-verdict.js';

const PUBLIC = 'https://mcp.example/mcp';
const LOCAL = 'http://127.0.0.1:8000/mcp';

function allowed(purpose: OAuthPurpose, url: string, home: string, hosts?: readonly string[]): boolean {
  const list = hosts?.map((entry) => parseAllowedHost(entry)!);
  const verdict = judgeOAuthUrl(new URL(url), { purpose, home: new URL(home), allowed: list });
  if (!verdict.allowed) expect(verdict).toMatchObject({ code: 'host-denied', reason: expect.stringMatching(/./) });
  return verdict.allowed;
}

describe('resource metadata', () => {
  it.each([
    ['https://mcp.example/.well-known/x', true],
    ['https://mcp.example:8443/x', false],
    ['http://mcp.example/x', false],
    ['https://other.example/x', false],
    ['https://user@mcp.example/x', false],
    ['file:///etc/passwd', false],
    ['data:application/json,{}', false],
    ['blob:https://mcp.example/x', false],
  ])('G11 %s: %s', (url, verdict) => {
    expect(allowed('resource-metadata', url, PUBLIC)).toBe(verdict);
  });

  it('G11 elsewhere where its host is named, and not even at home where the list leaves that out', () => {
    const url = 'https://meta.example/x';
    expect(allowed('resource-metadata', url, PUBLIC, ['mcp.example', 'meta.example'])).toBe(true);
    expect(allowed('resource-metadata', url, PUBLIC, ['mcp.example'])).toBe(false);
    expect(allowed('resource-metadata', 'https://mcp.example/x', PUBLIC, ['meta.example'])).toBe(false);
    // Whoever is on the way could name an authorization server of his own.
    expect(allowed('resource-metadata', 'http://meta.example/x', PUBLIC, ['mcp.example', 'meta.example'])).toBe(false);
    expect(allowed('resource-metadata', 'http://127.0.0.1:9/x', PUBLIC, ['mcp.example', '127.0.0.1:9'])).toBe(true);
  });

  it('G11 of a server on https never over plain http, also where the host is named', () => {
    const hosts = ['mcp.example:*', 'meta.example', 'localhost:9000', '10.0.0.1'];
    for (const url of ['http://mcp.example/x', 'http://meta.example/x', 'http://10.0.0.1/x']) {
      expect(allowed('resource-metadata', url, PUBLIC, hosts)).toBe(false);
      expect(allowed('resource-metadata', url.replace('http:', 'https:'), PUBLIC, hosts)).toBe(true);
    }
    expect(allowed('resource-metadata', 'http://localhost:9000/x', PUBLIC, hosts)).toBe(true);
    // One that may be asked in plain text gives its metadata so, and no other.
    expect(allowed('resource-metadata', 'http://mcp.example/x', 'http://mcp.example/mcp', hosts)).toBe(true);
    expect(allowed('resource-metadata', 'http://meta.example/x', 'http://mcp.example/mcp', hosts)).toBe(false);
  });
});

describe.each(['authorization-server', 'authorization-page'] as const)('%s', (purpose) => {
  it.each([
    ['https://as.example/x', PUBLIC, true],
    ['https://mcp.example/x', PUBLIC, true],
    ['http://as.example/x', PUBLIC, false],
    ['http://localhost:9000/x', PUBLIC, false],
    ['https://localhost:9000/x', PUBLIC, false],
    ['http://localhost:9000/x', LOCAL, true],
    ['http://[::1]:9000/x', LOCAL, true],
    ['https://as.example/x', LOCAL, true],
    ['http://as.example/x', LOCAL, false],
    ['https://10.0.0.1/x', PUBLIC, false],
    ['https://10.0.0.1/x', LOCAL, false],
    ['https://169.254.169.254/x', PUBLIC, false],
    ['https://[::ffff:127.0.0.1]/x', PUBLIC, false],
    ['https://metadata.google.internal/x', PUBLIC, false],
    ['https://user:pass@as.example/x', PUBLIC, false],
    ['javascript:alert(1)', PUBLIC, false],
    ['vscode://x/y', LOCAL, false],
    ['file:///etc/passwd', LOCAL, false],
  ])('G11 %s of a server on %s: %s', (url, home, verdict) => {
    expect(allowed(purpose, url, home)).toBe(verdict);
  });

  it('G11 naming a host opens it, but never plain http', () => {
    expect(allowed(purpose, 'https://10.0.0.1/x', PUBLIC, ['10.0.0.1'])).toBe(true);
    expect(allowed(purpose, 'http://10.0.0.1/x', PUBLIC, ['10.0.0.1'])).toBe(false);
    expect(allowed(purpose, 'http://localhost:9000/x', PUBLIC, ['localhost:9000'])).toBe(true);
    expect(allowed(purpose, 'https://user@10.0.0.1/x', PUBLIC, ['10.0.0.1'])).toBe(false);
  });
});

it('G11 a list binds what is requested here, and not where the user goes', () => {
  expect(allowed('authorization-server', 'https://as.example/x', PUBLIC, ['mcp.example'])).toBe(false);
  expect(allowed('authorization-page', 'https://as.example/x', PUBLIC, ['mcp.example'])).toBe(true);
});

it('G11 nothing of a URL but its origin is ever told', () => {
  fc.assert(
    fc.property(fc.webPath(), fc.webQueryParameters(), (path, query) => {
      const url = new URL(`http://as.example/canary${path}?canary=${query}`);
      const verdict = judgeOAuthUrl(url, {
        purpose: 'authorization-server',
        home: new URL(PUBLIC),
        allowed: undefined,
      });
      expect(JSON.stringify(verdict)).not.toContain('canary');
    }),
  );
});
