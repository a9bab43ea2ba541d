import type { Target } from '../calls/gate.js';
import { fingerprint } from '../catalog/fingerprint.js';
import type { ProjectedTool, Projection, QuarantinedTool } from '../catalog/projection.js';
import type { SurveyedTool } from '../catalog/survey.js';
import { catalogTokens } from '../catalog/tokens.js';
import { didYouMeanAmong } from '../core/closest.js';
import type { Report } from '../core/diagnostics.js';
import { measureJson } from '../core/json.js';
import type { ToolsChanged } from '../core/status.js';
import type { McpTool, McpToolSummary } from '../core/tools.js';
import { nextTurn, PIECES_A_TURN } from '../core/turns.js';
import { summarise, summariseQuarantined } from './summaries.js';
import { createLiveTool, describe, type Execute, type LiveTool, type Project } from './tool.js';

export interface ServerCounts {
  readonly tools: { readonly active: number; readonly quarantined: number; readonly withheld: number };
  readonly tokens: { readonly full: number; readonly projected: number; readonly floor: number };
}

/** The live map and everything that is known about it. */
export interface Catalogue {
  readonly tools: Record<string, McpTool>;
  /** Makes the tools of a first projection, some in each turn, so that `apply` finds them made. */
  prepare(projection: Projection): Promise<void>;
  /** Corrects the map in place and says what moved. */
  apply(projection: Projection): ToolsChanged;
  describe(): McpToolSummary[];
  counts(identity: string): ServerCounts;
  /** What the map says of a remote tool now. */
  find(
    identity: string,
    tool: string,
  ): Exclude<Target, { state: 'active' }> | { readonly state: 'listed'; readonly entry: ProjectedTool };
  /** The active tool of a projected or raw name. */
  named(name: string): McpTool | undefined;
  suggest(name: string): string;
  /** The definitions of the active tools, as the servers sent them. */
  definitions(): readonly SurveyedTool[];
  /** Why a tool of this projected or raw name is quarantined, where it is. */
  refusal(name: string): string | undefined;
}

/** Distinct for every pair, whatever the raw name holds. */
const keyOf = (identity: string, tool: string) => `${identity}:${tool}`;

/** Tools that left and are still the same object when they come back, and the length of their definitions together. */
const DEPARTED_KEPT = 1_000;
const DEPARTED_CHARS = 4 * 1024 * 1024;
/** Values of a definition that are measured. */
const MEASURED_NODES = 100_000;

interface CatalogueState {
  readonly tools: Record<string, McpTool>;
  /** By remote tool; those that left stay here, so that they are the same object when they come back. */
  readonly live: Map<string, LiveTool>;
  /** Those that left, the first to leave first, with the length of what is kept of each. */
  readonly departed: Map<string, number>;
  readonly execute: Execute;
  readonly project: Project;
  readonly report: Report;
  noticed: ReadonlySet<string>;
  active: readonly LiveTool[];
  current: ReadonlyMap<string, LiveTool>;
  quarantined: readonly QuarantinedTool[];
}

export function createCatalogue(execute: Execute, project: Project, report: Report): Catalogue {
  const tools: Record<string, McpTool> = Object.create(null);
  const state: CatalogueState = {
    tools,
    live: new Map(),
    departed: new Map(),
    execute,
    project,
    report,
    noticed: new Set(),
    active: [],
    current: new Map(),
    quarantined: [],
  };
  const suggest = (name: string) => suggestName(name, state.active);
  return {
    tools,
    suggest,
    definitions: () => state.active.map(({ entry }) => entry.tool),
    refusal: (name) => state.quarantined.find((entry) => entry.name === name || entry.tool === name)?.reason,
    prepare: (projection) => makeTools(state, projection),
    apply: (projection) => applyProjection(state, projection),
    describe: () => [...state.active.map(summarise), ...state.quarantined.map(summariseQuarantined)],
    counts: (identity) => countServer(state.active, state.quarantined, identity),
    find(identity, tool) {
      const listed = state.current.get(keyOf(identity, tool));
      if (listed !== undefined) return { state: 'listed', entry: listed.entry };
      const refused = state.quarantined.find((entry) => entry.identity === identity && entry.tool === tool);
      if (refused !== undefined) return { state: 'quarantined', reason: refused.reason };
      return { state: 'unknown', suggestion: suggest(tool) };
    },
    named: (name) =>
      Object.hasOwn(tools, name) ? tools[name] : state.active.find(({ entry }) => entry.tool.name === name)?.tool,
  };
}

async function makeTools({ live, execute, project }: CatalogueState, { active }: Projection): Promise<void> {
  for (const [index, entry] of active.entries()) {
    if (index % PIECES_A_TURN === PIECES_A_TURN - 1) await nextTurn();
    live.set(keyOf(entry.identity, entry.tool.name), createLiveTool(entry, execute, project));
  }
}

