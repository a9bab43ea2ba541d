import { describe, expect, it } from 'vitest';
import type { RawServerOptions } from '../support/raw-server.js';
import { rpcError } from '../support/raw-server.js';
import { createRig, ERAS, namesOf, rejection, tool } from './rig.js';

const rig = createRig();

async function list(options: RawServerOptions, limits = {}) {
  const server = await rig.raw(options);
  const { toolset, diagnostics } = await rig.wire([{ name: 's', type: 'http', url: server.url }], { limits });
  const truncated = diagnostics.filter(({ code }) => code === 'discovery-truncated');
  return { server, toolset, truncated, names: namesOf(toolset.tools), cursors: cursorsOf(server) };
}

const cursorsOf = ({ requests }: { requests: readonly { method?: string; params?: unknown }[] }) =>
  requests
    .filter(({ method }) => method === 'tools/list')
    .map(({ params }) => (params as { cursor?: unknown })?.cursor);

/** Asks for a required server, which may not be read in part. */
async function requireIt(options: RawServerOptions, limits = {}) {
  const server = await rig.raw(options);
  const error = await rejection(rig.wire([{ name: 's', type: 'http', url: server.url, required: true }], { limits }));
  return { server, error };
}

describe.each(ERAS)('%s', (era) => {
  it('L2 pages are followed to the end, in either form of answer', async () => {
    const pages = Array.from({ length: 60 }, (_, index) => [tool(`t${index}a`), tool(`t${index}b`)]);
    for (const format of ['json', 'sse'] as const) {
      const { names, truncated, cursors } = await list({ era, format, pages });
      expect(names).toHaveLength(120);
      expect(truncated).toEqual([]);
      expect(cursors).toEqual([undefined, ...pages.slice(1).map((_, index) => `page-${index + 1}`)]);
    }
  });

  it('L2 an empty string is a cursor and is sent back as one', async () => {
    const { names, truncated, cursors } = await list({
      era,
      pages: [{ tools: [tool('a')], nextCursor: '' }, { tools: [tool('b')], nextCursor: 'x' }, { tools: [tool('c')] }],
    });
    expect(names).toEqual(['s__a', 's__b', 's__c']);
    expect(truncated).toEqual([]);
    expect(cursors).toEqual([undefined, '', 'x']);
  });

  it.each([1, 2, 5])(
    'L2 cursors that repeat with a period of %i end the walk; what was read is kept',
    async (period) => {
      let page = 0;
      const pages = () => ({ tools: [tool(`t${page}`)], nextCursor: `c${page++ % period}` });
      const { names, truncated, server } = await list({ era, pages });
      expect(names).toHaveLength(period + 1);
      expect(server.count('tools/list')).toBe(period + 1);
      expect(truncated).toMatchObject([
        { level: 'warn', server: 's', data: { reason: 'repeated-cursor', pages: period + 1, tools: period + 1 } },
      ]);
    },
  );

  it.each([
    ['HTTP 500', { status: { status: 500 } }],
    ['a page of HTML', { status: { status: 200, body: '<html>no</html>', headers: { 'content-type': 'text/html' } } }],
    ['broken JSON', { status: { status: 200, body: '{"jsonrpc":"2.0","id":' } }],
    ['a JSON-RPC error', { status: { status: 200, error: { code: -32603, message: 'no' } } }],
    ['a response that ends', { drop: true }],
  ] as const)('L2 a later page that fails with %s keeps what was read', async (_label, fault) => {
    let page = 0;
    const server = await rig.raw({
      era,
      pages: () => {
        page += 1;
        if (page === 2) {
          if ('status' in fault) server.set({ status: { 'tools/list': fault.status } });
          else server.set({ onRequest: ({ method }, response) => method === 'tools/list' && !!response.destroy() });
        }
        return { tools: [tool(`t${page}`)], nextCursor: `c${page}` };
      },
    });
    const { toolset, diagnostics } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    expect(namesOf(toolset.tools)).toEqual(['s__t1', 's__t2']);
    expect(toolset.servers[0]).toMatchObject({ state: 'ready', tools: { active: 2 } });
    expect(diagnostics).toMatchObject([
      { code: 'discovery-truncated', data: { reason: 'failed-page', pages: 2, tools: 2 } },
    ]);
  });

  it.each([7, true, {}, ['c']])('L2 a cursor that is %j cannot be followed, which is reported', async (nextCursor) => {
    const { names, truncated, server } = await list({ era, pages: () => ({ tools: [tool('a')], nextCursor }) });
    expect(names).toEqual(['s__a']);
    expect(server.count('tools/list')).toBe(1);
    expect(truncated).toMatchObject([{ data: { reason: 'failed-page', pages: 1, tools: 1 } }]);
  });

  it('L2 a cursor of null ends the list as a missing one does', async () => {
    const { names, truncated } = await list({ era, pages: () => ({ tools: [tool('a')], nextCursor: null }) });
    expect(names).toEqual(['s__a']);
    expect(truncated).toEqual([]);
  });

  it.each([undefined, null, 'tools', {}, 7])(
    'L2 tools that are %j on the first page fail the server',
    async (tools) => {
      const server = await rig.raw({ era, pages: () => ({ tools }) as never });
      const { toolset, diagnostics } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
      const [status] = toolset.servers;
      expect(status).toMatchObject({
        state: 'failed',
        error: { name: 'McpProtocolError', code: 'protocol', server: 's' },
      });
      expect(diagnostics).toMatchObject([{ code: 'server-failed', data: { errorCode: 'protocol', required: false } }]);
    },
  );

  it('L2 a server that does not know tools/list has no tools, and is no failure', async () => {
    const refusal = { status: era === 'modern' ? 404 : 200, error: { code: -32601, message: 'Method not found' } };
    const server = await rig.raw({ era, capabilities: {}, status: { 'tools/list': refusal } });
    const { toolset, diagnostics } = await rig.wire([{ name: 's', type: 'http', url: server.url, required: true }]);
    expect(toolset.servers).toMatchObject([{ state: 'ready', tools: { active: 0, quarantined: 0 } }]);
    expect(diagnostics).toEqual([]);
  });

  it('L2 a JSON-RPC error to the first page fails the server with its code', async () => {
    const refusal = { status: 200, error: { code: -32603, message: 'index is down' } };
    const server = await rig.raw({ era, status: { 'tools/list': refusal } });
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
    expect(toolset.servers[0]?.error).toMatchObject({ code: 'protocol', rpcCode: -32603 });
    expect(toolset.servers[0]?.error?.message).toContain('index is down');
  });
});

