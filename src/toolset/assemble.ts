import type { Checks } from '../calls/checks.js';
import { runCall, type Target } from '../calls/gate.js';
import { createGovern } from '../calls/govern.js';
import { createHeldResults, type HeldResults } from '../calls/held.js';
import type { SurveyedTool } from '../catalog/survey.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import { nothingPending } from '../connection/failure.js';
import { type ClosingSignal, createListen } from '../core/deadline.js';
import type { Diagnostic } from '../core/diagnostics.js';
import { McpClosedError, McpConfigError } from '../core/errors.js';
import { share } from '../core/shared.js';
import type { McpToolset, ToolsChanged } from '../core/status.js';
import type { McpTool } from '../core/tools.js';
import { BARE_SCHEMA, deferSchema } from '../schema/defer.js';
import { projectGeneric } from '../schema/generic.js';
import { type Catalogue, createCatalogue } from './catalogue.js';
import { attempt, reportFailures, type ServerFailure } from './failures.js';
import { createHelpers } from './helpers/helpers.js';
import { snapshot } from './inspect.js';
import type { Member } from './members.js';
import { createRefresher, mergeChanges, type Refresher } from './refresher.js';
import { type BrokenSource, isBroken } from './sources.js';
import { statusOf, statusOfBroken } from './status.js';
import { createPlan } from './tiers.js';
import type { Execute } from './tool.js';

/** What the texts of cut results may have together, as a multiple of what one answer may: characters, never more than bytes. */
const HELD_FACTOR = 2;
export interface ToolsetParts {
  readonly resolved: ResolvedOptions;
  /** In the order of the configuration. */
  readonly slots: readonly (Member | BrokenSource)[];
  readonly closing: ClosingSignal;
  /** Closes the members; see {@link createClose}. */
  close(): Promise<void>;
  readonly diagnostics: readonly Diagnostic[];
}

/** A toolset, and what `connectMcp` asks of it besides. */
export interface AssembledToolset {
  readonly toolset: McpToolset;
  /** The active tool that goes by this projected or raw name. */
  named(name: string): McpTool | undefined;
  /** The definitions of the active tools, as the server sent them. */
  definitions(): readonly SurveyedTool[];
  /** Names that are close to one that is not there. */
  suggest(name: string): string;
  /** Why the tool that goes by this name is quarantined, where it is. */
  refusal(name: string): string | undefined;
}

