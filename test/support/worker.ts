import { env } from 'cloudflare:workers';
import {
  createMcpTools,
  isMcpError,
  type McpOptions,
  type McpServerConfig,
  type McpToolset,
  mcpTools,
} from '../../src/index.js';

/** What one request to the Worker came to. */
export interface Answer {
  readonly value?: unknown;
  readonly error?: { readonly name: string; readonly code?: string; readonly message: string };
  readonly ms: number;
}

const server: McpServerConfig = JSON.parse(env.SERVER ?? '{}');
const options: McpOptions = JSON.parse(env.OPTIONS ?? '{}');
/** Made before any request, and opened in the first one that asks for its tools. */
const lazy = createMcpTools(server, options);
/** Made by the first request, and kept for the others. */
let kept: McpToolset | undefined;

const unhandled: string[] = [];
addEventListener('unhandledrejection', (event) => {
  unhandled.push(String((event as Event & { readonly reason?: unknown }).reason));
});

async function toolsOf(query: URLSearchParams) {
  if (query.get('kind') === 'lazy') return lazy.tools();
  kept ??= await mcpTools([server], { ...options, onServerError: 'throw' });
  return kept.tools;
}

const actions: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
  '/names': async (query) => Object.keys(await toolsOf(query)),
  '/call': async (query) => {
    const tools = await toolsOf(query);
    const controller = new AbortController();
    const abortMs = query.get('abortMs');
    if (abortMs !== null) setTimeout(() => controller.abort(new Error('changed my mind')), Number(abortMs));
    const args = JSON.parse(query.get('args') ?? '{}') as unknown;
    return tools[query.get('tool') ?? '']!.execute(args, { abortSignal: controller.signal });
  },
  '/refresh': () => kept?.refresh(undefined, { force: true }),
  '/close': (query) => (query.get('kind') === 'lazy' ? lazy.close() : kept?.close()),
  '/unhandled': () => unhandled,
  '/platform': async () => {
    const noModule = () => 'undefined';
    // Not written as a literal: a bundler would resolve it.
    const name = ['node', 'fs'].join(':');
    return [typeof process, typeof Buffer, await import(name).then((fs: unknown) => typeof fs, noModule)];
  },
};

async function perform({ pathname, searchParams }: URL): Promise<Answer> {
  const startedAt = Date.now();
  const took = () => Date.now() - startedAt;
  try {
    const value = (await actions[pathname]!(searchParams)) ?? null;
    return { value, ms: took() };
  } catch (error) {
    const { name, message } = error as Error;
    return { error: { name, message, ...(isMcpError(error) ? { code: error.code } : {}) }, ms: took() };
  }
}

export default {
  fetch: async (request: Request) => Response.json(await perform(new URL(request.url))),
};
