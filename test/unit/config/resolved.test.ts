import { describe, expect, it, vi } from 'vitest';
import { resolveOptions } from '../../../src/config/resolve-options.js';
import { resolveServer } from '../../../src/config/resolve-servers.js';
import type { McpServerConfig } from '../../../src/core/servers.js';

describe('options', () => {
  it('have the documented defaults', () => {
    expect(resolveOptions()).toMatchObject({
      timeoutMs: 60_000,
      connectTimeoutMs: 10_000,
      names: 'rewrite',
      throwOnServerError: false,
      clientInfo: { name: 'mcp-toolset', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
      limits: {
        listPages: 64,
        resultTokens: 25_000,
        toolsPerServer: 10_000,
        listBytes: 16 * 2 ** 20,
        responseBytes: 32 * 2 ** 20,
        mediaBytes: 20 * 2 ** 20,
        schemaDepth: 64,
        schemaNodes: 10_000,
        redirects: 5,
      },
    });
  });

  it('are frozen, and a limit may be infinite or left to its default', () => {
    const resolved = resolveOptions({ limits: { listPages: Number.POSITIVE_INFINITY, redirects: 1 } });
    expect(resolved.limits).toMatchObject({ listPages: Number.POSITIVE_INFINITY, redirects: 1, schemaDepth: 64 });
    expect(Object.isFrozen(resolved) && Object.isFrozen(resolved.limits)).toBe(true);
  });

  it('call the global fetch as it is at that moment, without a receiver', async () => {
    const { fetch } = resolveOptions();
    const receivers: unknown[] = [];
    vi.stubGlobal('fetch', async function (this: unknown) {
      receivers.push(this);
      return new Response('later');
    });
    try {
      expect(await (await fetch('https://a.example')).text()).toBe('later');
    } finally {
      vi.unstubAllGlobals();
    }
    expect(receivers).toEqual([undefined]);
  });
});

const resolve = (server: McpServerConfig) => resolveServer(server, resolveOptions());

describe('servers', () => {
  const http = { name: 'a', type: 'http', url: 'https://A.example:443/mcp?key=1#part' } as const;

  it('have the documented defaults', () => {
    expect(resolve(http)).toMatchObject({
      kind: 'http',
      configuredName: 'a',
      protocol: 'auto',
      redirect: 'same-origin',
      fallbackToSse: true,
      required: false,
      prefix: undefined,
      timeoutMs: undefined,
      headers: {},
    });
    expect(resolve({ ...http, type: 'streamable-http' })).toMatchObject({ kind: 'http', fallbackToSse: false });
    expect(resolve({ ...http, type: 'sse' })).toMatchObject({ kind: 'sse', protocol: 'legacy' });
    expect(resolve({ ...http, type: 'sse', protocol: 'auto' })).toMatchObject({ protocol: 'legacy' });
  });

  it('keep the query, drop the fragment, and copy the URL and headers', () => {
    const url = new URL(http.url);
    const headers = { authorization: 'x' };
    const server = resolve({ ...http, url, headers });
    url.pathname = '/other';
    headers.authorization = 'y';
    expect(server).toMatchObject({ headers: { authorization: 'x' } });
    expect((server as { url: URL }).url.href).toBe('https://a.example/mcp?key=1');
  });

  it('are identified by name, kind, origin and path alone', () => {
    const identity = (rest: object) => resolve({ ...http, ...rest } as never).identity;
    const own = identity({});
    expect(own).toMatch(/^[0-9a-f]{64}$/);
    for (const same of [
      { url: 'https://a.example/mcp' },
      { url: 'https://u:p@a.example/mcp?other' },
      { type: 'streamable-http' },
      { headers: { a: 'b' }, prefix: 'p', required: true },
    ]) {
      expect(identity(same)).toBe(own);
    }
    for (const other of [
      { name: 'b' },
      { type: 'sse' },
      { url: 'https://a.example/mcp/' },
      { url: 'https://a.example:8443/mcp' },
      { url: 'http://a.example/mcp' },
    ]) {
      expect(identity(other)).not.toBe(own);
    }
  });

  it('may be objects of a class with more to them', async () => {
    class Recorder {
      readonly name = 'r';
      readonly type = 'custom';
      readonly calls: number[] = [];
      #transport = { start: async () => {}, send: async () => {}, close: async () => {} };
      connect() {
        this.calls.push(1);
        return this.#transport;
      }
    }
    const recorder = new Recorder();
    const server = resolve(recorder);
    if (server.kind !== 'custom') throw new Error('not custom');
    await server.connect({ signal: new AbortController().signal });
    expect(recorder.calls).toEqual([1]);
  });
});
