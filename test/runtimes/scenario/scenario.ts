/**
 * What every runtime must do with the packed library, over real servers. It imports nothing of any platform, and every
 * runtime runs this very file: Node, Bun and Deno as a module, Workers and browsers in a bundle.
 */
import { type McpServerConfig, type McpToolset, mcpTools } from 'mcp-toolset';
import { describe, errorOf, same, until, within } from './assertions.js';
import { picture } from './picture.js';
import { judgesUrls, readsNoFile, startsNoProcess } from './refused.js';
import { watchUnhandled } from './unhandled.js';

/** A server that runs for this scenario alone. */
export interface Target {
  readonly name: string;
  readonly title: string;
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly era: 'legacy' | 'modern';
  /** How many sessions a `close()` must end by a DELETE. */
  readonly sessions: 0 | 1;
  /** The JSON-RPC error code that the tool `refuse` answers with. */
  readonly refusal: number;
}

/** What the servers were told to say, and so what must arrive. */
export interface Stand {
  readonly targets: readonly Target[];
  /** Raw names of the tools of every server. */
  readonly tools: readonly string[];
  readonly failure: string;
  /** A server whose metadata, it says, is a file of the machine. */
  readonly lure: string;
}

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** What it took, waiting for its turn included: targets are checked side by side. */
  readonly ms?: number;
  readonly error?: string;
}

/** No check may take longer, in milliseconds: a hang then has a name. Far more than one takes on a busy machine. */
const CHECK_MS = 30_000;
const TEXT = 'grüße, 世界 🙂 \u2028 \\u0000';

type Work = (target: Target, stand: Stand) => Promise<void>;

/** In this order, one after the other, against each target; targets side by side. */
const CHECKS: readonly (readonly [name: string, work: Work])[] = [
  ['connects and lists', connectsAndLists],
  ['text', callsText],
  ['image', callsImage],
  ['tool error', rejectsToolError],
  ['protocol error', rejectsProtocolError],
  ['abort', aborts],
  ['timeout', timesOut],
  ['close', closes],
];

export async function runScenario(stand: Stand): Promise<readonly Check[]> {
  const unhandled = watchUnhandled();
  const checks = await Promise.all(stand.targets.map((target) => checkTarget(target, stand)));
  const shared = await check('all servers in one map', () => sharesOneMap(stand));
  const process = await check('a process is out of reach, and its siblings serve', () => startsNoProcess(stand));
  const urls = await check('every URL is judged as on every runtime', judgesUrls);
  const file = await check('no file is read for OAuth metadata', () => readsNoFile(stand));
  const quiet = await check('nothing is left unhandled', async () => {
    same(await unhandled.control(), true);
    same(unhandled.left(), []);
  });
  return [...checks.flat(), shared, process, urls, file, quiet];
}

async function checkTarget(target: Target, stand: Stand): Promise<readonly Check[]> {
  const checks: Check[] = [];
  for (const [name, work] of CHECKS) checks.push(await check(`${target.title}: ${name}`, () => work(target, stand)));
  return checks;
}

async function check(name: string, work: () => Promise<void>): Promise<Check> {
  const startedAt = Date.now();
  const took = () => Date.now() - startedAt;
  try {
    await within(CHECK_MS, work());
    return { name, ok: true, ms: took() };
  } catch (error) {
    return { name, ok: false, ms: took(), error: describe(error) };
  }
}

function configOf({ name, type, url }: Target): McpServerConfig {
  return { name, type, url };
}

async function use(target: Target, work: (toolset: McpToolset) => Promise<void>, timeoutMs = CHECK_MS): Promise<void> {
  const toolset = await mcpTools([configOf(target)], { onServerError: 'throw', timeoutMs });
  try {
    await work(toolset);
  } finally {
    await toolset.close();
  }
}

/** Names that every provider takes stand as they are; the one other name is rewritten with a hash. */
function projected(server: string, names: readonly string[]): string[] {
  return names.map((name) => `${server}__${name.replace('.', '_')}`).sort();
}

function withoutHash(names: readonly string[]): string[] {
  return names.map((name) => name.replace(/_[0-9a-f]{12}$/, ''));
}

async function connectsAndLists(target: Target, { tools: raw }: Stand): Promise<void> {
  await use(target, async ({ servers, tools, describeTools }) => {
    same([servers[0]?.state, servers[0]?.era], ['ready', target.era]);
    const all = Object.keys(tools);
    // Our own helper is the last (L5, R4).
    same(all.at(-1), 'mcp__read_result');
    const names = all.slice(0, -1);
    same(names, [...names].sort());
    same(withoutHash(names), projected(target.name, raw));
    const rewritten = describeTools().find(({ tool }) => tool === 'search.docs');
    same(/^.+__search_docs_[0-9a-f]{12}$/.test(rewritten?.name ?? ''), true);
  });
}

