import { runCall, type Target } from '../calls/gate.js';
import { projectCatalogues } from '../catalog/projection.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import { type Closing, type ClosingSignal, settleWithin } from '../core/deadline.js';
import type { Diagnostic } from '../core/diagnostics.js';
import { McpClosedError, McpConfigError } from '../core/errors.js';
import type { McpToolset } from '../core/status.js';
import type { McpTool } from '../core/tools.js';
import { inSpan } from '../telemetry/span.js';
import { type Catalogue, createCatalogue } from './catalogue.js';
import { attempt, reportFailures, type ServerFailure } from './failures.js';
import { snapshot } from './inspect.js';
import { catalogueOf, listMember, type Member } from './members.js';
import { type BrokenSource, isBroken } from './sources.js';
import { statusOf, statusOfBroken } from './status.js';

/** How long a close may take in all (W4, W5). */
export const CLOSE_MS = 5_000;

export interface ToolsetParts {
  readonly resolved: ResolvedOptions;
  /** In the order of the configuration. */
  readonly slots: readonly (Member | BrokenSource)[];
  readonly closing: Closing;
  readonly diagnostics: readonly Diagnostic[];
}

/** A toolset, and what `connectMcp` asks of it besides. */
export interface AssembledToolset {
  readonly toolset: McpToolset;
  /** The active tool that goes by this projected or raw name. */
  named(name: string): McpTool | undefined;
  /** Names that are close to one that is not there. */
  suggest(name: string): string;
}

/** Puts the toolset together over members that have been listed. */
export function assembleToolset({ resolved, slots, closing, diagnostics }: ToolsetParts): AssembledToolset {
  const members = slots.filter((slot): slot is Member => !isBroken(slot));
  const byIdentity = new Map(members.map((member) => [member.identity, member]));
  const deps = { options: resolved, closing: closing.signal };
  const catalogue: Catalogue = createCatalogue((entry, args, options) => {
    const find = () => findTarget(catalogue, byIdentity, entry.identity, entry.tool.name);
    return runCall({ toolName: entry.name, server: entry.server, tool: entry.tool.name, args, options, find }, deps);
  }, resolved.report);
  const project = () => {
    const rules = { filter: resolved.tools, names: resolved.names };
    return catalogue.apply(projectCatalogues(members.map(catalogueOf), rules));
  };
  project();
  const close = createClose(members, resolved, closing);
  const toolset: McpToolset = {
    tools: catalogue.tools,
    get servers() {
      return slots.map((slot) => (isBroken(slot) ? statusOfBroken(slot) : statusOf(slot, catalogue)));
    },
    // Nothing was woken, so nothing is left to check.
    reconciled: Promise.resolve(),
    describeTools: () => catalogue.describe(),
    inspect: () => snapshot(toolset, diagnostics),
    async refresh(server) {
      if (closing.signal.aborted)
        throw new McpClosedError('The toolset was closed; make a new one to list its servers.');
      await relist(chooseMembers(members, server), server !== undefined, resolved, closing.signal);
      return project();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  return { toolset, named: catalogue.named, suggest: catalogue.suggest };
}

function findTarget(catalogue: Catalogue, members: ReadonlyMap<string, Member>, identity: string, raw: string): Target {
  const found = catalogue.find(identity, raw);
  if (found.state !== 'listed') return found;
  const { connection, timeoutMs } = members.get(identity)!;
  return { state: 'active', tool: found.entry.tool, connection, timeoutMs };
}

function chooseMembers(members: readonly Member[], server: string | undefined): readonly Member[] {
  if (server === undefined) return members;
  const chosen = members.filter(({ name }) => name === server);
  if (chosen.length === 0) throw new McpConfigError(`\`refresh\`: there is no server \`${server}\`.`);
  return chosen;
}

/** A failure rejects when its server was asked for by name, and is a diagnostic when all were. */
async function relist(
  members: readonly Member[],
  named: boolean,
  resolved: ResolvedOptions,
  closing: ClosingSignal,
): Promise<void> {
  const errors = await Promise.all(
    members.map((member) =>
      attempt(listMember(member, resolved, { ms: member.timeoutMs, option: 'timeoutMs', closing })),
    ),
  );
  const failures = members.flatMap(({ name, required }, index): ServerFailure[] => {
    const error = errors[index];
    return error === undefined ? [] : [{ server: name, required, error }];
  });
  if (named && failures[0] !== undefined) throw failures[0].error;
  reportFailures(failures, resolved.report);
}

/** One close, however often and from wherever it is asked for. */
export function createClose(
  members: readonly Member[],
  { telemetry }: ResolvedOptions,
  closing: Closing,
): () => Promise<void> {
  let closed: Promise<void> | undefined;
  return () => {
    closed ??= inSpan(telemetry, 'close', {}, async () => {
      closing.abort();
      await settleWithin(Promise.all(members.map(({ connection }) => connection.close())), CLOSE_MS);
    });
    return closed;
  };
}
