/** Connects to published MCP servers, one over HTTP and two as processes, and calls some of their tools. Needs no key. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMcpError, type McpToolset, mcpTools } from 'mcp-toolset';
import 'mcp-toolset/node';

const require = createRequire(import.meta.url);
const EVERYTHING = require.resolve('@modelcontextprotocol/server-everything/dist/index.js');
const FILES = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
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
  const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
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

function print(toolset: McpToolset): void {
  console.table(
    toolset.servers.map(({ name, state, protocolVersion, tools, tokens }) => ({
      server: name,
      state,
      MCP: protocolVersion,
      tools: tools.active,
      tokens: tokens.full,
    })),
  );
  console.table(
    toolset
      .describeTools()
      .filter(({ server }) => server !== 'local')
      .map(({ name, description, tokens }) => ({
        name,
        description: description.length > 60 ? `${description.slice(0, 57)}...` : description,
        tokens: tokens.full,
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

const folder = await mkdtemp(join(tmpdir(), 'mcp-toolset-demo-'));
const { url, stop } = await startServer();
try {
  await writeFile(join(folder, 'note.txt'), 'Read through the tool map.');
  const toolset = await mcpTools([
    { name: 'everything', type: 'http', url },
    { name: 'local', type: 'stdio', command: process.execPath, args: [EVERYTHING] },
    { name: 'files', type: 'stdio', command: process.execPath, args: [FILES, folder] },
  ]);
  try {
    print(toolset);
    await call(toolset, 'everything__echo', { message: 'hello' });
    await call(toolset, 'everything__get-sum', { a: 2, b: 40 });
    await call(toolset, 'everything__get-tiny-image', {});
    await call(toolset, 'everything__get-sum', { a: 'two' });
    await call(toolset, 'local__echo', { message: 'hello from a process' });
    await call(toolset, 'files__read_text_file', { path: join(folder, 'note.txt') });
  } finally {
    await toolset.close();
  }
} finally {
  await stop();
  await rm(folder, { recursive: true });
}
