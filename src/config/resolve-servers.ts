import { sha256Hex } from '../core/digest.js';
import { McpConfigError } from '../core/errors.js';
import { isHeaderName, isHeaderValue } from '../core/headers.js';
import { canonicalJson, isRecord } from '../core/json.js';
import type { OAuthClientProvider } from '../core/oauth.js';
import type {
  CustomServer,
  HttpServer,
  McpServerConfig,
  ProtocolChoice,
  RedirectPolicy,
  SseServer,
  StdioServer,
  ToolFilter,
} from '../core/servers.js';
import type { AllowedHosts } from '../guard/allowlist.js';
import { EXCHANGE_HEADER } from '../guard/exchange.js';
import { isLoopback } from '../guard/loopback.js';
import { checkBoolean, checkFilter, checkKeys, checkOneOf, checkTimeout } from './checks.js';
import { SERVER_FIELDS_TO_COME } from './defaults.js';
import type { ResolvedOptions } from './resolve-options.js';
import { checkLaunch } from './stdio.js';

interface ResolvedBase {
  /** As configured; two servers may share it (N4). */
  readonly configuredName: string;
  /** SHA-256 in hex over name, kind and endpoint. */
  readonly identity: string;
  readonly prefix: string | undefined;
  readonly tools: ToolFilter | undefined;
  readonly protocol: ProtocolChoice;
  readonly timeoutMs: number | undefined;
  readonly required: boolean;
}
export interface ResolvedHttpServer extends ResolvedBase {
  readonly kind: 'http' | 'sse';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent: the address classes decide (G3). */
  readonly allowedHosts: AllowedHosts | undefined;
  /** What the option `oauth` gave for it. */
  readonly provider: OAuthClientProvider | undefined;
  readonly redirect: RedirectPolicy;
  readonly fallbackToSse: boolean;
}
export interface ResolvedStdioServer extends ResolvedBase {
  readonly kind: 'stdio';
  /** As checked, under the configured name. */
  readonly launch: StdioServer;
}
export interface ResolvedCustomServer extends ResolvedBase {
  readonly kind: 'custom';
  readonly connect: CustomServer['connect'];
}
/** A client that the host connected itself; only the lazy handles take one. */
export interface ResolvedClient extends ResolvedBase {
  readonly kind: 'client';
  readonly client: ForeignClient;
}
/** A server that we connect to. */
export type WiredServer = ResolvedHttpServer | ResolvedStdioServer | ResolvedCustomServer;
export type ResolvedServer = WiredServer | ResolvedClient;

/**
 * What is asked of such a client: the official SDK's, of either line. Its transport stays the host's: it is neither guarded
 * nor closed here.
 */
export interface ForeignClient {
  request(
    request: { method: string; params?: Record<string, unknown> },
    schema: never,
    options?: never,
  ): Promise<unknown>;
}

const BASE = ['name', 'type', 'prefix', 'tools', 'protocol', 'timeoutMs', 'required', 'insecureHttp'];
const FIELDS = {
  http: [...BASE, 'url', 'headers', 'redirect', 'fallbackToSse'],
  sse: [...BASE, 'url', 'headers'],
  stdio: [...BASE, 'command', 'args', 'env', 'cwd', 'root', 'data', 'envMode'],
} as const;

/** What the options say of every server. */
export type ServerRules = Pick<ResolvedOptions, 'allowedHosts' | 'auth' | 'oauth'>;

/** Checks one server's configuration. Throws `McpConfigError` and does no I/O (W3). */
export function resolveServer(config: McpServerConfig, rules: ServerRules): WiredServer {
  if (!isRecord(config)) throw new McpConfigError('A server must be an object or a function that returns one.');
  const name: unknown = config.name;
  if (typeof name !== 'string' || name.trim() === '') throw new McpConfigError('A server needs a non-empty `name`.');
  const where = `server \`${name}\``;
  const kind = kindOf(config.type, where);
  // A custom server may be an object with more to it than its configuration, such as a test's recorder.
  const known =
    kind === 'custom' ? Object.keys(config).filter((key) => !SERVER_FIELDS_TO_COME.includes(key)) : FIELDS[kind];
  checkKeys(config, known, SERVER_FIELDS_TO_COME, where);
  if (config.prefix !== undefined && typeof config.prefix !== 'string') {
    throw new McpConfigError(`\`prefix\` of ${where} must be a string.`);
  }
  const base = {
    configuredName: name,
    prefix: config.prefix,
    tools: checkFilter(config.tools, `\`tools\` of ${where}`),
    protocol: resolveProtocol(config.protocol, kind, where),
    timeoutMs: checkTimeout(config.timeoutMs, `timeoutMs of ${where}`),
    required: checkBoolean(config.required, `required of ${where}`) ?? false,
  };
  if (config.type === 'custom') {
    if (typeof config.connect !== 'function') throw new McpConfigError(`\`connect\` of ${where} must be a function.`);
    return {
      ...base,
      kind: 'custom',
      identity: identityOf(name, 'custom', null),
      connect: config.connect.bind(config),
    };
  }
  if (config.type === 'stdio') {
    const launch = { ...checkLaunch(config, where), name };
    const { command, args, cwd = null, root = null } = launch;
    return { ...base, kind: 'stdio', identity: identityOf(name, 'stdio', [command, args, cwd, root]), launch };
  }
  return { ...base, ...resolveEndpoint(config, kind as 'http' | 'sse', where, rules) };
}

