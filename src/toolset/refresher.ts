import { projectCatalogues } from '../catalog/projection.js';
import type { ResolvedOptions } from '../config/resolve-options.js';
import { sleep } from '../connection/notices.js';
import type { ClosingSignal } from '../core/deadline.js';
import { type Shared, share } from '../core/shared.js';
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
    if (isChange(change)) tell(resolved, change);
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
/** How much later than planned a listing may begin; on Workers its request may have ended and it never does. */
const GRACE_MS = 1_000;

interface Announced {
  lastAt: number;
  /** Until when a listing that has not begun yet is counted on, in milliseconds since the epoch. */
  plannedUntil: number;
}

/** What a server announces until the listing has begun is seen by it: a storm of notices leads to two listings (L7). */
function createAnnounce(lookAgain: (member: Member) => Promise<void>, closing: ClosingSignal) {
  const announced = new WeakMap<Member, Announced>();

  async function announce(member: Member, state: Announced): Promise<void> {
    const now = Date.now();
    if (closing.aborted || state.plannedUntil > now) return;
    const waitMs = Math.min(Math.max(0, state.lastAt + APART_MS - now), APART_MS);
    state.plannedUntil = now + waitMs + GRACE_MS;
    await sleep(waitMs, closing);
    state.plannedUntil = 0;
    if (closing.aborted) return;
    state.lastAt = Date.now();
    await lookAgain(member);
  }

  return (member: Member): void => {
    // What was said to stay true for a while does no longer.
    member.freshUntil = 0;
    const state = announced.get(member) ?? { lastAt: 0, plannedUntil: 0 };
    announced.set(member, state);
    void announce(member, state);
  };
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
    await settled(current.wait());
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

async function settled(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch {
    // Told to whoever asked for it.
  }
}

function isChange(change: ToolsChanged): boolean {
  return Object.values(change).some((names: readonly string[]) => names.length > 0);
}

/** A listener that throws or rejects changes nothing. */
function tell({ onToolsChanged }: ResolvedOptions, change: ToolsChanged): void {
  try {
    const answer: unknown = onToolsChanged?.(change);
    if (answer instanceof Promise) answer.catch(() => {});
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
