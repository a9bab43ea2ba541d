import type { ToolFilter } from '../core/servers.js';

export interface ToolFilters {
  /** `McpOptions.tools`. */
  readonly toolset?: ToolFilter | undefined;
  /** The server's own, which narrows it: a tool must pass both. */
  readonly server?: ToolFilter | undefined;
}

export interface FilteredNames {
  /** One verdict for each name, in the order given. */
  readonly passes: readonly boolean[];
  /** The entries of each filter that matched a name here; see {@link unmatchedEntries}. */
  readonly matched: { readonly toolset: ReadonlySet<string>; readonly server: ReadonlySet<string> };
}

/**
 * Judges one server's raw tool names by both filters (L4). An entry matches the raw name or `prefix` + raw name, before any
 * rewriting, exactly or with `*` for any run of characters. An entry counts as matched whatever the other filter says.
 */
export function filterNames(names: readonly string[], prefix: string, filters: ToolFilters): FilteredNames {
  const toolset = readFilter(filters.toolset);
  const server = readFilter(filters.server);
  const passes = names.map((name) => {
    const wanted = prefix + name;
    const byToolset = toolset.passes(name, wanted);
    const byServer = server.passes(name, wanted);
    return byToolset && byServer;
  });
  return { passes, matched: { toolset: toolset.matched, server: server.matched } };
}

/**
 * The `allow` entries that matched nothing, each once, in their order (`filter-unmatched`, L4). A server's filter is asked
 * with that server's set; the toolset-wide one with the sets of all servers, because one match anywhere is enough.
 */
export function unmatchedEntries(
  filter: ToolFilter | undefined,
  matched: Iterable<ReadonlySet<string>>,
): readonly string[] {
  const rest = new Set(filter?.allow ?? []);
  for (const entries of matched) for (const entry of entries) rest.delete(entry);
  return [...rest];
}

interface FilterReader {
  passes(name: string, wanted: string): boolean;
  readonly matched: ReadonlySet<string>;
}

function readFilter(filter: ToolFilter | undefined): FilterReader {
  const matched = new Set<string>();
  if (filter === undefined) return { passes: () => true, matched };
  const isAllow = filter.allow !== undefined;
  const entries = filter.allow ?? filter.block;
  const exact = new Set(entries.filter((entry) => !entry.includes('*')));
  const patterns = [...new Set(entries.filter((entry) => entry.includes('*')))];

  const passes = (name: string, wanted: string): boolean => {
    let found = false;
    const note = (entry: string): void => {
      found = true;
      matched.add(entry);
    };
    if (exact.has(name)) note(name);
    if (exact.has(wanted)) note(wanted);
    for (const pattern of patterns) {
      if (matchesGlob(pattern, name) || matchesGlob(pattern, wanted)) note(pattern);
    }
    return found === isAllow;
  };
  return { passes, matched };
}

/**
 * Whether `text` is `pattern`, where `*` stands for any run of characters and everything else for itself. Two pointers and
 * one remembered star: never a regular expression made from input.
 */
function matchesGlob(pattern: string, text: string): boolean {
  let at = 0;
  let read = 0;
  let star = -1;
  let resume = 0;
  while (read < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      resume = read;
    } else if (pattern[at] === text[read]) {
      at += 1;
      read += 1;
    } else if (star !== -1) {
      // The last star takes one character more. Stars before it never need to: the pieces between are already placed first.
      at = star + 1;
      read = ++resume;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