/** The server that stands for a client of the host's own. */
export function resolveClient(client: ForeignClient, name: string, prefix: string): ResolvedClient {
  return {
    kind: 'client',
    configuredName: name,
    identity: identityOf(name, 'custom', null),
    prefix,
    tools: undefined,
    protocol: 'auto',
    timeoutMs: undefined,
    required: true,
    client,
  };
}

function kindOf(type: unknown, where: string): WiredServer['kind'] {
  if (type === 'streamable-http' || type === 'http') return 'http';
  if (type === 'sse' || type === 'stdio' || type === 'custom') return type;
  throw new McpConfigError(`\`type\` of ${where} must be one of 'streamable-http', 'http', 'sse', 'stdio', 'custom'.`);
}

function resolveProtocol(protocol: unknown, kind: string, where: string): ProtocolChoice {
  const choice = checkOneOf(protocol, ['auto', 'legacy', 'modern'], `protocol of ${where}`);
  if (kind === 'sse' && choice === 'modern') {
    throw new McpConfigError(
      `\`protocol: 'modern'\` of ${where} cannot be: 2026-07-28 has no SSE transport; use type 'http'.`,
    );
  }
  // What starts for each run is not asked twice which era it is, unless that is wanted (W7).
  return kind === 'sse' ? 'legacy' : (choice ?? (kind === 'stdio' ? 'legacy' : 'auto'));
}

function resolveEndpoint(config: HttpServer | SseServer, kind: 'http' | 'sse', where: string, rules: ServerRules) {
  const url = parseUrl(config.url, where);
  const headers = checkHeaders(config.headers, where);
  const insecure = checkBoolean(config.insecureHttp, `insecureHttp of ${where}`) ?? false;
  const secrets = Object.keys(headers).length > 0 ? 'headers' : rules.auth ? 'auth' : rules.oauth && 'oauth';
  if (secrets !== undefined && url.protocol === 'http:' && !isLoopback(url) && !insecure) {
    throw new McpConfigError(
      `${where} would send \`${secrets}\` over plain http; use https, or set \`insecureHttp: true\` for that server.`,
    );
  }
  const http = config.type === 'sse' ? undefined : config;
  return {
    kind,
    identity: identityOf(config.name, kind, url.origin + url.pathname),
    url,
    headers,
    allowedHosts: rules.allowedHosts(config.name),
    provider: rules.oauth?.(config.name),
    redirect: checkOneOf(http?.redirect, ['error', 'same-origin', 'follow'], `redirect of ${where}`) ?? 'same-origin',
    fallbackToSse: checkBoolean(http?.fallbackToSse, `fallbackToSse of ${where}`) ?? config.type === 'http',
  } as const;
}

function identityOf(name: string, kind: string, endpoint: string | null | readonly unknown[]): string {
  return sha256Hex(canonicalJson([name, kind, endpoint]));
}

function parseUrl(value: unknown, where: string): URL {
  try {
    const url = new URL(String(value));
    url.hash = '';
    return url;
  } catch {
    throw new McpConfigError(`\`url\` of ${where} cannot be parsed; give an absolute http or https URL.`);
  }
}

/** Neither name nor value is repeated in a message: either may be the secret. */
function checkHeaders(headers: unknown, where: string): Readonly<Record<string, string>> {
  if (headers === undefined) return {};
  // A `Headers` or a `Map` has no members of its own: it would be no headers at all.
  if (!isRecord(headers) || Symbol.iterator in headers) {
    throw new McpConfigError(`\`headers\` of ${where} must be a plain object of strings.`);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (!isHeaderName(name) || name.toLowerCase() === EXCHANGE_HEADER)
      throw new McpConfigError(`\`headers\` of ${where} has a name that is not a header name.`);
    if (!isHeaderValue(value)) {
      throw new McpConfigError(
        `The header \`${name}\` of ${where} has a value that cannot be sent (line break or not Latin-1).`,
      );
    }
  }
  return Object.freeze({ ...headers }) as Readonly<Record<string, string>>;
}

/** Two entries of one identity would be one server twice, and one provider's tokens belong to one server (W3). */
export function checkDuplicates(servers: readonly ResolvedServer[]): void {
  const providers = servers.flatMap((server) => ('provider' in server ? (server.provider ?? []) : []));
  if (new Set(providers).size < providers.length)
    throw new McpConfigError('`oauth` gave two servers one provider: the tokens of one would go to the other.');
  const seen = new Map<string, string>();
  for (const { identity, configuredName } of servers) {
    if (seen.has(identity)) {
      throw new McpConfigError(
        `Server \`${configuredName}\` is given twice with one endpoint; remove one or give it another name.`,
      );
    }
    seen.set(identity, configuredName);
  }
}