function applyProjection(state: CatalogueState, projection: Projection): ToolsChanged {
  const before = shown(state.active);
  const hidden = new Set(state.quarantined.map(({ name }) => name));
  const current = new Map<string, LiveTool>();
  state.active = projection.active.map((entry) => {
    const key = keyOf(entry.identity, entry.tool.name);
    const tool = state.live.get(key) ?? createLiveTool(entry, state.execute, state.project);
    if (tool.entry !== entry) update(tool, entry, state.report);
    state.live.set(key, tool);
    current.set(key, tool);
    return tool;
  });
  state.current = current;
  state.quarantined = projection.quarantined;
  forgetDeparted(state);
  rewriteMap(state.tools, state.active);
  sayWhatIsNew(state, projection);
  // A refused entry may have no name at all.
  const refused = state.quarantined.flatMap(({ name }) => (name === '' || hidden.has(name) ? [] : [name]));
  return { ...compare(before, shown(state.active)), quarantined: refused, withheld: [] };
}

/** What is no longer so is forgotten, so that it is said again when it comes back. */
function sayWhatIsNew(state: CatalogueState, projection: Projection): void {
  const notices = new Map(projection.notices.map((notice) => [JSON.stringify(notice), notice]));
  for (const [text, notice] of notices) if (!state.noticed.has(text)) state.report(notice);
  state.noticed = new Set(notices.keys());
}

/** A name may be asked for as the server has it; what is shown is the one to call. */
function suggestName(name: string, active: readonly LiveTool[]): string {
  const raw = active.map(({ entry }): [string, string] => [entry.tool.name, entry.name]);
  const projected = active.map(({ entry }): [string, string] => [entry.name, entry.name]);
  return didYouMeanAmong(name, new Map([...raw, ...projected]));
}

/** What stands behind each name of the map: which remote tool, with which definition. */
function shown(active: readonly LiveTool[]): ReadonlyMap<string, ProjectedTool> {
  return new Map(active.map(({ entry }) => [entry.name, entry]));
}

/** The map's keys after are those before, less `removed`, with `added`. */
function compare(before: ReadonlyMap<string, ProjectedTool>, after: ReadonlyMap<string, ProjectedTool>) {
  const names = [...after.keys()];
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter((name) => isAnother(before.get(name), after.get(name)!)),
  };
}

/** Fingerprints are only taken of what was listed again. */
function isAnother(before: ProjectedTool | undefined, after: ProjectedTool): boolean {
  if (before === undefined || before.tool === after.tool) return false;
  if (before.identity !== after.identity || before.tool.name !== after.tool.name) return true;
  return fingerprint(before.tool) !== fingerprint(after.tool);
}

/** Forgets the tools that left first, where a server goes through many or through large ones. */
function forgetDeparted({ live, departed, current }: CatalogueState): void {
  for (const key of departed.keys()) if (current.has(key)) departed.delete(key);
  for (const [key, { entry }] of live) {
    if (current.has(key) || departed.has(key)) continue;
    const measure = measureJson(entry.tool, { depth: Number.POSITIVE_INFINITY, nodes: MEASURED_NODES });
    departed.set(key, measure.ok ? measure.chars : DEPARTED_CHARS);
  }
  let chars = [...departed.values()].reduce((sum, each) => sum + each, 0);
  for (const [key, size] of departed) {
    if (departed.size <= DEPARTED_KEPT && chars <= DEPARTED_CHARS) return;
    departed.delete(key);
    live.delete(key);
    chars -= size;
  }
}

/** Brings a known tool up to date. */
function update(tool: LiveTool, next: ProjectedTool, report: Report): void {
  const { entry } = tool;
  tool.update(next);
  if (entry.name === next.name) return;
  const message = `Tool \`${next.tool.name}\` of server \`${next.server}\` now goes by \`${next.name}\`, not \`${entry.name}\`.`;
  const data = { from: entry.name, to: next.name };
  report({ code: 'name-moved', level: 'warn', message, server: next.server, tool: next.tool.name, data });
}

/** A key's place in an object is where it was first set, so a changed map is written anew (L5). */
function rewriteMap(tools: Record<string, McpTool>, active: readonly LiveTool[]): void {
  const wanted = active.map(({ entry }) => entry.name);
  const present = Object.keys(tools);
  if (present.length !== wanted.length || present.some((name, index) => name !== wanted[index])) {
    for (const name of present) delete tools[name];
  }
  for (const { entry, tool } of active) tools[entry.name] = tool;
}

function countServer(
  active: readonly LiveTool[],
  quarantined: readonly QuarantinedTool[],
  identity: string,
): ServerCounts {
  const own = active.filter(({ entry }) => entry.identity === identity);
  const full = own.reduce((sum, { tokens }) => sum + tokens, 0);
  const floor = catalogTokens(own.map(({ entry }) => ({ name: entry.name, description: describe(entry) })));
  const refused = quarantined.filter((entry) => entry.identity === identity).length;
  return {
    tools: { active: own.length, quarantined: refused, withheld: 0 },
    tokens: { full, projected: full, floor },
  };
}
