import { quarantinedTool, unknownTool } from '../calls/unavailable.js';
import type { McpOptions } from '../config/options.js';
import { type ResolvedOptions, resolveOptions } from '../config/resolve-options.js';
import { type ForeignClient, resolveClient, resolveServer } from '../config/resolve-servers.js';
import { type Closing, createClosing } from '../core/deadline.js';
import type { DiagnosticCode, Report } from '../core/diagnostics.js';
import { McpClosedError, McpConfigError } from '../core/errors.js';
import type { McpServerConfig } from '../core/servers.js';
import { type Shared, share } from '../core/shared.js';
import type { CallToolOptions, McpClientHandle, McpToolsHandle } from '../core/status.js';
import type { Transport } from '../core/transport.js';
import type { AssembledToolset } from './assemble.js';
import type { CheckedSource } from './sources.js';
import { wireToolset } from './toolset.js';

/** What a lazy handle can be made over: a server, a transport, or a client that is connected already. */
export type McpToolsSource = McpServerConfig | Transport | ForeignClient | McpClientHandle;

export interface McpToolsOptions extends McpOptions {
  /** Before each raw name. Default: `${name}__` for a server, nothing for a transport or client. */
  readonly prefix?: string;
  /** What the client calls itself; the same as `clientInfo`. */
  readonly info?: { readonly name: string; readonly version: string };
}

const DEFINITIONS = Symbol('definitions');

interface Definition {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description: string;
  readonly inputSchema: unknown;
  readonly annotations?: unknown;
}

/** The name of a source that has none. */
const UNNAMED = 'server';

/**
 * One server's tools, without any I/O before the first `tools()`, `describeTools()` or call; a connect that failed is tried
 * again at the next use (W10). A transport can be started only once and a given client is not closed. Throws
 * `McpConfigError` for a wiring mistake.
 */
export function createMcpTools(source: McpToolsSource, options: McpToolsOptions = {}): McpToolsHandle {
  const { prefix, info, ...rest } = options;
  if (prefix !== undefined && typeof prefix !== 'string') throw new McpConfigError('`prefix` must be a string.');
  const resolved = resolveOptions(info === undefined ? rest : { clientInfo: info, ...rest });
  const lazy = openLater(checkSource(source, prefix, resolved), resolved);
  return {
    tools: async () => (await lazy.open()).toolset.tools,
    describeTools: async () => (await lazy.open()).toolset.describeTools(),
    close: lazy.close,
  };
}

/**
 * A client over one server whose tools go by their raw names where those are legal. Nothing is opened before the first
 * `listTools` or `callTool` (W10).
 */
export async function connectMcp(
  transport: Transport | McpServerConfig,
  info?: { readonly name: string; readonly version: string },
): Promise<McpClientHandle> {
  // What is behind this handle is a program: nothing is hidden from it, and nothing cut.
  const whole = {
    disclosure: { budget: Number.POSITIVE_INFINITY },
    limits: { resultTokens: Number.POSITIVE_INFINITY },
  };
  const resolved = resolveOptions({ ...whole, ...(info === undefined ? {} : { clientInfo: info }) });
  const lazy = openLater(checkSource(transport, '', resolved), resolved);
  return {
    // Not part of the public shape: what a toolset over this handle fingerprints is what the server sent (S4).
    ...{ [DEFINITIONS]: async () => (await lazy.open()).definitions().map(pickDefinition) },
    listTools: async () => (await lazy.open()).toolset.describeTools(),
    async callTool(name, args, options) {
      if (typeof name !== 'string') throw new McpConfigError('`callTool` needs the name of a tool.');
      const { named, suggest, refusal } = await lazy.open();
      const tool = named(name);
      if (tool !== undefined) return tool.execute(args, options);
      const reason = refusal(name);
      throw reason === undefined ? unknownTool(name, suggest(name)) : quarantinedTool(name, reason);
    },
    close: lazy.close,
  };
}

