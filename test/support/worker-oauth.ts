import { env } from 'cloudflare:workers';
import { isMcpError, type McpToolset, mcpTools } from '../../src/index.js';
import { type MemoryProvider, memoryProvider } from './oauth-provider.js';

interface Kept {
  readonly provider: MemoryProvider;
  readonly toolset: McpToolset;
}

/** By the server's URL: made by the first request that names it, and kept for the others. */
const kept = new Map<string, Kept>();

async function open(url: string): Promise<Kept> {
  const provider = memoryProvider();
  const headers = { 'x-api-key': 'canary-header' };
  const toolset = await mcpTools([{ name: 'crm', type: 'streamable-http', url, headers }], {
    session: { id: 'alice' },
    oauth: () => provider,
    connectTimeoutMs: 4_000,
    onDiagnostic() {},
  });
  return { provider, toolset };
}

async function perform({ pathname, searchParams }: URL): Promise<unknown> {
  const url = searchParams.get('server') ?? env.SERVER ?? '';
  const { toolset, provider } = kept.get(url) ?? (await open(url));
  kept.set(url, { toolset, provider });
  if (pathname === '/finish') await toolset.finishAuth('crm', searchParams);
  if (pathname === '/refresh') await toolset.refresh('crm', { force: true }).catch(() => {});
  if (pathname === '/call') return toolset.tools.crm__echo!.execute({ message: searchParams.get('message') });
  const [status] = toolset.servers;
  const { authorizationUrl, error } = status ?? {};
  return { state: status?.state, page: authorizationUrl?.href, code: error?.code, pages: provider.pages.length };
}

async function answer(url: URL): Promise<Response> {
  try {
    return Response.json(await perform(url));
  } catch (error) {
    return Response.json({ code: isMcpError(error) ? error.code : String(error) });
  }
}

export default {
  fetch(request: Request, _: unknown, context: { waitUntil(work: Promise<unknown>): void }): Promise<Response> {
    const url = new URL(request.url);
    const work = answer(url);
    if (url.searchParams.has('lasting')) context.waitUntil(work);
    return work;
  },
};
