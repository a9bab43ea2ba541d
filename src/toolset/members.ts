import { type Admission, admitForeign, admitTool } from '../catalog/admit.js';
import { serverNames } from '../catalog/names.js';
import type { ServerCatalogue } from '../catalog/projection.js';
import { type Survey, surveyEntries } from '../catalog/survey.js';
import type { Limits } from '../config/options.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import { checkDuplicates, type ResolvedServer } from '../config/resolve-servers.js';
import { createClientConnection } from '../connection/client-connection.js';
import { type Connection, createConnection } from '../connection/connection.js';
import { type TokenSource, tokensFor } from '../connection/credentials.js';
import type { Listing, Truncation } from '../connection/listing.js';
import { type ClosingSignal, createDeadline } from '../core/deadline.js';
import type { Report } from '../core/diagnostics.js';
import { type McpError, McpLimitError, McpProtocolError } from '../core/errors.js';
import { measureJson } from '../core/json.js';
import { quietly } from '../core/quietly.js';
import type { ToolFilter } from '../core/servers.js';
import type { Shared } from '../core/shared.js';
import { secretParameters } from '../guard/secret-query.js';

/** One server of a toolset: what was configured, its connection, and its last listing. */
export interface Member {
  /** The effective name (N4). */
  readonly name: string;
  readonly configuredName: string;
  readonly identity: string;
  readonly prefix: string | undefined;
  readonly filter: ToolFilter | undefined;
  readonly required: boolean;
  readonly timeoutMs: number;
  /** Whether what it answers may be objects that nobody has parsed. */
  readonly foreign: boolean;
  readonly connection: Connection;
  /** Absent: no token is sent. */
  readonly tokens?: TokenSource | undefined;
  /** Its last listing; undefined before the first. */
  survey: Survey | undefined;
  /** Until when the server says that its listing stays true, in milliseconds since the epoch (L7). */
  freshUntil: number;
  /** Until when a refusal is not taken for a tool that was withdrawn. */
  confirmedUntil: number;
  /** The listing that tells whether it was; everybody who was refused waits for the one. */
  confirming: Shared<true> | undefined;
  /** The server said that its tools have changed, and nobody listened yet. */
  announced: boolean;
  onAnnounced(): void;
}

const NOTHING_LISTED: Survey = { tools: [], refused: [] };

/** Names the servers (N4), reports those that share one, and gives each a connection that does no I/O yet. */
export function createMembers(
  servers: readonly ResolvedServer[],
  options: ResolvedOptions,
  closing: ClosingSignal,
): Member[] {
  checkDuplicates(servers);
  const names = serverNames(servers.map(({ configuredName, identity }) => ({ name: configuredName, identity })));
  reportCollisions(servers, names, options);
  return servers.map((server, index) => createMember(server, names[index]!, options, closing));
}

function createMember(server: ResolvedServer, name: string, options: ResolvedOptions, closing: ClosingSignal): Member {
  const onToolsChanged = () => member.onAnnounced();
  reportSecrets(server, name, options);
  const tokens = tokensFor(server, name, options);
  const member: Member = {
    name,
    configuredName: server.configuredName,
    identity: server.identity,
    prefix: server.prefix,
    filter: server.tools,
    required: server.required,
    timeoutMs: server.timeoutMs ?? options.timeoutMs,
    foreign: server.kind === 'client' || server.kind === 'custom',
    connection:
      server.kind === 'client'
        ? createClientConnection(server.client, name, options)
        : createConnection({ server, name, options, tokens, closing, onToolsChanged }),
    tokens,
    survey: undefined,
    freshUntil: 0,
    confirmedUntil: 0,
    confirming: undefined,
    announced: false,
    onAnnounced() {
      member.announced = true;
    },
  };
  return member;
}

/** A query is sent like the rest of the URL, and ends in the logs of everybody it passes (G12). */
function reportSecrets(server: ResolvedServer, name: string, { report }: ResolvedOptions): void {
  const parameters = 'url' in server ? secretParameters(server.url) : [];
  if (parameters.length === 0) return;
  const message = `The URL of server \`${name}\` has what looks like a secret in its query (${parameters.join(', ')}); send it as a header or with \`auth\`.`;
  report({ code: 'secret-in-url', level: 'warn', message, server: name, data: { parameters } });
}

