import type { Diagnostic } from '../core/diagnostics.js';
import type { ToolFilter } from '../core/servers.js';
import { filterNames, unmatchedEntries } from './filter.js';
import { isLegalName, type ProjectedName, projectNames } from './names.js';
import type { RefusedTool, Survey, SurveyedTool } from './survey.js';

export interface ServerCatalogue {
  /** The effective name (N4). */
  readonly name: string;
  readonly identity: string;
  readonly prefix: string | undefined;
  /** What a filter entry may put before a raw name: as configured, whatever the server goes by (L4). */
  readonly filterPrefix: string;
  readonly filter: ToolFilter | undefined;
  readonly survey: Survey;
  /** Whether its catalogue was read at all. */
  readonly listed: boolean;
}

/** A tool that the model may see. */
export interface ProjectedTool {
  readonly name: string;
  readonly server: string;
  readonly identity: string;
  readonly tool: SurveyedTool;
}

/** A tool that is described but not in the map (L1). */
export interface QuarantinedTool {
  /** The name it would have; empty where the entry had none. */
  readonly name: string;
  readonly server: string;
  readonly identity: string;
  readonly tool: string;
  readonly reason: string;
}

export interface Projection {
  /** Servers in the order given, tools by projected name in code-unit order (L5). */
  readonly active: readonly ProjectedTool[];
  readonly quarantined: readonly QuarantinedTool[];
  readonly notices: readonly Diagnostic[];
}

export interface ProjectionRules {
  readonly filter: ToolFilter | undefined;
  readonly names: 'rewrite' | 'strict';
}

interface Candidate {
  readonly server: ServerCatalogue;
  readonly raw: string;
  readonly tool?: SurveyedTool;
  readonly refused?: RefusedTool;
}

/** Filters, names and orders the catalogues of all servers together: the names of one depend on the others (N3). */
export function projectCatalogues(servers: readonly ServerCatalogue[], rules: ProjectionRules): Projection {
  const { candidates, unmatched } = selectTools(servers, rules.filter);
  const names = projectNames(
    candidates.map(({ server, raw }) => ({
      server: server.name,
      identity: server.identity,
      prefix: server.prefix,
      tool: raw,
    })),
  );
  const active: ProjectedTool[] = [];
  const quarantined: QuarantinedTool[] = [];
  const notices: Diagnostic[] = [...unmatched];
  candidates.forEach((candidate, index) => {
    const judged = judge(candidate, names[index]!, rules);
    notices.push(...judged.notices);
    if (judged.active !== undefined) active.push(judged.active);
    if (judged.quarantined !== undefined) quarantined.push(judged.quarantined);
  });
  return { active: inOrder(active), quarantined: inOrder(quarantined), notices };
}

/** By name within each server; the servers stand in their order already (L5). */
function inOrder<T extends { readonly identity: string; readonly name: string }>(tools: readonly T[]): readonly T[] {
  const byServer = new Map<string, T[]>();
  for (const tool of tools) {
    const own = byServer.get(tool.identity);
    if (own === undefined) byServer.set(tool.identity, [tool]);
    else own.push(tool);
  }
  const byName = (a: T, b: T) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  return [...byServer.values()].flatMap((own) => own.sort(byName));
}

/** L4 over every name that was read, also of tools that are refused for something else. */
function selectTools(servers: readonly ServerCatalogue[], toolset: ToolFilter | undefined) {
  const candidates: Candidate[] = [];
  const matched: ReadonlySet<string>[] = [];
  const unmatched: Diagnostic[] = [];
  for (const server of servers) {
    const all: Candidate[] = [
      ...server.survey.tools.map((tool) => ({ server, raw: tool.name, tool })),
      ...server.survey.refused.map((refused) => ({ server, raw: refused.name, refused })),
    ];
    const filtered = filterNames(
      all.map(({ raw }) => raw),
      server.filterPrefix,
      { toolset, server: server.filter },
    );
    // An entry without a name can match nothing, and is still reported.
    candidates.push(...all.filter(({ raw }, index) => raw === '' || filtered.passes[index]));
    matched.push(filtered.matched.toolset);
    if (!server.listed) continue;
    for (const entry of unmatchedEntries(server.filter, [filtered.matched.server]))
      unmatched.push(unmatchedNotice(entry, server.name));
  }
  // What a server that could not be read would have matched is not known.
  const known = servers.every(({ listed }) => listed);
  for (const entry of known ? unmatchedEntries(toolset, matched) : []) unmatched.push(unmatchedNotice(entry));
  return { candidates, unmatched };
}

interface Judged {
  readonly active?: ProjectedTool;
  readonly quarantined?: QuarantinedTool;
  readonly notices: readonly Diagnostic[];
}

function judge({ server, raw, tool, refused }: Candidate, projected: ProjectedName, rules: ProjectionRules): Judged {
  const base = { server: server.name, identity: server.identity };
  const strictly = rules.names === 'strict' && projected.rewritten;
  if (tool !== undefined && !strictly) {
    const active = { ...base, name: projected.name, tool };
    const rewritten = projected.rewritten ? [rewriteNotice(projected, active)] : [];
    return { active, notices: [...rewritten, ...hiddenNotice(server.name, tool)] };
  }
  const reason = refused?.reason ?? strictReason(projected.wanted);
  const name = raw === '' ? '' : strictly ? projected.wanted : projected.name;
  return {
    quarantined: { ...base, name, tool: raw, reason },
    notices: [quarantineNotice(server.name, raw, reason, refused)],
  };
}

function hiddenNotice(server: string, { name, cleaned }: SurveyedTool): readonly Diagnostic[] {
  if (cleaned === undefined) return [];
  const { hidden } = cleaned;
  const what = `The definition of \`${name}\` of server \`${server}\` holds ${hidden.count} hidden characters (${hidden.codePoints.join(', ')})`;
  const message = `${what}; ${hidden.removed ? 'the model does not see them' : 'some are part of what arguments are checked by, and stay'}.`;
  return [{ code: 'hidden-text', level: 'warn', message, server, tool: name, data: hidden }];
}

function strictReason(wanted: string): string {
  return isLegalName(wanted)
    ? 'Its name meets another tool\'s and `names: "strict"` rewrites none; give the servers different prefixes.'
    : 'Its name is not legal for every provider and `names: "strict"` rewrites none.';
}

function quarantineNotice(server: string, tool: string, reason: string, refused: RefusedTool | undefined): Diagnostic {
  const shown = tool === '' ? 'A tool' : `Tool \`${tool}\``;
  const base = { level: 'warn', server, ...(tool === '' ? {} : { tool }) } as const;
  const message = `${shown} of server \`${server}\` is not exposed: ${reason}`;
  if (refused?.duplicates !== undefined)
    return { ...base, code: 'duplicate-tool', message, data: { count: refused.duplicates } };
  return { ...base, code: 'tool-quarantined', message, data: { reason } };
}

function rewriteNotice({ name, wanted }: ProjectedName, { server, tool }: ProjectedTool): Diagnostic {
  const message = `Tool \`${tool.name}\` of server \`${server}\` goes by \`${name}\`.`;
  return { code: 'name-rewritten', level: 'info', message, server, tool: tool.name, data: { from: wanted, to: name } };
}

function unmatchedNotice(entry: string, server?: string): Diagnostic {
  const where = server === undefined ? 'on any server' : `on server \`${server}\``;
  const message = `The filter entry \`${entry}\` matches no tool ${where}.`;
  return {
    code: 'filter-unmatched',
    level: 'warn',
    message,
    ...(server === undefined ? {} : { server }),
    data: { entry },
  };
}
