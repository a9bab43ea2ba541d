import { readdirSync } from 'node:fs';
import { isMcpError, mcpTools, type StdioServer } from 'mcp-toolset';
import { same, until } from './assertions.js';
import { markedWith } from './marked.js';
import { markOf } from './stdio-checks.js';
import { MARK, type StdioStand } from './stdio-stand.js';

const CYCLES = 200;
const AT_A_TIME = 3;

/** The smallest server: a shell starts far sooner than a Node. */
const SERVER = `
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$1"; }
while read -r line; do
  id=\${line##*\\"id\\":} id=\${id%%[,\\}]*}
  case $line in
    *\\"initialize\\"*) answer '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *\\"tools/list\\"*) answer '{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}' ;;
    *\\"tools/call\\"*) answer '{"content":[]}' ;;
  esac
done`;

/** Starts and closes a server again and again; of every four, one connect is given up on its way, each at another moment. */
export async function cycles(stand: StdioStand): Promise<void> {
  const gone = async () => markedWith(markOf(stand, 'cycles')).length === 0;
  // What is loaded once and stays.
  for (const index of [0, 3]) await cycle(stand, index);
  await until(gone);
  const before = await settled();
  const queue = Array.from({ length: CYCLES }, (_, index) => index).values();
  const ended = { closed: 0, aborted: 0 };
  const work = async () => {
    for (const index of queue) ended[await cycle(stand, index)] += 1;
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  same([ended.closed + ended.aborted, ended.closed >= (3 * CYCLES) / 4, ended.aborted > 0], [CYCLES, true, true]);
  await until(gone);
  same(await settled(), before);
}

async function cycle(stand: StdioStand, index: number): Promise<'closed' | 'aborted'> {
  const controller = new AbortController();
  const timer = index % 4 === 3 ? setTimeout(() => controller.abort('enough'), index % 20) : undefined;
  try {
    const env = { [MARK]: markOf(stand, 'cycles') };
    const server: StdioServer = { name: 's', type: 'stdio', command: 'sh', args: ['-c', SERVER], env };
    const toolset = await mcpTools([{ ...server, required: true }], { signal: controller.signal });
    try {
      if (timer === undefined) same(await toolset.tools.s__echo!.execute({}), { content: [] });
    } finally {
      await toolset.close();
    }
    return 'closed';
  } catch (error) {
    if (isMcpError(error) && error.code === 'aborted') return 'aborted';
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** What this process holds once that has stopped changing: a handle is let go of a little after its process. */
async function settled(): Promise<object> {
  for (let before = held(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const now = held();
    if (JSON.stringify(now) === JSON.stringify(before)) return now;
    before = now;
  }
}

/** The last one is Node's own account, which other runtimes may leave empty. */
function held(): object {
  return {
    descriptors: readdirSync('/proc/self/fd').length,
    listeners: listeners(),
    resources: (process.getActiveResourcesInfo?.() ?? []).sort(),
  };
}

export function listeners(): readonly (readonly [name: string, count: number])[] {
  const names = process.eventNames();
  return names.map((name) => [String(name), process.listenerCount(name)] as const).sort();
}
