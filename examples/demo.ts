/** Starts a published MCP server, connects, prints its tools as a table and calls some of them. Needs no key. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMcpError, type McpToolset, mcpTools } from 'mcp-toolset';

const SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
const START_MS = 20_000;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function startServer(): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const child = spawn(process.execPath, [SERVER, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  const until = Date.now() + START_MS;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  while (!(await answers())) {
    if (child.exitCode !== null || Date.now() > until) throw new Error('server-everything did not start');
    await sleep(50);
  }
  const stop = async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return { url, stop };
}

function printTools(toolset: McpToolset): void {
  const [server] = toolset.servers;
  console.log(
    `${server?.name}: ${server?.state}, MCP ${server?.protocolVersion}, ${server?.tokens.full} tokens of definitions`,
  );
  console.table(
    toolset.describeTools().map(({ name, description, tokens, state }) => ({
      name,
      description: description.length > 60 ? `${description.slice(0, 57)}...` : description,
      tokens: tokens.full,
      state,
    })),
  );
}

async function call({ tools }: McpToolset, name: string, args: unknown): Promise<void> {
  const tool = tools[name];
  if (tool === undefined) throw new Error(`${name} is not in the map`);
  try {
    const output = tool.toModelOutput({ output: await tool.execute(args) });
    console.log(`${name}(${JSON.stringify(args)}) ->`, JSON.stringify(output).slice(0, 200));
  } catch (error) {
    if (!isMcpError(error)) throw error;
    console.log(`${name}(${JSON.stringify(args)}) -> ${error.name} [${error.code}] ${error.message.slice(0, 200)}`);
  }
}

const { url, stop } = await startServer();
try {
  const toolset = await mcpTools([{ name: 'everything', type: 'http', url }]);
  try {
    printTools(toolset);
    await call(toolset, 'everything__echo', { message: 'hello' });
    await call(toolset, 'everything__get-sum', { a: 2, b: 40 });
    await call(toolset, 'everything__get-tiny-image', {});
    await call(toolset, 'everything__get-sum', { a: 'two' });
  } finally {
    await toolset.close();
  }
} finally {
  await stop();
}
