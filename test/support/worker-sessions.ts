import { env } from 'cloudflare:workers';
import { createMcpTools, type McpOptions, type McpServerConfig, mcpTools } from '../../src/index.js';

const server: McpServerConfig = JSON.parse(env.SERVER ?? '{}');

/** Whether the next question of this session never ends. */
const hangs = new Set<string>();
let questions = 0;
const auth: NonNullable<McpOptions['auth']> = async (_, { session }) => {
  if (hangs.delete(session.id)) await new Promise(() => {});
  questions += 1;
  // As a store or a token endpoint does, it answers in a later turn, and not always after as long.
  await new Promise((resolve) => setTimeout(resolve, questions % 5));
  return { token: `${env.TOKEN}${session.id}-${questions}` };
};

const optionsOf = (id: string) => ({ session: { id }, auth, onServerError: 'throw' }) as const;
/** Made before any request. */
const lazy = new Map(['ada', 'bob'].map((id) => [id, createMcpTools(server, optionsOf(id))]));
/** Made by the first request of each. */
const kept = new Map<string, ReturnType<typeof mcpTools>>();

/** Before 2025-11 the runtime also names those that are taken a little later, and takes that back. */
const unhandled = new Map<unknown, string>();
addEventListener('unhandledrejection', (event) => {
  const { promise, reason } = event as Event & { readonly promise?: unknown; readonly reason?: unknown };
  unhandled.set(promise, String(reason));
});
addEventListener('rejectionhandled', (event) => {
  unhandled.delete((event as Event & { readonly promise?: unknown }).promise);
});

async function toolsOf(how: string, who: string) {
  if (how === 'lazy') return lazy.get(who)!.tools();
  if (!kept.has(who)) kept.set(who, mcpTools([server], optionsOf(who)));
  return (await kept.get(who)!).tools;
}

async function perform(query: URLSearchParams): Promise<{ ended: number; unhandled: readonly string[] }> {
  const [how, who] = [query.get('how') ?? '', query.get('who') ?? ''];
  const [from, count] = [Number(query.get('from')), Number(query.get('count'))];
  const tools = await toolsOf(how, who);
  if (query.has('hang')) hangs.add(who);
  const calls = Array.from({ length: count }, (_, index) =>
    tools.s__effect!.execute({ key: `${who}-${from + index}` }),
  );
  return { ended: (await Promise.all(calls)).length, unhandled: [...unhandled.values()] };
}

export default {
  fetch: async (request: Request) => Response.json(await perform(new URL(request.url).searchParams)),
};
