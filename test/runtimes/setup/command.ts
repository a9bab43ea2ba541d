import { spawn } from 'node:child_process';

export interface Command {
  readonly cwd?: string;
  /** Default: this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program is killed after that, with all that it started. */
  readonly timeoutMs: number;
}

export interface Ended {
  /** Exit code; absent for a program that was killed. */
  readonly code?: number;
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. It rejects only where the program does not start. */
export function run(program: string, args: readonly string[], { cwd, env, timeoutMs }: Command): Promise<Ended> {
  return new Promise((resolve, reject) => {
    // In a group of its own, so that a program's own children can be ended with it.
    const group = process.platform !== 'win32';
    const child = spawn(program, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: group,
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text;
      });
    }
    const kill = () => {
      try {
        if (group && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    };
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
    }, timeoutMs);
    process.once('exit', kill);
    const done = () => {
      clearTimeout(timer);
      process.off('exit', kill);
    };
    child.once('error', (error) => {
      done();
      reject(error);
    });
    child.once('close', (code) => {
      done();
      resolve({ ...(code === null ? {} : { code }), timedOut, ...output });
    });
  });
}

/** Runs a program that has to succeed, and gives what it printed. */
export async function mustRun(program: string, args: readonly string[], options: Command): Promise<string> {
  const { code, timedOut, stdout, stderr } = await run(program, args, options);
  if (code === 0) return stdout;
  const how = timedOut ? `was not done after ${options.timeoutMs} ms` : `ended with exit code ${code}`;
  throw new Error(`${[program, ...args].join(' ')} ${how}:\n${`${stdout}\n${stderr}`.trim().slice(-2_000)}`);
}