describe('bounds', () => {
  const endless = (size: number, rest = {}) => {
    let page = 0;
    return () => {
      page += 1;
      return {
        tools: Array.from({ length: size }, (_, index) => tool(`t${page}x${index}`, rest)),
        nextCursor: `c${page}`,
      };
    };
  };

  it.each([
    ['pages', { listPages: 3 }, 6, 3],
    ['tools', { toolsPerServer: 5 }, 5, 3],
    ['bytes', { listBytes: 400 }, 3, 2],
  ] as const)('L2 the limit of %s keeps what was read and reports', async (reason, limits, kept, pages) => {
    const { names, truncated, server } = await list({ pages: endless(2) }, limits);
    expect(names).toHaveLength(kept);
    expect(truncated).toMatchObject([{ level: 'warn', data: { reason, tools: kept, pages } }]);
    expect(server.count('tools/list')).toBe(pages);
  });

  it('L2 exactly as many pages and tools as allowed are no excess', async () => {
    const pages = [[tool('a')], [tool('b')], [tool('c')]];
    const { names, truncated } = await list({ pages }, { listPages: 3, toolsPerServer: 3 });
    expect(names).toHaveLength(3);
    expect(truncated).toEqual([]);
  });

  it('L2 entries that are refused count for the byte limit too', async () => {
    const { truncated, server } = await list(
      { pages: endless(2, { description: null, padding: 'x'.repeat(10_000) }) },
      { listBytes: 100_000 },
    );
    expect(truncated).toMatchObject([{ data: { reason: 'bytes' } }]);
    expect(server.count('tools/list')).toBeLessThan(8);
  });

  it('L2 the default of 64 pages holds against an endless list', async () => {
    const { names, truncated, server } = await list({ pages: endless(1) });
    expect(names).toHaveLength(64);
    expect(server.count('tools/list')).toBe(64);
    expect(truncated).toMatchObject([{ data: { reason: 'pages', pages: 64, tools: 64 } }]);
  });

  it.each([
    ['listPages', { listPages: 3 }, 3],
    ['toolsPerServer', { toolsPerServer: 5 }, 5],
    ['listBytes', { listBytes: 400 }, 400],
  ] as const)('L2 W2 a required server beyond %s fails with that limit', async (limit, limits, max) => {
    const { error, server } = await requireIt({ pages: endless(2) }, limits);
    expect(error).toMatchObject({ name: 'McpLimitError', code: 'limit', limit, max, server: 's' });
    expect(server.sessions.size).toBe(0);
  });

  it('L2 W2 a required server whose cursors repeat, or whose later page fails, fails', async () => {
    const repeats = await requireIt({ pages: () => ({ tools: [tool('a')], nextCursor: 'again' }) });
    expect(repeats.error).toMatchObject({ code: 'protocol', server: 's' });
    let page = 0;
    const fails = await requireIt({
      era: 'legacy',
      pages: () => (page++ === 0 ? { tools: [tool('a')], nextCursor: 'x' } : (rpcError(-32603, 'no') as never)),
    });
    expect(fails.error).toMatchObject({ code: 'protocol', server: 's' });
  });
});
