import { type ChildProcess, spawn } from 'node:child_process';
import { NODE_22, QUIET, strangerIn, TOOLS } from '../consumers/tools.js';

const START_MS = 60_000;
const STOP_MS = 5_000;

export interface Deployed {
  readonly origin: string;
  /** What wrangler and the runtime below it wrote, without colours. */
  output(): string;
  close(): Promise<void>;
}

/** Deploys a Worker project to a local workerd with `wrangler dev`, on a port that wrangler chooses. */
export async function deploy(folder: string): Promise<Deployed> {
  const options = ['--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0', '--show-interactive-dev-session=false'];
  const child = spawn(NODE_22, [`${TOOLS}/wrangler/bin/wrangler.js`, 'dev', ...options], {
    cwd: folder,
    env: { ...process.env, ...QUIET, ...strangerIn(folder) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a group of its own, so that the runtime is ended with it whatever becomes of wrangler.
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const close = () => stop(child);
  const end = Date.now() + START_MS;
  for (;;) {
    const origin = /Ready on (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1];
    if (origin !== undefined) return { origin, output: () => output, close };
    if (child.exitCode !== null || Date.now() > end) {
      await close();
      throw new Error(`wrangler did not start; it wrote:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(late);
  try {
    // Whatever of its group is left.
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // Nothing is.
  }
}
