import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { bundle } from '../house/bundle.js';

/**
 * The oldest date that is promised, and the newest that the installed runtime takes: its own date and a week more. From
 * August 2026 on a date alone switches Node's modules on, so they are switched off by name.
 */
export const COMPATIBILITY: readonly { readonly date: string; readonly flags: readonly string[] }[] = [
  { date: '2025-08-01', flags: [] },
  { date: '2026-11-09', flags: ['no_nodejs_compat', 'no_nodejs_compat_v2'] },
];

interface Settings {
  readonly compatibility: (typeof COMPATIBILITY)[number];
  /** Bindings, of text or of JSON: the second argument of `fetch`, and `env` of 'cloudflare:workers'. */
  readonly env?: Readonly<Record<string, string | object>>;
}

export interface WorkerOptions extends Settings {
  /** An ES module's source, bundled as for a Worker. */
  readonly source: string;
}

export interface ServeOptions extends Settings {
  /** The Worker's one module, bundled. */
  readonly code: string;
  /** Path of the runtime. Default: the one that is installed with the development dependencies. */
  readonly runtime?: string;
}

/** A Worker in a runtime of its own: every HTTP request to it is a request of its own there, too. */
export interface RunningWorker {
  readonly origin: string;
  /** The runtime's process. */
  readonly pid: number;
  /** What the runtime wrote: warnings, and errors that nobody took. */
  output(): string;
  close(): Promise<void>;
}

// A CommonJS module whose default not every loader unwraps.
const { default: workerd } = createRequire(import.meta.url)('workerd') as { readonly default: string };

const bundles = new Map<string, Promise<string>>();

/** Bundled once, however often it is started. */
function bundleOf(source: string): Promise<string> {
  const text = bundles.get(source) ?? bundle(source).then((made) => made.text);
  bundles.set(source, text);
  return text;
}

export async function startWorker({ source, ...settings }: WorkerOptions): Promise<RunningWorker> {
  return serveWorker({ code: await bundleOf(source), ...settings });
}

export async function serveWorker(options: ServeOptions): Promise<RunningWorker> {
  const { code, compatibility, env = {}, runtime = workerd } = options;
  const folder = await mkdtemp(join(tmpdir(), 'mcp-toolset-worker-'));
  await writeFile(join(folder, 'worker.js'), code);
  await writeFile(join(folder, 'config.capnp'), configText(compatibility, env));
  const child = spawn(runtime, ['serve', '--verbose', '--control-fd=3', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const kill = () => child.kill('SIGKILL');
  // A test that ran out of time never comes to its close.
  process.once('exit', kill);
  const close = async () => {
    process.off('exit', kill);
    kill();
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const port = await Promise.race([listening(child.stdio[3] as Readable), exited]);
    if (port === undefined) throw new Error('The runtime ended before it listened');
    return { origin: `http://127.0.0.1:${port}`, pid: child.pid!, output: () => output, close };
  } catch (error) {
    await close();
    throw new Error(`The Worker did not start; the runtime wrote:\n${output}`, { cause: error });
  }
}

/** The runtime says on the control pipe which port it got. */
async function listening(control: Readable): Promise<number> {
  let text = '';
  for await (const chunk of control.setEncoding('utf8')) {
    text += String(chunk);
    const port = /"event":"listen".*?"port":(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error(`No port in: ${text}`);
}

function configText(
  { date, flags }: WorkerOptions['compatibility'],
  env: Readonly<Record<string, string | object>>,
): string {
  const bindings = Object.entries(env).map(([name, value]) => {
    const typed = typeof value === 'string' ? `text = ${quoted(value)}` : `json = ${quoted(JSON.stringify(value))}`;
    return `(name = ${quoted(name)}, ${typed})`;
  });
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed "worker.js")],
      compatibilityDate = "${date}",
      compatibilityFlags = ${JSON.stringify(flags)},
      bindings = [${bindings.join(', ')}],
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);`;
}

const quoted = (text: string) => JSON.stringify(text);
