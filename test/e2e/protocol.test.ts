import { describe, expect, inject, it } from 'vitest';
import type { ProtocolChoice } from '../../src/index.js';
import { namesOf } from './rig.js';
import { callText, createKit, custom, fakeTransport, http, tool } from './wiring-kit.js';

const kit = createKit();

type Flavour = 'dual' | 'legacy' | 'modern';
type Key = 'sdkDualUrl' | 'sdkLegacyUrl' | 'sdkModernUrl' | 'sdk1HttpUrl' | 'everythingHttpUrl';
const LEGACY = { era: 'legacy', protocolVersion: '2025-11-25' };
const MODERN = { era: 'modern', protocolVersion: '2026-07-28' };
const UNSUPPORTED = { error: { name: 'McpConnectError', code: 'protocol-unsupported' } };

/** What each choice comes to, by what the server speaks. */
const MATRIX: Readonly<Record<Flavour, Readonly<Record<ProtocolChoice, object>>>> = {
  dual: { auto: MODERN, modern: MODERN, legacy: LEGACY },
  legacy: { auto: LEGACY, modern: UNSUPPORTED, legacy: LEGACY },
  modern: { auto: MODERN, modern: MODERN, legacy: UNSUPPORTED },
};
const choices = (flavour: Flavour) => Object.entries(MATRIX[flavour]) as [ProtocolChoice, object][];

const sdkServers: [Key, Flavour][] = [
  ['sdkDualUrl', 'dual'],
  ['sdkLegacyUrl', 'legacy'],
  ['sdk1HttpUrl', 'legacy'],
  ['everythingHttpUrl', 'legacy'],
  ['sdkModernUrl', 'modern'],
];

describe.each(sdkServers)('the real server at %s', (key, flavour) => {
  it.each(choices(flavour))('W7 with protocol %s', async (protocol, expected) => {
    const toolset = await kit.wire([{ name: 's', type: 'http', url: inject(key), protocol }]);
    expect(toolset.servers[0]).toMatchObject(expected);
    if ('error' in expected) return;
    expect(await callText(toolset, 's__echo', { message: 'hi' })).toContain('hi');
  });
});

describe.each([
  ['both', 'dual'],
  ['legacy', 'legacy'],
  ['modern', 'modern'],
] as const)('a scripted server of era %s', (era, flavour) => {
  it.each(choices(flavour))('W7 with protocol %s', async (protocol, expected) => {
    for (const format of ['json', 'sse'] as const) {
      const server = await kit.raw({ era, format });
      const toolset = await kit.wire([{ ...http('s', server), protocol }]);
      expect(toolset.servers[0]).toMatchObject(expected);
      if ('error' in expected) expect(server.count('tools/list')).toBe(0);
      else expect(await callText(toolset, 's__a', { q: 'x' })).toBe('{"q":"x"}');
      // The failed choice costs no further tries: nothing but POSTs of handshakes.
      expect(server.count('GET')).toBe(0);
    }
  });
});

describe('round trips of a first connect', () => {
  const trips = async (era: 'legacy' | 'modern' | 'both', protocol: ProtocolChoice) => {
    const server = await kit.raw({ era });
    const toolset = await kit.wire([{ ...http('s', server), protocol }]);
    expect(namesOf(toolset.tools)).toEqual(['s__a']);
    return server.requests.map(({ method, http: verb }) => method ?? verb);
  };

  it('W7 the old handshake is three requests and opens no stream', async () => {
    const old = ['initialize', 'notifications/initialized', 'tools/list'];
    expect(await trips('legacy', 'legacy')).toEqual(old);
    expect(await trips('both', 'legacy')).toEqual(old);
  });

  it('W7 asking an old server first costs one more', async () => {
    const asked = ['server/discover', 'initialize', 'notifications/initialized', 'tools/list'];
    expect(await trips('legacy', 'auto')).toEqual(asked);
  });

  it('W7 2026-07-28 is two requests', async () => {
    expect(await trips('modern', 'auto')).toEqual(['server/discover', 'tools/list']);
    expect(await trips('modern', 'modern')).toEqual(['server/discover', 'tools/list']);
    expect(await trips('both', 'auto')).toEqual(['server/discover', 'tools/list']);
  });

  it('W7 a second listing and calls ask for no era again', async () => {
    const server = await kit.raw({ era: 'legacy' });
    const toolset = await kit.wire([http('s', server)]);
    server.reset();
    await toolset.refresh();
    await callText(toolset, 's__a');
    expect(server.requests.map(({ method }) => method)).toEqual(['tools/list', 'tools/call']);
  });
});

describe('what the negotiation says', () => {
  it('W7 older revisions are spoken as negotiated and sent with each request', async () => {
    const server = await kit.raw({
      era: 'legacy',
      onRequest: ({ method, id }, response) => {
        if (method !== 'initialize') return false;
        const result = {
          protocolVersion: '2025-03-26',
          capabilities: { tools: {} },
          serverInfo: { name: 'old', version: '1' },
        };
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        return true;
      },
      session: false,
    });
    const toolset = await kit.wire([http('s', server)]);
    expect(toolset.servers[0]).toMatchObject({ era: 'legacy', protocolVersion: '2025-03-26' });
    expect(server.find('tools/list')!.headers['mcp-protocol-version']).toBe('2025-03-26');
  });

  it('W7 a revision that nobody knows is refused', async () => {
    const answer = (method: string) =>
      method === 'initialize'
        ? { result: { protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 'x', version: '1' } } }
        : { error: { code: -32601, message: 'no' } };
    const transport = fakeTransport({ answer });
    const toolset = await kit.wire([custom('s', () => transport)]);
    expect(toolset.servers[0]).toMatchObject({ state: 'failed', ...UNSUPPORTED });
    expect(transport.closes).toBeGreaterThan(0);
  });

  it('W7 a verdict is remembered for the next connect of the same toolset', async () => {
    const transports: ReturnType<typeof fakeTransport>[] = [];
    const server = custom('s', () => {
      transports.push(fakeTransport());
      return transports.at(-1)!;
    });
    const toolset = await kit.wire([server]);
    const methods = (index: number) =>
      transports[index]!.sent.map((message) => ('method' in message ? message.method : ''));
    expect(methods(0)[0]).toBe('server/discover');
    transports[0]!.onclose?.();
    await callText(toolset, 's__a');
    expect(methods(1)).toEqual(['initialize', 'notifications/initialized', 'tools/call']);
  });

  it('W7 a modern verdict saves the question too', async () => {
    const discover = {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'm', version: '1' } },
    };
    const answer = (method: string) => {
      if (method === 'server/discover') return { result: discover };
      if (method !== 'tools/list') return { result: { resultType: 'complete', content: [] } };
      return { result: { resultType: 'complete', tools: [tool('a')], ttlMs: 0, cacheScope: 'private' } };
    };
    const transports: ReturnType<typeof fakeTransport>[] = [];
    const server = custom('s', () => {
      transports.push(fakeTransport({ answer }));
      return transports.at(-1)!;
    });
    const toolset = await kit.wire([server]);
    expect(toolset.servers[0]).toMatchObject(MODERN);
    transports[0]!.onclose?.();
    await callText(toolset, 's__a');
    expect(transports[1]!.sent.map((message) => ('method' in message ? message.method : ''))).toEqual(['tools/call']);
  });
});
