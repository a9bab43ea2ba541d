import { isMcpError, McpConnectError, type McpError } from '../../core/errors.js';
import type { StdioServer } from '../../core/servers.js';
import { escapeUnit } from '../../core/text.js';
import type { ProcessTransport, TransportContext } from '../../core/transport.js';
import { overResponseBytes } from '../../guard/over-limit.js';
import { type Child, type Exit, type Spawn, startChild } from './child.js';
import { childEnvironment, type Environment } from './environment.js';
import type { Launch } from './launch.js';
import { createOutput } from './output.js';
import { createRedact } from './redact.js';
import { createTail, type Tail } from './tail.js';
import type { System } from './tree.js';

/** What the transport has from its platform. */
export interface Host {
  readonly env: Environment;
  readonly system: System;
  readonly spawn: Spawn;
  /** Rejects with an `McpError` where the command or its folder is not allowed, or not there. */
  launch(server: StdioServer, name: string): Promise<Launch>;
  /** Ends the child too when the host's own process exits; returns what takes that back. */
  endAtExit(pid: number): () => void;
}

interface Process {
  readonly server: StdioServer;
  readonly context: TransportContext;
  readonly loadHost: () => Promise<Host>;
  /** The end of what it says on standard error. */
  readonly tail: Tail;
  readonly transport: ProcessTransport;
  starting: Promise<Child> | undefined;
  child: Child | undefined;
  /** Why it ended by itself. */
  failure: McpError | undefined;
  closing: Promise<void> | undefined;
}

/** A server's process as a transport: one line a message, each way (T5). */
export function createStdioTransport(
  server: StdioServer,
  context: TransportContext,
  loadHost: () => Promise<Host>,
): ProcessTransport {
  const transport: ProcessTransport = {
    failure: () => process.failure,
    async start() {
      process.starting = start(process);
      process.child = await process.starting.catch((failure: McpError) => {
        process.failure ??= failure;
        throw failure;
      });
    },
    async send(message) {
      const { child, failure } = process;
      // Why it does not is told by `failure`: of the message itself that says no more than that it was not sent.
      if (child === undefined || failure !== undefined) throw new Error('The process does not run');
      await child.write(lineOf(message));
    },
    close() {
      process.closing ??= end(process);
      return process.closing;
    },
  };
  const process: Process = {
    server,
    context,
    loadHost,
    tail: createTail(createRedact(server)),
    transport,
    starting: undefined,
    child: undefined,
    failure: undefined,
    closing: undefined,
  };
  return transport;
}

async function start(process: Process): Promise<Child> {
  const { server, context, loadHost, tail, transport } = process;
  const fail = (cause: unknown): never => {
    throw isMcpError(cause) ? cause : failed(process, 'could not be started', cause);
  };
  const host = await loadHost().catch(fail);
  const { file, cwd } = await host.launch(server, context.server).catch(fail);
  // Nobody waits any more, so nothing is started.
  if (context.signal.aborted || process.closing !== undefined) throw failed(process, 'was not started');
  const { system, spawn, endAtExit } = host;
  const { env = {}, args = [] } = server;
  const output = createOutput(context, (message) => transport.onmessage?.(message));
  const child = startChild({
    file,
    args,
    cwd,
    env: childEnvironment(system.platform, host.env, env),
    spawn,
    system,
    endAtExit,
    onOutput(chunk) {
      const lines = process.failure === undefined ? output.take(chunk) : 0;
      if (lines === undefined)
        lose(process, overResponseBytes(context.server, 'a line of its output', context.limits.responseBytes));
      return lines ?? 0;
    },
    onErrorOutput: tail.add,
    onBroken: (stream) => lose(process, failed(process, `closed its ${stream}`)),
    onExit: (exit) => lose(process, failed(process, `ended with ${nameOf(exit)}`, processError(exit))),
  });
  return child.catch(fail);
}

/** Some readers of lines, Node's own from 24 on among them, end one at these characters too; escaped they mean the same. */
function lineOf(message: object): string {
  return `${JSON.stringify(message).replace(/[\u0085\u2028\u2029]/g, escapeUnit)}\n`;
}

/** Nothing more comes: who waits is told, and what is left of the tree is ended. */
function lose(process: Process, failure: McpError): void {
  if (process.failure !== undefined || process.closing !== undefined) return;
  process.failure = failure;
  // After the lines that it surely did not get have been refused: all others may have been executed.
  setTimeout(() => process.transport.onclose?.(), 0);
  void process.child?.end({ gently: failure.code === 'process-failed' });
}

async function end(process: Process): Promise<void> {
  const child = await process.starting?.catch(() => undefined);
  // Where the connect was given up, nobody has talked to it, and there is nothing that it should finish.
  await child?.end({ gently: !process.context.signal.aborted });
  if (process.failure === undefined) process.transport.onclose?.();
}

function nameOf({ code, signal }: Exit): string {
  return signal === undefined ? `exit code ${code}` : `signal ${signal}`;
}

function processError({ code, signal }: Exit) {
  return { name: 'ProcessError', code: code ?? signal };
}

function failed({ context: { server }, tail }: Process, what: string, cause?: unknown): McpConnectError {
  const said = tail.text();
  const end = said === '' ? 'It wrote nothing to standard error.' : `The end of its standard error:\n${said}`;
  return new McpConnectError('process-failed', `The process of server \`${server}\` ${what}. ${end}`, {
    server,
    cause,
  });
}