async function callsText(target: Target): Promise<void> {
  await use(target, async ({ tools }) => {
    const result = await tools[`${target.name}__echo`]!.execute({ message: TEXT });
    same(result, { content: [{ type: 'text', text: TEXT }] });
    const sum = await tools[`${target.name}__add`]!.execute({ a: 2, b: 40 });
    same(sum.structuredContent, { sum: 42 });
  });
}

async function callsImage(target: Target): Promise<void> {
  await use(target, async ({ tools }) => {
    const tool = tools[`${target.name}__picture`]!;
    const data = picture();
    const output = await tool.execute({});
    same(output.content, [{ type: 'image', data, mimeType: 'image/png' }]);
    const file = { type: 'file', mediaType: 'image/png', data: { type: 'data', data } };
    same(tool.toModelOutput({ output }), { type: 'content', value: [file] });
  });
}

async function rejectsToolError(target: Target, { failure }: Stand): Promise<void> {
  await use(target, async ({ tools }) => {
    const error = await errorOf(tools[`${target.name}__fail`]!.execute({}));
    same([error.code, error.message], ['tool-error', `MCP tool error: ${failure}`]);
  });
}

async function rejectsProtocolError(target: Target): Promise<void> {
  await use(target, async ({ tools }) => {
    const error = await errorOf(tools[`${target.name}__refuse`]!.execute({}));
    same([error.code, 'rpcCode' in error ? error.rpcCode : undefined], ['protocol', target.refusal]);
  });
}

/** How often the server's `slow` tool was told to stop, as its own handler saw it. */
async function cancelled({ tools }: McpToolset, { name }: Target): Promise<{ begun: number; stopped: number }> {
  const { structuredContent } = await tools[`${name}__log`]!.execute({});
  return structuredContent as { begun: number; stopped: number };
}

async function aborts(target: Target): Promise<void> {
  await use(target, async (toolset) => {
    const before = await cancelled(toolset, target);
    const controller = new AbortController();
    const slow = errorOf(
      toolset.tools[`${target.name}__slow`]!.execute({ ms: 30_000 }, { abortSignal: controller.signal }),
    );
    await until(async () => (await cancelled(toolset, target)).begun === before.begun + 1);
    controller.abort('enough');
    const error = await slow;
    same([error.code, 'reason' in error ? error.reason : undefined], ['aborted', 'enough']);
    await until(async () => (await cancelled(toolset, target)).stopped === before.stopped + 1);
    same((await toolset.tools[`${target.name}__echo`]!.execute({ message: 'on' })).content.length, 1);
  });
}

async function timesOut(target: Target): Promise<void> {
  const stopped = async () => {
    let count = 0;
    await use(target, async (toolset) => {
      count = (await cancelled(toolset, target)).stopped;
    });
    return count;
  };
  const before = await stopped();
  const work = async ({ tools }: McpToolset) => {
    const error = await errorOf(tools[`${target.name}__slow`]!.execute({ ms: 30_000 }));
    same(error.code, 'timeout');
  };
  await use(target, work, 1_000);
  await until(async () => (await stopped()) === before + 1);
}

async function closes(target: Target): Promise<void> {
  await fetch(new URL('/__reset', target.url), { method: 'POST' });
  const { tools, close } = await mcpTools([configOf(target)], { onServerError: 'throw' });
  await Promise.all([close(), close()]);
  same((await errorOf(tools[`${target.name}__echo`]!.execute({ message: 'late' }))).code, 'closed');
  const response = await fetch(new URL('/__requests', target.url));
  const requests: readonly { readonly http: string; readonly method?: string }[] = await response.json();
  same(requests.filter(({ http }) => http === 'DELETE').length, target.sessions);
  same(requests.filter(({ method }) => method === 'tools/call').length, 0);
}

async function sharesOneMap({ targets, tools: raw }: Stand): Promise<void> {
  const toolset = await mcpTools(targets.map(configOf), { onServerError: 'throw' });
  try {
    const expected = targets.flatMap(({ name }) => projected(name, raw));
    same(withoutHash(Object.keys(toolset.tools)), [...expected, 'mcp__read_result']);
    const echoes = targets.map(({ name }) => toolset.tools[`${name}__echo`]!.execute({ message: name }));
    const texts = (await Promise.all(echoes)).map(({ content }) => content[0]);
    same(
      texts,
      targets.map(({ name }) => ({ type: 'text', text: name })),
    );
  } finally {
    await toolset.close();
  }
}

/** The entry of the package that can start one is not imported here, and bundles for Workers and browsers have none (T1). */
