import { projectCatalogues } from '../catalog/projection.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import type { ClosingSignal } from '../core/deadline.js';
import type { ToolsChanged } from '../core/status.js';
import type { Catalogue } from './catalogue.js';
import { attempt, reportFailures } from './failures.js';
import { catalogueOf, listMember, type Member } from './members.js';

/** Brings the map up to date with the servers, at most one listing of each under way (L7). */
export interface Refresher {
  /** Lists the member again and corrects the map. Resolves when a listing that began after the call has been applied. */
  refresh(member: Member): Promise<ToolsChanged>;
  /** The same, on the server's word: a failure is a diagnostic. */
  announce(member: Member): void;
  /** Judges all catalogues as they are. */
  project(): ToolsChanged;
}

interface RefresherDeps {
  readonly members: readonly Member[];
  readonly catalogue: Pick<Catalogue, 'apply'>;
  readonly resolved: ResolvedOptions;
  readonly closing: ClosingSignal;
}

interface Run {
  readonly result: Promise<ToolsChanged>;
  /** When it counts as dead: on Workers a run ends with the request that began it, and never settles. */
  readonly deadAt: number;
}

/** How much longer than a listing may take a run is waited for. */
const GRACE_MS = 1_000;

export function createRefresher({ members, catalogue, resolved, closing }: RefresherDeps): Refresher {
  const running = new Map<Member, Run>();
  const queued = new Map<Member, Promise<ToolsChanged>>();

  function project(): ToolsChanged {
    const rules = { filter: resolved.tools, names: resolved.names };
    return catalogue.apply(projectCatalogues(members.map(catalogueOf), rules));
  }

  async function run(member: Member): Promise<ToolsChanged> {
    await listMember(member, resolved, { ms: member.timeoutMs, option: 'timeoutMs', closing });
    const change = project();
    if (isChange(change)) tell(resolved, change);
    return change;
  }

  function start(member: Member): Promise<ToolsChanged> {
    const result = run(member);
    const current: Run = { result, deadAt: Date.now() + member.timeoutMs + GRACE_MS };
    running.set(member, current);
    const end = () => {
      if (running.get(member) === current) running.delete(member);
    };
    result.then(end, end);
    return result;
  }

  function refresh(member: Member): Promise<ToolsChanged> {
    const current = running.get(member);
    if (current === undefined || current.deadAt < Date.now()) return start(member);
    const waiting = queued.get(member);
    if (waiting !== undefined) return waiting;
    const next = settled(current.result).then(() => {
      queued.delete(member);
      return start(member);
    });
    queued.set(member, next);
    return next;
  }

  async function announce(member: Member): Promise<void> {
    if (closing.aborted) return;
    const error = await attempt(refresh(member));
    if (error === undefined || error.code === 'closed') return;
    reportFailures([{ server: member.name, required: member.required, error }], resolved.report);
  }

  return { refresh, project, announce: (member) => void announce(member) };
}

async function settled(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch {
    // Told to whoever asked for it.
  }
}

export function isChange(change: ToolsChanged): boolean {
  return Object.values(change).some((names: readonly string[]) => names.length > 0);
}

/** A listener that throws changes nothing. */
function tell({ onToolsChanged }: ResolvedOptions, change: ToolsChanged): void {
  try {
    onToolsChanged?.(change);
  } catch {
    // The host's own fault to find.
  }
}

/** Several changes as one; a name is listed once. */
export function mergeChanges(changes: readonly ToolsChanged[]): ToolsChanged {
  const all = (part: keyof ToolsChanged) => [...new Set(changes.flatMap((change) => change[part]))];
  return {
    added: all('added'),
    removed: all('removed'),
    changed: all('changed'),
    quarantined: all('quarantined'),
    withheld: all('withheld'),
  };
}
