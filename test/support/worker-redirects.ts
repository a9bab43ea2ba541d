import { env } from 'cloudflare:workers';
import { type HttpServer, isMcpError, mcpTools } from '../../src/index.js';

const server: HttpServer = JSON.parse(env.SERVER ?? '{}');

/** Connects with the policy that the query names, listens for changes, calls a tool and closes. */
async function perform(query: URLSearchParams): Promise<{ state: string | undefined; code: string }> {
  const redirect = query.get('policy') as NonNullable<HttpServer['redirect']>;
  const toolset = await mcpTools([{ ...server, redirect }], {
    session: { id: 'ada' },
    auth: async () => ({ token: `${env.TOKEN}1` }),
    onToolsChanged() {},
    onDiagnostic() {},
    timeoutMs: 5_000,
  });
  const state = toolset.servers[0]?.state;
  const code = await (toolset.tools.s__effect?.execute({ key: 'k' }) ?? Promise.reject()).then(
    () => 'ok',
    (error: unknown) => (isMcpError(error) ? error.code : String(error)),
  );
  await toolset.close();
  return { state, code };
}

export default {
  fetch: async (request: Request) => Response.json(await perform(new URL(request.url).searchParams)),
};
