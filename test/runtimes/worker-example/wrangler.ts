import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveWorker } from '../../support/workerd-serve.js';
import { NODE_22, QUIET, run, strangerIn, TOOLS } from '../consumers/tools.js';

const START_MS = 60_000;
const STOP_MS = 5_000;

const WRANGLER = `${TOOLS}/wrangler/bin/wrangler.js`;

/** What is read of a wrangler configuration. */
export interface Config {
  readonly compatibility_date: string;
  readonly compatibility_flags: readonly string[];
  readonly vars: Readonly<Record<string, object>>;
}

export interface Deployed {
  readonly name: string;
  readonly origin: string;
  /** Whether the Worker hears of a client that goes away: the proxy in front of it in `wrangler dev` does not say so. */
  readonly hearsOfLeaving: boolean;
  /** What wrangler and the runtime below it wrote, without colours. */
  output(): string;
  close(): Promise<void>;
}

/** Deploys a Worker project to a local workerd with `wrangler dev`, on a port that wrangler chooses. */
export async function deployToDev(folder: string): Promise<Deployed> {
  const options = ['--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0', '--show-interactive-dev-session=false'];
  const child = spawn(NODE_22, [WRANGLER, 'dev', ...options], {
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
    if (origin !== undefined) {
      return { name: 'wrangler dev', hearsOfLeaving: false, origin, output: () => output, close };
    }
    if (child.exitCode !== null || Date.now() > end) {
      await close();
      throw new Error(`wrangler did not start; it wrote:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Serves what wrangler would upload, with the configuration's date, flags and vars, in a workerd of its own. */
export async function deployToWorkerd(folder: string, config: Config): Promise<Deployed> {
  const upload = [WRANGLER, 'deploy', '--dry-run', '--outdir', 'upload'];
  await run(NODE_22, upload, { cwd: folder, env: strangerIn(folder) });
  const worker = await serveWorker({
    code: readFileSync(join(folder, 'upload/worker.js'), 'utf8'),
    compatibility: { date: config.compatibility_date, flags: config.compatibility_flags },
    env: config.vars,
  });
  return { name: 'workerd', hearsOfLeaving: true, ...worker };
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