function openLater(source: CheckedSource<never>, given: ResolvedOptions) {
  const options = { ...given, report: sayOnce(given.report) };
  let opening: Shared<AssembledToolset> | undefined;
  let closing: Closing | undefined;
  let closed: Shared<void> | undefined;

  function begin(): Shared<AssembledToolset> {
    closing = createClosing();
    const wiring = wireToolset([source], options, closing);
    const started = share(wiring);
    wiring.catch(() => {
      if (opening === started) opening = undefined;
    });
    return started;
  }

  return {
    async open(): Promise<AssembledToolset> {
      for (;;) {
        if (closed !== undefined) throw new McpClosedError('The handle was closed; make a new one.');
        opening ??= begin();
        const waited = opening;
        const opened = await waited.wait();
        if (opened !== undefined) return opened;
        if (opening === waited) opening = undefined;
      }
    },
    async close(): Promise<void> {
      const end = async () => {
        closing?.abort();
        const opened = await opening?.wait().catch(() => undefined);
        await opened?.toolset.close();
      };
      closed ??= share(end());
      await closed.wait();
    },
  };
}

/** What is said of the configuration, which is the same at each connect (G12). */
const OF_CONFIG: readonly DiagnosticCode[] = ['authorization-overridden', 'secret-in-url'];

function sayOnce(report: Report): Report {
  const said = new Set<DiagnosticCode>();
  return (diagnostic) => {
    if (said.has(diagnostic.code)) return;
    if (OF_CONFIG.includes(diagnostic.code)) said.add(diagnostic.code);
    report(diagnostic);
  };
}

/** A handle has one server, and is of no use without it: its failure rejects. */
function checkSource(
  source: McpToolsSource,
  prefix: string | undefined,
  options: ResolvedOptions,
): CheckedSource<never> {
  if (typeof source !== 'object' || source === null)
    throw new McpConfigError('The source must be a server, a transport or a client.');
  if ('type' in source)
    return resolveServer({ ...source, ...(prefix === undefined ? {} : { prefix }), required: true }, options);
  if ('request' in source) return resolveClient(source as ForeignClient, UNNAMED, prefix ?? '');
  if ('listTools' in source) return resolveClient(asClient(source), UNNAMED, prefix ?? '');
  if (!isTransport(source)) {
    throw new McpConfigError(
      'The source must be a server, a transport or a client; for several servers use `mcpTools`.',
    );
  }
  const own = { name: UNNAMED, type: 'custom', connect: () => source, prefix: prefix ?? '', required: true } as const;
  return resolveServer(own, options);
}

function isTransport(source: object): source is Transport {
  const { start, send, close } = source as Partial<Transport>;
  return [start, send, close].every((part) => typeof part === 'function');
}

/** A handle of `connectMcp`, read as a client. */
function asClient(handle: McpClientHandle & { [DEFINITIONS]?(): Promise<readonly Definition[]> }): ForeignClient {
  return {
    async request({ method, params = {} }, _schema, options) {
      if (method === 'tools/call') {
        return handle.callTool(String(params.name), params.arguments, callOptions(params, options));
      }
      return { tools: (await handle[DEFINITIONS]?.()) ?? (await describedTools(handle)) };
    },
  };
}

/** What a listing says, as far as the fingerprint covers it. */
function pickDefinition({ name, title, description, inputSchema, annotations }: Definition): Definition {
  return { name, title, description, inputSchema, annotations };
}

/** All that a handle of another copy of this package tells of its tools. */
async function describedTools(handle: McpClientHandle): Promise<readonly Definition[]> {
  const active = (await handle.listTools()).filter(({ state }) => state === 'active');
  return active.map(({ tool, title, description, inputSchema }) => ({ name: tool, title, description, inputSchema }));
}

/** What a call says to a client, said to a handle. */
function callOptions(params: Record<string, unknown>, options: { signal?: AbortSignal } | undefined): CallToolOptions {
  const { idempotencyKey } = (params._meta ?? {}) as Pick<CallToolOptions, 'idempotencyKey'>;
  return {
    ...(options?.signal === undefined ? {} : { abortSignal: options.signal }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  };
}
