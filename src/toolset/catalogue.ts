import type { Target } from '../calls/gate.js';
import type { DisclosurePlan } from '../catalog/disclosure.js';
import type { ProjectedTool, Projection, QuarantinedTool } from '../catalog/projection.js';
import type { SurveyedTool } from '../catalog/survey.js';
import { didYouMeanAmong } from '../core/closest.js';
import type { Diagnostic, Report } from '../core/diagnostics.js';
import type { ToolsChanged } from '../core/status.js';
import type { Disclosure, McpTool, McpToolSummary } from '../core/tools.js';
import { nextTurn, PIECES_A_TURN } from '../core/turns.js';
import { compareShown, shownTools } from './changes.js';
import { type DepartedState, forgetDeparted } from './departed.js';
import type { Shape } from './forms.js';
import type { Helper } from './helpers/helper.js';
import { summarise, summariseQuarantined } from './summaries.js';
import { createLiveTool, type Execute, type LiveTool } from './tool.js';

export interface ServerCounts {
  readonly disclosure: Disclosure;
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
  ): Exclude<Target, { state: 'active' }> | { readonly state: 'listed'; readonly live: LiveTool };
  /** The active tool of a projected or raw name. */
  named(name: string): McpTool | undefined;
  /** What stands behind a projected name: an active tool, or the reason why there is none. */
  lookUp(name: string): { readonly live: LiveTool } | { readonly refusal: string };
  suggest(name: string): string;
  /** The definitions of the active tools, as the servers sent them. */
  definitions(): readonly SurveyedTool[];
  /** Why a tool of this projected or raw name is quarantined, where it is. */
  refusal(name: string): string | undefined;
}

/** Distinct for every pair, whatever the raw name holds. */
const keyOf = (identity: string, tool: string) => `${identity}:${tool}`;

/** What a catalogue is made of. */
export interface CatalogueParts {
  readonly execute: Execute;
  readonly shape: Shape;
  readonly report: Report;
  /** Decides how much of each server's schemas is shown. */
  plan(active: readonly LiveTool[]): DisclosurePlan;
  /** Our own tools, for a map that hides something or not (N5). */
  helpers(hides: boolean): readonly Helper[];
}

interface CatalogueState extends CatalogueParts, DepartedState {
  readonly tools: Record<string, McpTool>;
  noticed: ReadonlySet<string>;
  active: readonly LiveTool[];
  current: ReadonlyMap<string, LiveTool>;
  quarantined: readonly QuarantinedTool[];
  tiers: DisclosurePlan['tiers'];
  own: readonly Helper[];
}

export function createCatalogue(parts: CatalogueParts): Catalogue {
  const tools: Record<string, McpTool> = Object.create(null);
  const state: CatalogueState = {
    ...parts,
    tools,
    live: new Map(),
    departed: new Map(),
    noticed: new Set(),
    active: [],
    current: new Map(),
    quarantined: [],
    tiers: new Map(),
    own: [],
  };
  const suggest = (name: string) => suggestName(name, state.active);
  return {
    tools,
    suggest,
    definitions: () => state.active.map(({ entry }) => entry.tool),
    refusal: (name) => state.quarantined.find((entry) => entry.name === name || entry.tool === name)?.reason,
    prepare: (projection) => makeTools(state, projection),
    apply: (projection) => applyProjection(state, projection),
    describe: () => [
      ...state.active.map(summarise),
      ...state.quarantined.map(summariseQuarantined),
      ...state.own.map((helper) => helper.summarise()),
    ],
    counts: (identity) => countServer(state, identity),
    lookUp: (name) => lookUp(state, name),
    find(identity, tool) {
      const listed = state.current.get(keyOf(identity, tool));
      if (listed !== undefined) return { state: 'listed', live: listed };
      const refused = state.quarantined.find((entry) => entry.identity === identity && entry.tool === tool);
      if (refused !== undefined) return { state: 'quarantined', reason: refused.reason };
      return { state: 'unknown', suggestion: suggest(tool) };
    },
    named: (name) =>
      Object.hasOwn(tools, name) ? tools[name] : state.active.find(({ entry }) => entry.tool.name === name)?.tool,
  };
}

async function makeTools({ live, execute, shape }: CatalogueState, { active }: Projection): Promise<void> {
  for (const [index, entry] of active.entries()) {
    if (index % PIECES_A_TURN === PIECES_A_TURN - 1) await nextTurn();
    live.set(keyOf(entry.identity, entry.tool.name), createLiveTool(entry, execute, shape));
  }
}

