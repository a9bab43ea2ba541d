import type { Diagnostic } from '../core/diagnostics.js';
import type { Disclosure } from '../core/tools.js';

export interface DisclosureRules {
  /** Estimated tokens for each server (D1, D3). */
  readonly budget: number;
  /** Estimated tokens over all servers; undefined where there is no such cap (D5). */
  readonly total: number | undefined;
  /** Names of servers and projected names of tools that stay in full. */
  readonly alwaysLoad: readonly string[];
}

/** Estimated tokens of one tool (D1), computed when they are asked for. */
export interface ToolSizes {
  /** The projected name. */
  readonly name: string;
  /** Of `{ name, description, inputSchema }` in each form. */
  tokens(disclosure: Disclosure): number;
  /** Of the schema alone, in a form that hides something. */
  schemaTokens(disclosure: HiddenForm): number;
  /** Of the name and description alone. */
  readonly floor: number;
}

export type HiddenForm = Exclude<Disclosure, 'full'>;

export interface ServerSizes {
  readonly identity: string;
  /** The effective name (N4). */
  readonly name: string;
  readonly configuredName: string;
  /** Whether its catalogue was read at all. */
  readonly listed: boolean;
  /** The active tools. */
  readonly tools: readonly ToolSizes[];
}

export interface DisclosurePlan {
  /** By identity. A tool that `alwaysLoad` names is in full whatever its server is. */
  readonly tiers: ReadonlyMap<string, Disclosure>;
  /** Whether `alwaysLoad` names this tool. */
  isKept(name: string): boolean;
  readonly notices: readonly Diagnostic[];
}

interface Judged {
  readonly server: ServerSizes;
  /** Tools that may be shown in another form than the full one. */
  readonly others: readonly ToolSizes[];
  readonly kept: readonly ToolSizes[];
  tier: Disclosure;
}

/** Decides what the model sees of each server's schemas: each by its own budget (D1, D3), then all together (D5). */
export function planDisclosure(servers: readonly ServerSizes[], rules: DisclosureRules): DisclosurePlan {
  const always = new Set(rules.alwaysLoad);
  const judged = servers.map((server) => judgeServer(server, rules.budget, always));
  const notices = [
    ...judged.flatMap(({ server }) => floorNotice(server, rules.budget)),
    ...fitTotal(judged, rules.total),
    ...unmatched(servers, rules.alwaysLoad),
  ];
  const tiers = new Map(judged.map(({ server, tier }) => [server.identity, tier]));
  return { tiers, isKept: (name) => always.has(name), notices };
}

function judgeServer(server: ServerSizes, budget: number, always: ReadonlySet<string>): Judged {
  const { tools, name, configuredName } = server;
  if (always.has(name) || always.has(configuredName)) return { server, others: [], kept: tools, tier: 'full' };
  const others = tools.filter((tool) => !always.has(tool.name));
  const kept = tools.filter((tool) => always.has(tool.name));
  // Nothing of it could be hidden.
  const tier = others.length === 0 ? 'full' : chooseTier(tools, others, budget);
  return { server, others, kept, tier };
}

/** D1, D3. Names of parameters are only given up where that brings the schemas within the budget. */
function chooseTier(tools: readonly ToolSizes[], others: readonly ToolSizes[], budget: number): Disclosure {
  if (fits(tools, (tool) => tool.tokens('full'), budget)) return 'full';
  if (fits(others, (tool) => tool.schemaTokens('deferred'), budget)) return 'deferred';
  return fits(others, (tool) => tool.schemaTokens('bare'), budget) ? 'bare' : 'deferred';
}

/** Stops at the first tool that goes beyond: what a server publishes may be much more than fits. */
function fits(tools: readonly ToolSizes[], size: (tool: ToolSizes) => number, budget: number): boolean {
  let sum = 0;
  for (const tool of tools) {
    sum += size(tool);
    if (sum > budget) return false;
  }
  return true;
}