/** Puts the toolset together over members that have been listed. */
export async function assembleToolset(parts: ToolsetParts): Promise<AssembledToolset> {
  const { resolved, slots, closing, close, diagnostics } = parts;
  const members = slots.filter((slot): slot is Member => !isBroken(slot));
  const { limits, report } = resolved;
  const held = createHeldResults(HELD_FACTOR * limits.responseBytes);
  closing.addEventListener('abort', held.clear);
  const govern = createGovern({ resultTokens: limits.resultTokens, held, report });
  const deps = { options: resolved, closing, listen: createListen(), govern, loadChecks: createLoadChecks(resolved) };
  const execute: Execute = (entry, args, options) => {
    const find = () => findTarget(entry.identity, entry.tool.name, { catalogue, members: byIdentity, refresher });
    return runCall({ toolName: entry.name, server: entry.server, tool: entry.tool.name, args, options, find }, deps);
  };
  const catalogue = openCatalogue(execute, held, { resolved, members, closing });
  const byIdentity = new Map(members.map((member) => [member.identity, member]));
  const refresher = createRefresher({ members, catalogue, resolved, closing });
  await refresher.begin();
  for (const member of members) listenForChanges(member, refresher);
  const toolset: McpToolset = {
    tools: catalogue.tools,
    get servers() {
      return slots.map((slot) => (isBroken(slot) ? statusOfBroken(slot) : statusOf(slot, catalogue)));
    },
    // Nothing was woken, so nothing is left to check.
    reconciled: Promise.resolve(),
    describeTools: () => catalogue.describe(),
    inspect: () => snapshot(toolset, diagnostics),
    async refresh(server, options) {
      const force = options?.force === true;
      if (closing.aborted) throw new McpClosedError('The toolset was closed; make a new one to list its servers.');
      return relist(chooseMembers(members, server, 'refresh'), {
        named: server !== undefined,
        force,
        refresher,
        resolved,
      });
    },
    async finishAuth(server, params) {
      if (closing.aborted) throw new McpClosedError('The toolset was closed; make a new one to authorize.');
      await finishAuth(chooseMembers(members, server, 'finishAuth')[0]!, params, refresher);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  const { named, suggest, refusal, definitions } = catalogue;
  return { toolset, named, suggest, refusal, definitions };
}

type CatalogueDeps = Pick<ToolsetParts, 'resolved' | 'closing'> & { readonly members: readonly Member[] };

function openCatalogue(execute: Execute, held: HeldResults, { resolved, members, closing }: CatalogueDeps): Catalogue {
  const { limits, disclosure, report } = resolved;
  const catalogue: Catalogue = createCatalogue({
    execute,
    report,
    shape: { project: (schema) => projectGeneric(schema, limits), defer: deferSchema, bare: BARE_SCHEMA },
    plan: createPlan(members, disclosure),
    helpers: createHelpers({
      lookUp: (name) => catalogue.lookUp(name),
      held,
      resultTokens: limits.resultTokens,
      isClosed: () => closing.aborted,
    }),
  });
  return catalogue;
}

/** What checks values is loaded at the first call. Each call waits for itself: on Workers none may wait for another's. */
function createLoadChecks({ strictOutput: strict, report }: ResolvedOptions): () => Promise<Checks> {
  let checks: Checks | undefined;
  return async () => {
    if (checks !== undefined) return checks;
    const { createChecks } = await import('../calls/checks.js');
    checks ??= createChecks({ strict, report });
    return checks;
  };
}

/** What the server announced while it was being listed for the first time is looked into now. */
function listenForChanges(member: Member, refresher: Refresher): void {
  const early = member.announced;
  member.onAnnounced = () => refresher.announce(member);
  if (early) refresher.announce(member);
}

/** How long a server whose refusals were looked into once is not listed again for another. */
const CONFIRMED_MS = 10_000;

interface TargetDeps {
  readonly catalogue: Catalogue;
  readonly members: ReadonlyMap<string, Member>;
  readonly refresher: Refresher;
}

function findTarget(identity: string, raw: string, { catalogue, members, refresher }: TargetDeps): Target {
  const found = catalogue.find(identity, raw);
  if (found.state !== 'listed') return found;
  const member = members.get(identity)!;
  const { connection, timeoutMs } = member;
  const { entry, disclosure } = found.live;
  const relist = async () => void (await refresher.refresh(member));
  const confirm = () => confirmTools(member, relist);
  return { state: 'active', tool: entry.tool, connection, timeoutMs, disclosure, relist, confirm };
}

/** One listing for everybody whose call is refused meanwhile, and none for a while after it, also where it failed (S8). */
async function confirmTools(member: Member, relist: () => Promise<void>): Promise<void> {
  const look = async (): Promise<true> => {
    try {
      await relist();
      return true;
    } finally {
      member.confirmedUntil = Date.now() + CONFIRMED_MS;
      member.confirming = undefined;
    }
  };
  for (;;) {
    if (member.confirming === undefined && member.confirmedUntil > Date.now()) return;
    member.confirming ??= share(look());
    const waited = member.confirming;
    if ((await waited.wait()) !== undefined) return;
    if (member.confirming === waited) member.confirming = undefined;
  }
}

async function finishAuth(member: Member, params: URLSearchParams, refresher: Refresher): Promise<void> {
  const { name, tokens, connection } = member;
  if (tokens?.provider === undefined) throw new McpConfigError(`\`finishAuth\`: server \`${name}\` has no \`oauth\`.`);
  if (!(params instanceof URLSearchParams)) throw new McpConfigError('`finishAuth` takes a URLSearchParams.');
  const { finish } = tokens.made ?? {};
  if (finish === undefined) throw nothingPending(name);
  await finish(params);
  connection.resetBreaker();
  await refresher.refresh(member);
}

function chooseMembers(
  members: readonly Member[],
  server: string | undefined,
  method: 'refresh' | 'finishAuth',
): readonly Member[] {
  if (server === undefined) return members;
  const chosen = members.filter(({ name }) => name === server);
  if (chosen.length === 0) throw new McpConfigError(`\`${method}\`: there is no server \`${server}\`.`);
  return chosen;
}

interface RelistOptions {
  /** Whether the server was asked for by name. */
  readonly named: boolean;
  /** Asks also within the server's own TTL, and past an open breaker. */
  readonly force: boolean;
  readonly refresher: Refresher;
  readonly resolved: ResolvedOptions;
}

/** A failure rejects when its server was asked for by name, and is a diagnostic when all were. */
async function relist(members: readonly Member[], options: RelistOptions): Promise<ToolsChanged> {
  const { named, force, refresher, resolved } = options;
  const stale = members.filter((member) => force || member.freshUntil <= Date.now());
  if (force) {
    for (const { connection, tokens } of stale) {
      connection.resetBreaker();
      tokens?.made?.restart?.();
    }
  }
  const changes: ToolsChanged[] = [];
  const refreshOne = async (member: Member) => void changes.push(await refresher.refresh(member));
  const errors = await Promise.all(stale.map((member) => attempt(refreshOne(member))));
  const failures = stale.flatMap(({ name, required }, index): ServerFailure[] => {
    const error = errors[index];
    return error === undefined ? [] : [{ server: name, required, error }];
  });
  if (named && failures[0] !== undefined) throw failures[0].error;
  reportFailures(failures, resolved.report);
  return mergeChanges(changes);
}
