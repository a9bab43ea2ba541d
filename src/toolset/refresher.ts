import { projectCatalogues } from '../catalog/projection.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import type { ClosingSignal } from '../core/deadline.js';
import { quietly } from '../core/quietly.js';
import { type Shared, share } from '../core/shared.js';
import { sleep } from '../core/sleep.js';
import type { ToolsChanged } from '../core/status.js';
import { nextTurn, PIECES_A_TURN } from '../core/turns.js';
import type { Catalogue } from './catalogue.js';
import { attempt, reportFailures } from './failures.js';
import { catalogueOf, listMember, type Member } from './members.js';

/** Brings the map up to date with the servers, at most one listing of each under way (L7). */
export interface Refresher {
  /** Lists the member again and corrects the map. Resolves when a listing that began after the call has been applied. */
  refresh(member: Member): Promise<ToolsChanged>;
  /** The same, on the server's word: a failure is a diagnostic. */
  announce(member: Member): void;
  /** Judges all catalogues for the first time. */
  begin(): Promise<void>;
}

interface RefresherDeps {
  readonly members: readonly Member[];
  readonly catalogue: Pick<Catalogue, 'apply' | 'prepare'>;
  readonly resolved: ResolvedOptions;
  readonly closing: ClosingSignal;
}

export function createRefresher({ members, catalogue, resolved, closing }: RefresherDeps): Refresher {
  const judge = () => projectCatalogues(members.map(catalogueOf), { filter: resolved.tools, names: resolved.names });

  async function begin(): Promise<void> {
    const projection = judge();
    // Each step in a turn of its own where there are many: thousands of tools must not hold up everything else.
    if (projection.active.length > PIECES_A_TURN) {
      await nextTurn();
      await catalogue.prepare(projection);
    }
    catalogue.apply(projection);
  }

  async function run(member: Member): Promise<ToolsChanged> {
    await listMember(member, resolved, { ms: member.timeoutMs, option: 'timeoutMs', closing });
    const change = catalogue.apply(judge());
    if (isChange(change)) quietly(() => resolved.onToolsChanged?.(change));
    return change;
  }

  const refresh = createRuns(run);

  async function lookAgain(member: Member): Promise<void> {
    const error = await attempt(refresh(member));
    if (error === undefined || error.code === 'closed') return;
    reportFailures([{ server: member.name, required: member.required, error }], resolved.report);
  }

  return { refresh, begin, announce: createAnnounce(lookAgain, closing) };
}

/** Least time between two listings that a server asked for: one may announce a change whenever it is listed. */
const APART_MS = 500;
/** The longest that notices which keep coming put a listing off. */
const LONGEST_STORM_MS = 5_000;
/** How much later than planned a listing may begin; on Workers its request may have ended and it never does. */
const GRACE_MS = 1_000;

/** Times are in milliseconds since the epoch. */
interface Announced {
  lastAt: number;
  /** The last notice. */
  heardAt: number;
  /** Until when a listing that has not begun yet is counted on. */
  plannedUntil: number;
}

/**
 * A notice that stands alone is looked into at once. Those that follow it are, together, once they have fallen silent: a storm
 * of notices leads to two listings (L7).
 */
function createAnnounce(lookAgain: (member: Member) => Promise<void>, closing: ClosingSignal) {
  const announced = new WeakMap<Member, Announced>();

  async function announce(member: Member, state: Announced): Promise<void> {
    const begunAt = Date.now();
    state.heardAt = begunAt;
    if (closing.aborted || state.plannedUntil > begunAt) return;
    const alone = begunAt >= state.lastAt + APART_MS;
    let waitMs = alone ? 0 : APART_MS;
    do {
      state.plannedUntil = Date.now() + waitMs + GRACE_MS;
      await sleep(waitMs, closing);
      waitMs = alone ? 0 : untilSilent(state.heardAt, begunAt);
    } while (waitMs > 0 && !closing.aborted);
    state.plannedUntil = 0;
    if (closing.aborted) return;
    state.lastAt = Date.now();
    await lookAgain(member);
  }

  return (member: Member): void => {
    // What was said to stay true for a while does no longer.
    member.freshUntil = 0;
    const state = announced.get(member) ?? { lastAt: 0, heardAt: 0, plannedUntil: 0 };
    announced.set(member, state);
    void announce(member, state);
  };
}

/** A clock that was set back must not make the wait longer than it is. */
function untilSilent(heardAt: number, begunAt: number): number {
  return Math.min(heardAt + APART_MS, begunAt + LONGEST_STORM_MS, Date.now() + APART_MS) - Date.now();
}

/** One run of each member under way, and one that begins after it. A run whose Workers request was cancelled is begun anew. */
function createRuns(run: (member: Member) => Promise<ToolsChanged>): (member: Member) => Promise<ToolsChanged> {
  const running = new Map<Member, Shared<ToolsChanged>>();
  const queued = new Map<Member, Shared<ToolsChanged>>();

  /** A run that begins now, or after the one under way. */
  function next(member: Member): Shared<ToolsChanged> {
    const current = running.get(member);
    if (current === undefined) return start(member, run(member));
    const waiting = queued.get(member);
    if (waiting !== undefined) return waiting;
    const later = share(after(current, member));
    queued.set(member, later);
    return later;
  }

  async function after(current: Shared<ToolsChanged>, member: Member): Promise<ToolsChanged> {
    // How it ended is told to whoever asked for it.
    await current.wait().catch(() => {});
    queued.delete(member);
    drop(running, member, current);
    const result = run(member);
    start(member, result);
    return result;
  }

  function start(member: Member, result: Promise<ToolsChanged>): Shared<ToolsChanged> {
    const begun = share(result);
    const end = () => drop(running, member, begun);
    running.set(member, begun);
    result.then(end, end);
    return begun;
  }

  return async (member) => {
    for (;;) {
      const waited = next(member);
      const change = await waited.wait();
      if (change !== undefined) return change;
      drop(running, member, waited);
      drop(queued, member, waited);
    }
  };
}

function drop(runs: Map<Member, Shared<ToolsChanged>>, member: Member, run: Shared<ToolsChanged>): void {
  if (runs.get(member) === run) runs.delete(member);
}

function isChange(change: ToolsChanged): boolean {
  return Object.values(change).some((names: readonly string[]) => names.length > 0);
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
