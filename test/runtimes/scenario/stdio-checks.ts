import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Diagnostic,
  type McpError,
  type McpOptions,
  type McpToolset,
  mcpTools,
  type StdioServer,
} from 'mcp-toolset';
import { errorOf, same, until } from './assertions.js';
import { markedWith } from './marked.js';
import { CANARY, MARK, type StdioStand } from './stdio-stand.js';

/** A second copy of the packed library, of which the compiler knows nothing. */
const SECOND: string = 'mcp-toolset-again';
const REGISTRY = Symbol.for('mcp-toolset.transports');

type Work = (stand: StdioStand) => Promise<void>;

export const STDIO_CHECKS: readonly (readonly [name: string, work: Work])[] = [
  ['a published server lists and calls', usesPublished],
  ['list, text and tool error', calls],
  ['abort', aborts],
  ['timeout', timesOut],
  ['the environment is exact', seesExactEnvironment],
  ['a child that dies mid-call is started again', startsAgain],
  ['output that is no message', skipsNoise],
  ['a gigabyte on standard error', drainsErrors],
  ['an image of 25 MB', takesImage],
  ['a line over the limit', endsAtLongLine],
  ['close() ends a tree that ignores SIGTERM', endsTrees],
  ['an aborted connect ends such a tree too', endsAbortedConnect],
  ['a program that is not there', namesMissingProgram],
];

/** Rows run side by side, and each looks for its own. No mark is the beginning of another. */
export function markOf({ folder }: StdioStand, name: string): string {
  return `${folder} ${name}.`;
}

/** The scripted server, told apart from all others by its mark. */
function scripted(stand: StdioStand, name: string, env = {}): StdioServer {
  const { node, scripted: file } = stand;
  return { name: 's', type: 'stdio', command: node, args: [file], env: { [MARK]: markOf(stand, name), ...env } };
}

async function use(
  server: StdioServer,
  work: (toolset: McpToolset) => Promise<void>,
  options: McpOptions = {},
): Promise<void> {
  const toolset = await mcpTools([{ ...server, required: true }], options);
  try {
    await work(toolset);
  } finally {
    await toolset.close();
  }
  const mark = server.env?.[MARK];
  if (mark !== undefined) same(markedWith(mark), []);
}

async function textOf({ tools }: McpToolset, name: string, args: object = {}): Promise<string> {
  const { content } = await tools[name]!.execute(args);
  return (content[0] as { readonly text: string }).text;
}

export async function registersOnce(stand: StdioStand): Promise<void> {
  const registered = () => (globalThis as { [REGISTRY]?: Map<string, unknown> })[REGISTRY]?.get('stdio');
  same(registered() === undefined, true);
  const first = await import('mcp-toolset/node');
  same(registered() === first.stdio, true);
  const second: typeof first = await import(`${SECOND}/node`);
  same([second.stdio === first.stdio, registered() === first.stdio], [false, true]);
  const other: { readonly mcpTools: typeof mcpTools } = await import(SECOND);
  for (const connect of [mcpTools, other.mcpTools]) {
    const toolset = await connect([{ ...scripted(stand, 'twice'), required: true }]);
    same(await textOf(toolset, 's__echo', { message: 'hello' }), 'hello');
    await toolset.close();
  }
  same(markedWith(markOf(stand, 'twice')), []);
}

/** By a bare name, which is looked up on this process's PATH. */
async function usesPublished(stand: StdioStand): Promise<void> {
  const mark = markOf(stand, 'published');
  const server: StdioServer = {
    name: 's',
    type: 'stdio',
    command: 'node',
    args: [stand.everything],
    env: { [MARK]: mark },
  };
  await use(server, async (toolset) => {
    same([toolset.servers[0]?.state, toolset.servers[0]?.tools.active], ['ready', 13]);
    same(await textOf(toolset, 's__echo', { message: 'hello' }), 'Echo: hello');
    const { content } = await toolset.tools['s__get-tiny-image']!.execute({});
    same(
      content.some((block) => block.type === 'image'),
      true,
    );
    same((await errorOf(toolset.tools.s__echo!.execute({}))).code, 'invalid-arguments');
    same(markedWith(mark).length, 1);
  });
}

async function calls(stand: StdioStand): Promise<void> {
  await use(scripted(stand, 'calls'), async (toolset) => {
    same(Object.keys(toolset.tools).includes('s__echo'), true);
    const message = 'grüße, 世界 🙂 \u2028 \\u0000\r\n"';
    same(await textOf(toolset, 's__echo', { message }), message);
    const error = await errorOf(toolset.tools.s__broken!.execute({}));
    same([error.code, error.message], ['tool-error', 'MCP tool error: No such day.']);
  });
}

/** What the child was sent so far, a line for each message. */
function sentTo(log: string): string {
  return existsSync(log) ? readFileSync(log, 'utf8') : '';
}

async function aborts(stand: StdioStand): Promise<void> {
  const LOG = join(stand.folder, 'abort.log');
  await use(scripted(stand, 'abort', { LOG }), async (toolset) => {
    const controller = new AbortController();
    const call = errorOf(toolset.tools.s__hang!.execute({}, { abortSignal: controller.signal }));
    await until(async () => sentTo(LOG).includes('tools/call'));
    controller.abort('enough');
    const error = await call;
    same([error.code, 'reason' in error ? error.reason : undefined], ['aborted', 'enough']);
    await until(async () => sentTo(LOG).includes('notifications/cancelled {"requestId":'));
    same(await textOf(toolset, 's__echo', { message: 'on' }), 'on');
  });
}