function reportCollisions(
  servers: readonly ResolvedServer[],
  names: readonly string[],
  { report }: ResolvedOptions,
): void {
  const shared = new Map<string, string[]>();
  servers.forEach(({ configuredName }, index) => {
    shared.set(configuredName, [...(shared.get(configuredName) ?? []), names[index]!]);
  });
  for (const [configuredName, given] of shared) {
    if (given.length < 2) continue;
    const message = `${given.length} servers are called \`${configuredName}\`; they go by ${given.map((name) => `\`${name}\``).join(', ')}.`;
    report({ code: 'server-name-collision', level: 'warn', message, data: { configuredName, names: given.sort() } });
  }
}

export interface ListOptions {
  readonly ms: number;
  /** The option that sets `ms`, for the message. */
  readonly option: 'connectTimeoutMs' | 'timeoutMs';
  readonly signal?: AbortSignal | undefined;
  readonly closing: ClosingSignal;
}

/** Reads the member's whole catalogue. Rejects with an `McpError` and then keeps what it had. */
export async function listMember(
  member: Member,
  { limits, report }: ResolvedOptions,
  list: ListOptions,
): Promise<void> {
  const deadline = createDeadline(list);
  const admit = member.foreign ? admitForeign : admitTool;
  try {
    const listing = await member.connection.list((entry) => judgeEntry(entry, admit, limits), deadline);
    if (listing.truncated !== undefined) noteTruncation(member, listing, limits, report);
    member.survey = surveyEntries(listing.entries, member.connection.mirrorsParams);
    member.freshUntil = Date.now() + listing.ttlMs;
  } finally {
    deadline.dispose();
  }
}

/** Throws where half a list will not do; reports it otherwise (L2). */
function noteTruncation(member: Member, listing: Listing<unknown>, limits: Limits, report: Report): void {
  const { pages, truncated: reason = 'failed-page', entries } = listing;
  const tools = entries.length;
  if (member.required) throw truncationError(member.name, reason, limits);
  const message = `Server \`${member.name}\`: the tool list was not read to its end (${reason})`;
  // What broke off for a moment must not take tools away that are there.
  if (reason === 'failed-page' && member.survey !== undefined) {
    throw new McpProtocolError(`${message}; the tools of the last whole list stay.`, { server: member.name });
  }
  const data = { reason, pages, tools };
  report({
    code: 'discovery-truncated',
    level: 'warn',
    message: `${message}; ${tools} tools were kept.`,
    server: member.name,
    data,
  });
}

/** Values of a refused entry that are measured; a larger one counts as many characters, which is no more than it has. */
const MEASURED_NODES = 1_000_000;

/** A refused entry counts for `limits.listBytes` like any other (L2). */
function judgeEntry(entry: unknown, admit: typeof admitTool, limits: Limits): Admission & { readonly chars: number } {
  const admission = admit(entry, limits);
  if (admission.ok) return admission;
  const measure = quietly(() => measureJson(entry, { depth: Number.POSITIVE_INFINITY, nodes: MEASURED_NODES }));
  // Where it throws, it has no text that could count.
  if (measure === undefined) return { ...admission, chars: 0 };
  return { ...admission, chars: measure.ok ? measure.chars : MEASURED_NODES };
}

const LIMIT_OF: Readonly<Partial<Record<Truncation, 'listPages' | 'toolsPerServer' | 'listBytes'>>> = {
  pages: 'listPages',
  tools: 'toolsPerServer',
  bytes: 'listBytes',
};

/** A server the host cannot do without must not serve half its tools unnoticed (L2). */
function truncationError(server: string, reason: Truncation, limits: Limits): McpError {
  const limit = LIMIT_OF[reason];
  const message = `Required server \`${server}\`: the tool list was not read to its end (${reason})`;
  if (limit === undefined) return new McpProtocolError(`${message}.`, { server });
  return new McpLimitError(`${message}; raise \`limits.${limit}\`.`, { server, limit, max: limits[limit] });
}

export function catalogueOf(member: Member): ServerCatalogue {
  const { name, configuredName, identity, prefix, filter, survey } = member;
  const filterPrefix = prefix ?? `${configuredName}__`;
  return {
    name,
    identity,
    prefix,
    filterPrefix,
    filter,
    survey: survey ?? NOTHING_LISTED,
    listed: survey !== undefined,
  };
}
