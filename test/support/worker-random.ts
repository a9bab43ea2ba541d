import { env } from 'cloudflare:workers';
import { type McpOptions, type McpServerConfig, type McpToolset, mcpTools } from '../../src/index.js';
import { type Calling, callRandomly } from '../e2e/random-calls-run.js';

const server: McpServerConfig = JSON.parse(env.SERVER ?? '{}');
const options: McpOptions = JSON.parse(env.OPTIONS ?? '{}');
/** One for all requests to this Worker, made by the first. */
let toolset: Promise<McpToolset> | undefined;

/** Before 2025-11 the runtime also names those that are taken a little later, and takes that back. */
const unhandled = new Map<unknown, string>();
addEventListener('unhandledrejection', (event) => {
  const { promise, reason } = event as Event & { readonly promise?: unknown; readonly reason?: unknown };
  unhandled.set(promise, String(reason));
});
addEventListener('rejectionhandled', (event) => {
  unhandled.delete((event as Event & { readonly promise?: unknown }).promise);
});

const open = () => mcpTools([server], { ...options, onServerError: 'throw' });

/** Over HTTP+SSE a toolset lives as long as the request that opened it; its first connect may meet a fault, too. */
async function callAlone(calling: Calling) {
  let own: McpToolset | undefined;
  for (let tries = 0; own === undefined; tries++) {
    own = await open().catch((error: unknown) => {
      if (tries === 5) throw error;
      return undefined;
    });
  }
  try {
    return await callRandomly(own, calling);
  } finally {
    await own.close();
  }
}

async function perform({ pathname, searchParams }: URL): Promise<unknown> {
  const [seed, calls, workers] = ['seed', 'calls', 'workers'].map((name) => Number(searchParams.get(name)));
  const calling = { seed: seed!, calls: calls!, workers: workers!, prefix: `${seed}-` };
  switch (pathname) {
    case '/open':
      toolset = open();
      return Object.keys((await toolset).tools);
    case '/calls':
      return callRandomly(await toolset!, calling);
    case '/alone':
      return callAlone(calling);
    case '/close':
      await (await toolset)?.close();
      return [...unhandled.values()];
    default:
      throw new Error(`Nothing at ${pathname}`);
  }
}

export default {
  fetch: async (request: Request) => Response.json(await perform(new URL(request.url))),
};