async function timesOut(stand: StdioStand): Promise<void> {
  const LOG = join(stand.folder, 'timeout.log');
  const work = async (toolset: McpToolset) => {
    same((await errorOf(toolset.tools.s__hang!.execute({}))).code, 'timeout');
    await until(async () => sentTo(LOG).includes('notifications/cancelled {"requestId":'));
    same(await textOf(toolset, 's__echo', { message: 'on' }), 'on');
  };
  await use(scripted(stand, 'timeout', { LOG }), work, { timeoutMs: 1_000 });
}

async function seesExactEnvironment(stand: StdioStand): Promise<void> {
  same(process.env[CANARY] !== undefined, true);
  await use(scripted(stand, 'environment', { ADDED: 'grüße', EMPTY: '' }), async (toolset) => {
    const { env } = JSON.parse(await textOf(toolset, 's__about'));
    const expected = { ...stand.inherited, [MARK]: markOf(stand, 'environment'), ADDED: 'grüße', EMPTY: '' };
    same(Object.entries(env).sort(), Object.entries(expected).sort());
  });
}

async function startsAgain(stand: StdioStand): Promise<void> {
  await use(scripted(stand, 'dies'), async (toolset) => {
    const pid = async () => JSON.parse(await textOf(toolset, 's__about')).pid;
    const before = await pid();
    const say = `${'x'.repeat(20_000)} last words`;
    const error = await errorOf(toolset.tools.s__exit!.execute({ code: 3, say }));
    const cause = error.cause as McpError;
    same([error.code, cause.code], ['outcome-unknown', 'process-failed']);
    same([cause.message.includes('exit code 3'), cause.message.endsWith('x last words')], [true, true]);
    same(cause.cause, { name: 'ProcessError', code: 3 });
    same((await pid()) !== before, true);
    same(markedWith(markOf(stand, 'dies')).length, 1);
  });
}

async function skipsNoise(stand: StdioStand): Promise<void> {
  const reported: Diagnostic[] = [];
  const work = async (toolset: McpToolset) => {
    same(await textOf(toolset, 's__noise', { lines: 100 }), 'after the noise');
  };
  await use(scripted(stand, 'noise'), work, { onDiagnostic: (diagnostic) => void reported.push(diagnostic) });
  same(
    reported.map(({ code, data }) => [code, data]),
    [1, 10, 100].map((lines) => ['process-output', { lines }]),
  );
}

async function drainsErrors(stand: StdioStand): Promise<void> {
  await use(scripted(stand, 'flood'), async (toolset) => {
    same(await textOf(toolset, 's__flood', { bytes: 1024 ** 3 }), 'flooded');
  });
}

async function takesImage(stand: StdioStand): Promise<void> {
  const bytes = 25_000_000;
  const work = async ({ tools }: McpToolset) => {
    const [block] = (await tools.s__image!.execute({ bytes })).content;
    const { type, data } = block as { readonly type: string; readonly data: string };
    same([type, data.length], ['image', Math.ceil(bytes / 3) * 4]);
  };
  await use(scripted(stand, 'image'), work, { limits: { mediaBytes: bytes } });
}

async function endsAtLongLine(stand: StdioStand): Promise<void> {
  const responseBytes = 1024 * 1024;
  const work = async (toolset: McpToolset) => {
    const error = await errorOf(toolset.tools.s__long!.execute({ bytes: 16 * responseBytes }));
    same([error.code, 'limit' in error ? error.limit : undefined], ['limit', 'responseBytes']);
    same(await textOf(toolset, 's__echo', { message: 'on' }), 'on');
    await until(async () => markedWith(markOf(stand, 'long')).length === 1);
  };
  await use(scripted(stand, 'long'), work, { limits: { responseBytes } });
}

/** A shell that starts the server, which starts a process of its own: that one holds the streams and ignores SIGTERM. */
export function wrapped(stand: StdioStand, name: string, env = {}): StdioServer {
  const FORK = join(stand.folder, `${name}.pid`);
  return {
    ...scripted(stand, name, { FORK, ...env }),
    command: 'sh',
    args: ['-c', '"$0" "$1"; echo over >&2', stand.node, stand.scripted],
  };
}

async function endsTrees(stand: StdioStand): Promise<void> {
  const end = (name: string, env = {}) =>
    use(wrapped(stand, name, env), async (toolset) => {
      same(await textOf(toolset, 's__echo', { message: 'x' }), 'x');
      same(markedWith(markOf(stand, name)).length, 3);
    });
  // The second one's own process has left the group.
  await Promise.all([end('tree'), end('tree-left', { MODE: 'leaves' })]);
}

async function endsAbortedConnect(stand: StdioStand): Promise<void> {
  const controller = new AbortController();
  const running = () => markedWith(markOf(stand, 'aborted')).length;
  const server = wrapped(stand, 'aborted', { MODE: 'silent' });
  const connecting = errorOf(mcpTools([server], { signal: controller.signal }));
  await until(async () => existsSync(server.env?.FORK ?? '') && running() === 3);
  controller.abort('enough');
  same((await connecting).code, 'aborted');
  await until(async () => running() === 0);
}

async function namesMissingProgram(): Promise<void> {
  const server: StdioServer = { name: 's', type: 'stdio', command: 'no-such-program' };
  const error = await errorOf(mcpTools([{ ...server, required: true }]));
  same([error.code, error.message.includes('not on the `PATH`')], ['process-failed', true]);
}