function applyProjection(state: CatalogueState, projection: Projection): ToolsChanged {
  const shownNow = () =>
    shownTools(
      state.active,
      state.own.map(({ tool }) => tool),
    );
  const before = shownNow();
  const hidden = new Set(state.quarantined.map(({ name }) => name));
  const current = new Map<string, LiveTool>();
  state.active = projection.active.map((entry) => {
    const key = keyOf(entry.identity, entry.tool.name);
    const tool = state.live.get(key) ?? createLiveTool(entry, state.execute, state.shape);
    if (tool.entry !== entry) update(tool, entry, state.report);
    state.live.set(key, tool);
    current.set(key, tool);
    return tool;
  });
  state.current = current;
  state.quarantined = projection.quarantined;
  forgetDeparted(state);
  const plan = disclose(state);
  rewriteMap(state);
  sayWhatIsNew(state, [...projection.notices, ...plan.notices]);
  // A refused entry may have no name at all.
  const refused = state.quarantined.flatMap(({ name }) => (name === '' || hidden.has(name) ? [] : [name]));
  return { ...compareShown(before, shownNow()), quarantined: refused, withheld: [] };
}

/** Shows each tool as planned, and adds the tools that what is hidden needs (D1). */
function disclose(state: CatalogueState): DisclosurePlan {
  const plan = state.plan(state.active);
  state.tiers = plan.tiers;
  for (const live of state.active) {
    live.disclosure = plan.isKept(live.entry.name) ? 'full' : (plan.tiers.get(live.entry.identity) ?? 'full');
  }
  state.own = state.helpers(state.active.some(({ disclosure }) => disclosure !== 'full'));
  return plan;
}

/** What is no longer so is forgotten, so that it is said again when it comes back. */
function sayWhatIsNew(state: CatalogueState, all: readonly Diagnostic[]): void {
  const notices = new Map(all.map((notice) => [JSON.stringify(notice), notice]));
  for (const [text, notice] of notices) if (!state.noticed.has(text)) state.report(notice);
  state.noticed = new Set(notices.keys());
}

/** A name may be asked for as the server has it; what is shown is the one to call. */
function suggestName(name: string, active: readonly LiveTool[]): string {
  const raw = active.map(({ entry }): [string, string] => [entry.tool.name, entry.name]);
  const projected = active.map(({ entry }): [string, string] => [entry.name, entry.name]);
  return didYouMeanAmong(name, new Map([...raw, ...projected]));
}

function lookUp({ active, quarantined }: CatalogueState, name: string): ReturnType<Catalogue['lookUp']> {
  const live = active.find(({ entry }) => entry.name === name);
  if (live !== undefined) return { live };
  const reason = quarantined.find((entry) => entry.name === name)?.reason;
  return { refusal: reason ?? `There is no tool of this name.${suggestName(name, active)}` };
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

/** A key's place in an object is where it was first set, so a changed map is written anew; our own tools are last (L5). */
function rewriteMap({ tools, active, own }: CatalogueState): void {
  const wanted = new Map([
    ...active.map(({ entry, tool }): [string, McpTool] => [entry.name, tool]),
    ...own.map(({ tool }): [string, McpTool] => [tool.metadata.tool, tool]),
  ]);
  const names = [...wanted.keys()];
  const present = Object.keys(tools);
  if (present.length !== names.length || present.some((name, index) => name !== names[index])) {
    for (const name of present) delete tools[name];
  }
  for (const [name, tool] of wanted) tools[name] = tool;
}

function countServer({ active, quarantined, tiers }: CatalogueState, identity: string): ServerCounts {
  const own = active.filter(({ entry }) => entry.identity === identity);
  const sum = (size: (live: LiveTool) => number) => own.reduce((all, live) => all + size(live), 0);
  const refused = quarantined.filter((entry) => entry.identity === identity).length;
  return {
    disclosure: tiers.get(identity) ?? 'full',
    tools: { active: own.length, quarantined: refused, withheld: 0 },
    tokens: {
      full: sum(({ forms }) => forms.tokens('full')),
      projected: sum(({ forms, disclosure }) => forms.tokens(disclosure)),
      floor: sum(({ forms }) => forms.floor),
    },
  };
}
