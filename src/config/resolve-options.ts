import { createReport, type Report } from '../core/diagnostics.js';
import { McpConfigError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import type { AuthContext, Session, ToolFilter } from '../core/servers.js';
import type { ToolProgress, ToolsChanged } from '../core/status.js';
import type { TransportFactory } from '../core/transport.js';
import type { AllowedHosts } from '../guard/allowlist.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import { resolveAllowedHosts } from './allowed-hosts.js';
import {
  checkBoolean,
  checkFilter,
  checkFunction,
  checkKeys,
  checkLimit,
  checkOneOf,
  checkTimeout,
  isAbortSignal,
} from './checks.js';
import { DEFAULTS, OPTIONS_TO_COME } from './defaults.js';
import { type ResolvedDisclosure, resolveDisclosure } from './disclosure.js';
import { bindOAuth, type FindProvider } from './oauth.js';
import type { Limits, McpOptions } from './options.js';

/** The option `auth` with its session. */
export type AskForToken = (server: string, context: Omit<AuthContext, 'session'>) => unknown;

/** Every option with its default applied: nothing below reads `McpOptions` itself. */
export interface ResolvedOptions {
  readonly session: Session | undefined;
  /** The hosts that the server of this configured name may be on; undefined where no list was given (G2, G3). */
  readonly allowedHosts: (server: string) => AllowedHosts | undefined;
  readonly auth: AskForToken | undefined;
  readonly oauth: FindProvider | undefined;
  readonly tools: ToolFilter | undefined;
  readonly names: 'rewrite' | 'strict';
  readonly disclosure: ResolvedDisclosure;
  readonly strictOutput: boolean;
  readonly timeoutMs: number;
  readonly maxTotalMs: number | undefined;
  readonly connectTimeoutMs: number;
  readonly idempotent: (call: { readonly server: string; readonly tool: string }) => boolean;
  readonly onProgress: ((progress: ToolProgress) => void) | undefined;
  readonly onToolsChanged: ((change: ToolsChanged) => void) | undefined;
  readonly limits: Limits;
  readonly throwOnServerError: boolean;
  readonly report: Report;
  readonly telemetry: Telemetry | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** Whether the host gave it. */
  readonly foreignFetch: boolean;
  readonly transports: readonly TransportFactory[];
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly signal: AbortSignal | undefined;
}

const KNOWN: readonly (keyof McpOptions)[] = [
  'session',
  'allowedHosts',
  'auth',
  'oauth',
  'tools',
  'names',
  'disclosure',
  'provider',
  'strictOutput',
  'timeoutMs',
  'maxTotalMs',
  'connectTimeoutMs',
  'idempotent',
  'onProgress',
  'onToolsChanged',
  'limits',
  'onServerError',
  'onDiagnostic',
  'telemetry',
  'fetch',
  'transports',
  'clientInfo',
  'signal',
];

const FUNCTIONS = ['auth', 'oauth', 'fetch', 'idempotent', 'onDiagnostic', 'onProgress', 'onToolsChanged'] as const;

/** Checks the options and applies the defaults. Throws `McpConfigError` and does no I/O (W3). */
export function resolveOptions<S extends Session>(options: McpOptions<S> = {}): ResolvedOptions {
  if (typeof options !== 'object' || options === null) throw new McpConfigError('The options must be an object.');
  checkKeys(options, KNOWN, OPTIONS_TO_COME, 'the options');
  checkSession(options.session);
  for (const name of FUNCTIONS) checkFunction(options[name], name);
  checkProvider(options.provider);
  const { fetch, session } = options;
  return Object.freeze({
    session,
    allowedHosts: resolveAllowedHosts(options.allowedHosts as never, session),
    auth: bindAuth(options.auth as never, session),
    oauth: bindOAuth(options.oauth as never, options.auth, session),
    tools: checkFilter(options.tools, 'the option `tools`'),
    names: checkOneOf(options.names, ['rewrite', 'strict'], 'names') ?? 'rewrite',
    disclosure: resolveDisclosure(options.disclosure),
    strictOutput: checkBoolean(options.strictOutput, 'strictOutput') ?? false,
    timeoutMs: checkTimeout(options.timeoutMs, 'timeoutMs') ?? DEFAULTS.timeoutMs,
    maxTotalMs: checkTimeout(options.maxTotalMs, 'maxTotalMs'),
    connectTimeoutMs: checkTimeout(options.connectTimeoutMs, 'connectTimeoutMs') ?? DEFAULTS.connectTimeoutMs,
    idempotent: options.idempotent ?? (() => false),
    onProgress: options.onProgress,
    onToolsChanged: options.onToolsChanged,
    limits: resolveLimits(options.limits),
    throwOnServerError: checkOneOf(options.onServerError, ['report', 'throw'], 'onServerError') === 'throw',
    report: createReport(options.onDiagnostic),
    telemetry: checkTelemetry(options.telemetry),
    // Looked up at each call: a host may replace the global one later, and it must be called without a receiver.
    fetch: (...args: Parameters<typeof globalThis.fetch>) => (fetch ?? globalThis.fetch)(...args),
    foreignFetch: fetch !== undefined,
    transports: checkTransports(options.transports),
    clientInfo: checkClientInfo(options.clientInfo),
    signal: checkSignal(options.signal),
  });
}

function checkSession(session: unknown): void {
  if (session === undefined) return;
  if (!isRecord(session) || typeof session.id !== 'string' || session.id === '') {
    throw new McpConfigError('`session` must be an object with a non-empty string `id`.');
  }
}

function bindAuth(auth: McpOptions['auth'], session: Session | undefined): AskForToken | undefined {
  if (auth === undefined) return undefined;
  if (session === undefined) {
    throw new McpConfigError('`auth` needs the option `session`: a token belongs to somebody; give { id: … }.');
  }
  return (server, context) => auth(server, { ...context, session });
}

function checkProvider(provider: unknown): void {
  const toCome = ['openai', 'openai-strict', 'anthropic', 'gemini'];
  if (toCome.includes(provider as string)) {
    throw new McpConfigError(
      `\`provider: ${JSON.stringify(provider)}\` is not built in this version; use 'generic' or leave it out.`,
    );
  }
  checkOneOf(provider, ['generic'], 'provider');
}

/** Writing JSON recurses: a deeper definition could not be handed to a framework. */
const LIMIT_MAX: Readonly<Partial<Record<keyof Limits, number>>> = { schemaDepth: 1_000 };

function resolveLimits(limits: unknown): Limits {
  if (limits === undefined) return DEFAULTS.limits;
  if (!isRecord(limits)) throw new McpConfigError('`limits` must be an object.');
  const names = Object.keys(DEFAULTS.limits) as (keyof Limits)[];
  checkKeys(limits, names, [], '`limits`');
  const resolved: Record<keyof Limits, number> = { ...DEFAULTS.limits };
  for (const name of names)
    resolved[name] = checkLimit(limits[name], `limits.${name}`, LIMIT_MAX[name]) ?? resolved[name];
  return Object.freeze(resolved);
}

function checkTelemetry(telemetry: Telemetry | undefined): Telemetry | undefined {
  if (telemetry === undefined) return undefined;
  if (!isRecord(telemetry) || typeof telemetry.start !== 'function') {
    throw new McpConfigError('`telemetry` must be an object with a `start` function.');
  }
  checkFunction(telemetry.onCall, 'telemetry.onCall');
  return telemetry;
}

function checkTransports(transports: unknown): readonly TransportFactory[] {
  if (transports === undefined) return [];
  const isFactory = (each: unknown) => isRecord(each) && each.type === 'stdio' && typeof each.open === 'function';
  if (!Array.isArray(transports) || !transports.every(isFactory)) {
    throw new McpConfigError('`transports` must be a list of factories, such as `stdio` of `mcp-toolset/node`.');
  }
  return [...transports];
}

function checkClientInfo(info: unknown): ResolvedOptions['clientInfo'] {
  if (info === undefined) return DEFAULTS.clientInfo;
  if (!isRecord(info) || typeof info.name !== 'string' || typeof info.version !== 'string') {
    throw new McpConfigError('`clientInfo` must be { name: string, version: string }.');
  }
  return { name: info.name, version: info.version };
}

function checkSignal(signal: unknown): AbortSignal | undefined {
  if (signal === undefined || isAbortSignal(signal)) return signal;
  throw new McpConfigError('`signal` must be an AbortSignal.');
}
