import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../node_modules', import.meta.url));
const node = join(modules, 'node22/bin/node');
const START_MS = 30_000;

/** Children that run, by id, so that none outlives this process however it ends. */
const running = new Set();
process.once('exit', () => running.forEach(kill));

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {}
}

export function versionOf(server) {
  return JSON.parse(readFileSync(join(modules, server.package, 'package.json'), 'utf8')).version;
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return `${port}`;
}

/** Nothing of this machine's environment but the path: servers must find no key and no home. */
function describe(server, folder, port) {
  const env = { PATH: `${join(node, '..')}:${process.env.PATH}`, HOME: folder, ...server.env?.(port) };
  return { command: node, args: [join(modules, server.package, server.file), ...(server.args?.(port) ?? [])], env };
}

/** A server to connect to, and how to end it; `running` is how many processes it has, `tail` the last of what it wrote. */
export async function start(server, folder) {
  return server.http === undefined && server.sse === undefined ? overStdio(server, folder) : overHttp(server, folder);
}

async function overHttp(server, folder) {
  const port = await freePort();
  const { command, args, env } = describe(server, folder, port);
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child.pid);
  const tail = tailOf(child.stdout, child.stderr);
  const exited = once(child, 'exit');
  async function end() {
    child.kill('SIGKILL');
    await exited;
    running.delete(child.pid);
  }
  const until = Date.now() + START_MS;
  while (!(await listens(port))) {
    if (child.exitCode !== null || Date.now() > until) {
      await end();
      throw new Error(`It did not start; it wrote:\n${tail()}`);
    }
    await sleep(50);
  }
  const type = server.http === undefined ? 'sse' : 'streamable-http';
  const url = `http://127.0.0.1:${port}${server.http ?? server.sse}`;
  const headers = server.headers === undefined ? {} : { headers: server.headers };
  return { type, config: { name: server.name, type, url, ...headers }, tail, running: () => running.size, end };
}

function listens(port) {
  const socket = connect(Number(port), '127.0.0.1');
  const answer = once(socket, 'connect').then(
    () => true,
    () => false,
  );
  return answer.finally(() => socket.destroy());
}

/** Started by the library itself. Each child has this folder as its home, so `end` finds the ones that a close left. */
function overStdio(server, folder) {
  const { command, args, env } = describe(server, folder);
  const mark = { PUBLISHED_MARK: folder };
  async function end() {
    const left = processesOf(folder);
    left.forEach(kill);
    if (left.length > 0) throw new Error(`Closing left ${left.length} processes running.`);
  }
  const config = { name: server.name, type: 'stdio', command, args, env: { ...env, ...mark }, cwd: folder };
  return { type: 'stdio', config, tail: () => '', running: () => processesOf(folder).length, end };
}

/** Whoever was started with the mark, at whatever depth (Linux). */
function processesOf(folder) {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || / Z /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))) return [];
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`PUBLISHED_MARK=${folder}\0`) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}

function tailOf(...streams) {
  let text = '';
  for (const stream of streams) {
    stream.setEncoding('utf8').on('data', (more) => {
      text = (text + more).slice(-2_000);
    });
  }
  return () => text;
}