function projectedTokens({ kept, others, tier }: Judged, as = tier): number {
  return sumOf(kept, (tool) => tool.tokens('full')) + sumOf(others, (tool) => tool.tokens(as));
}

function sumOf(tools: readonly ToolSizes[], size: (tool: ToolSizes) => number): number {
  return tools.reduce((sum, tool) => sum + size(tool), 0);
}

/** Brings the sum of all servers under the cap, the largest first: full ones are deferred, then the rest goes too (D5). */
function fitTotal(judged: readonly Judged[], total: number | undefined): readonly Diagnostic[] {
  if (total === undefined) return [];
  if (shed(judged, 'full', 'deferred', total) <= total) return [];
  const barest = judged.reduce(
    (sum, each) => sum + projectedTokens(each, each.others.length > 0 ? 'bare' : each.tier),
    0,
  );
  if (barest <= total) {
    shed(judged, 'deferred', 'bare', total);
    return [];
  }
  return [totalNotice(judged, total)];
}

/** Moves servers from one tier to the next until the sum fits; answers the sum that is left. */
function shed(judged: readonly Judged[], from: Disclosure, to: HiddenForm, total: number): number {
  const sizes = new Map(judged.map((each) => [each, projectedTokens(each)]));
  let sum = [...sizes.values()].reduce((all, size) => all + size, 0);
  const movable = judged.filter(({ tier, others }) => tier === from && others.length > 0);
  // A stable sort: servers of one size move in the order of the configuration.
  for (const each of movable.sort((a, b) => sizes.get(b)! - sizes.get(a)!)) {
    if (sum <= total) break;
    const before = sizes.get(each)!;
    const after = projectedTokens(each, to);
    if (after >= before) continue;
    each.tier = to;
    sum += after - before;
  }
  return sum;
}

/** D4: names and descriptions are what a model chooses by, and are never cut. */
function floorNotice({ name, tools }: ServerSizes, budget: number): readonly Diagnostic[] {
  const floor = sumOf(tools, (tool) => tool.floor);
  if (floor <= budget) return [];
  const message = `The names and descriptions of the ${tools.length} tools of server \`${name}\` are about ${floor} tokens, over the disclosure budget of ${budget}; expose fewer of them with the \`tools\` filter.`;
  const data = { scope: 'server', tools: tools.length, floor, budget } as const;
  return [{ code: 'disclosure-budget-exceeded', level: 'warn', message, server: name, data }];
}

function totalNotice(judged: readonly Judged[], total: number): Diagnostic {
  const tools = judged.flatMap(({ kept, others }) => [...kept, ...others]);
  const floor = sumOf(tools, (tool) => tool.floor);
  const kept = judged.reduce((sum, each) => sum + sumOf(each.kept, (tool) => tool.tokens('full')), 0);
  const why =
    kept > total
      ? `what \`disclosure.alwaysLoad\` keeps in full is about ${kept} tokens; keep less`
      : `the names and descriptions alone are about ${floor} tokens`;
  const message = `The ${tools.length} tools do not fit in \`disclosure.total\` (${total} tokens): ${why}, or expose fewer with the \`tools\` filter.`;
  const data = { scope: 'total', tools: tools.length, floor, budget: total } as const;
  return { code: 'disclosure-budget-exceeded', level: 'warn', message, data };
}

/** A name with a typing mistake keeps nothing, and would do so silently. */
function unmatched(servers: readonly ServerSizes[], alwaysLoad: readonly string[]): readonly Diagnostic[] {
  // What a server that could not be read would have is not known.
  if (!servers.every(({ listed }) => listed)) return [];
  const names = new Set(
    servers.flatMap(({ name, configuredName, tools }) => [name, configuredName, ...tools.map((tool) => tool.name)]),
  );
  return alwaysLoad
    .filter((entry) => !names.has(entry))
    .map((entry) => {
      const message = `\`disclosure.alwaysLoad\` names \`${entry}\`, which is neither a server nor a projected tool.`;
      return { code: 'filter-unmatched', level: 'warn', message, data: { entry } };
    });
}
