import { env } from 'cloudflare:workers';
import { isMcpError, type McpToolset, mcpTools } from '../../src/index.js';
import { memoryProvider } from './oauth-provider.js';

/** Made by the first request, and kept for the others. */
let kept: McpToolset | undefined;
const provider = memoryProvider();

async function perform({ pathname, searchParams }: URL): Promise<unknown> {
  const headers = { 'x-api-key': 'canary-header' };
  kept ??= await mcpTools([{ name: 'crm', type: 'streamable-http', url: env.SERVER ?? '', headers }], {
    session: { id: 'alice' },
    oauth: () => provider,
    onDiagnostic() {},
  });
  if (pathname === '/finish') await kept.finishAuth('crm', searchParams);
  if (pathname === '/call') return kept.tools.crm__echo!.execute({ message: searchParams.get('message') });
  const [status] = kept.servers;
  return { state: status?.state, page: status?.authorizationUrl?.href, code: status?.error?.code };
}

export default {
  async fetch(request: Request): Promise<Response> {
    try {
      return Response.json(await perform(new URL(request.url)));
    } catch (error) {
      return Response.json({ code: isMcpError(error) ? error.code : String(error) });
    }
  },
};
