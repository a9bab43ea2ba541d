import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { sleep } from './http-host.js';

const START_TIMEOUT_MS = 15_000;
const TAIL_CHARACTERS = 8_192;

export interface EverythingServer {
  /** Ends in `/mcp` or `/sse`. */
  readonly url: string;
  /** The last of what the child wrote. */
  tail(): string;
  /** Ends the child by its own pid and waits for its exit. */
  close(): Promise<void>;
}

/**
 * Starts the published `@modelcontextprotocol/server-everything` in a child process. It speaks the legacy era only,
 * and listens on every interface: the package has no option for that.
 */
export async function startEverything(kind: 'streamableHttp' | 'sse'): Promise<EverythingServer> {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
  const port = await freePort();
  const child = spawn(process.execPath, [join(dirname(manifest), 'dist', 'index.js'), kind], {
    env: { PATH: process.env.PATH ?? '', PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      tail = (tail + text).slice(-TAIL_CHARACTERS);
    });
  }
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', (error) => {
      tail += String(error);
      resolve();
    });
  });
  const close = () => stop(child, exited);
  const url = `http://127.0.0.1:${port}/${kind === 'sse' ? 'sse' : 'mcp'}`;
  try {
    await answers(url, child);
  } catch (error) {
    await close();
    throw new Error(`server-everything (${kind}) did not start; it wrote:\n${tail}`, { cause: error });
  }
  return { url, tail: () => tail, close };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`exit code ${child.exitCode}`);
    try {
      // A GET of /sse would open a stream; an unknown path only shows that something listens.
      const response = await fetch(new URL('/ready', url), { signal: AbortSignal.timeout(1_000) });
      await response.body?.cancel();
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await sleep(50);
  }
}

async function stop(child: ChildProcess, exited: Promise<void>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  const slow = setTimeout(() => child.kill('SIGKILL'), 2_000);
  await exited;
  clearTimeout(slow);
}

/** A port that was free a moment ago; the package takes a number only. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
