import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Projection } from '../../../src/catalog/projection.js';
import type { ResolvedOptions } from '../../../src/config/resolve-options.js';
import type { Connection } from '../../../src/connection/connection.js';
import { createClosing } from '../../../src/core/deadline.js';
import type { Diagnostic } from '../../../src/core/diagnostics.js';
import { McpConnectError } from '../../../src/core/errors.js';
import type { ToolsChanged } from '../../../src/core/status.js';
import type { Member } from '../../../src/toolset/members.js';
import { createRefresher } from '../../../src/toolset/refresher.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

const NOTHING: ToolsChanged = { added: [], removed: [], changed: [], quarantined: [], withheld: [] };
const LISTING_MS = 100;

/** A refresher over members whose listings take 100 ms, fail while `failing`, and move `change`. */
function create({ names = ['s'], onToolsChanged }: { names?: string[]; onToolsChanged?: unknown } = {}) {
  const world = {
    listings: [] as { name: string; at: number }[],
    inFlight: 0,
    most: 0,
    failing: false,
    steps: [] as string[],
  };
  const reports: Diagnostic[] = [];
  let change = NOTHING;
  const members = names.map((name): Member => {
    const connection = {
      mirrorsParams: false,
      async list() {
        world.listings.push({ name, at: Date.now() });
        world.inFlight += 1;
        world.most = Math.max(world.most, world.inFlight);
        await new Promise((resolve) => setTimeout(resolve, LISTING_MS));
        world.inFlight -= 1;
        if (world.failing) throw new McpConnectError('connect-failed', 'down', { server: name });
        return { entries: [], pages: 1, ttlMs: 0 };
      },
    } as unknown as Connection;
    const rest = { prefix: undefined, filter: undefined, required: false, survey: undefined, onAnnounced() {} };
    const times = {
      timeoutMs: 5_000,
      freshUntil: 0,
      confirmedUntil: 0,
      confirming: undefined,
      announced: false,
      foreign: false,
    };
    return { name, configuredName: name, identity: name, connection, ...rest, ...times };
  });
  const closing = createClosing();
  const resolved = { limits: {}, report: (each: Diagnostic) => void reports.push(each), onToolsChanged };
  const refresher = createRefresher({
    members,
    catalogue: {
      apply: ({ active }: Projection) => {
        world.steps.push(`apply ${active.length}`);
        return change;
      },
      prepare: async ({ active }: Projection) => void world.steps.push(`prepare ${active.length}`),
    },
    resolved: resolved as unknown as ResolvedOptions,
    closing: closing.signal,
  });
  const move = (next: Partial<ToolsChanged>) => {
    change = { ...NOTHING, ...next };
  };
  return { refresher, members, world, reports, closing, move, member: members[0]! };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A storm, as a stream brings it: over many turns. */
async function storm(announce: () => void): Promise<void> {
  for (let notice = 0; notice < 1_000; notice++) {
    announce();
    await Promise.resolve();
  }
}

it('L7 a thousand notices lead to two listings, one after the other', async () => {
  const { refresher, world, member } = create();
  await storm(() => refresher.announce(member));
  await pass(60_000);
  expect(world.listings).toHaveLength(2);
  expect(world.most).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

it('L7 a notice during a listing is looked into by another that begins after it', async () => {
  const { refresher, world, member } = create();
  refresher.announce(member);
  await pass(LISTING_MS / 2);
  refresher.announce(member);
  const announcedAt = Date.now();
  await pass(60_000);
  expect(world.listings).toHaveLength(2);
  expect(world.listings[1]!.at).toBeGreaterThan(announcedAt);
  expect(world.most).toBe(1);
});

it('L7 a server that announces a change at every listing is not listed in a tight loop', async () => {
  const { refresher, world, member } = create();
  refresher.announce(member);
  for (let ms = 0; ms < 10_000; ms += 10) {
    await pass(10);
    if (world.inFlight > 0) refresher.announce(member);
  }
  expect(world.listings.length).toBeGreaterThan(5);
  expect(world.listings.length).toBeLessThanOrEqual(21);
});

it('L7 notices that come slowly one after another are one storm: the second listing waits for their end', async () => {
  const { refresher, world, member } = create();
  for (let notice = 0; notice < 30; notice++) {
    refresher.announce(member);
    await pass(100);
  }
  expect(world.listings).toHaveLength(1);
  await pass(60_000);
  expect(world.listings).toHaveLength(2);
  expect(vi.getTimerCount()).toBe(0);
});

it('L7 a storm without an end puts a listing off for 5 s and no longer', async () => {
  const { refresher, world, member } = create();
  for (let ms = 0; ms < 60_000; ms += 100) {
    refresher.announce(member);
    await pass(100);
  }
  const gaps = world.listings.slice(1).map(({ at }, index) => at - world.listings[index]!.at);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(5_200);
  expect(world.listings.length).toBeLessThanOrEqual(13);
});

it('L7 a clock that was set back holds up no listing', async () => {
  const { refresher, world, member } = create();
  refresher.announce(member);
  await pass(1_000);
  vi.setSystemTime(Date.now() - 500_000);
  refresher.announce(member);
  await pass(1_000);
  expect(world.listings).toHaveLength(2);
});

it('L7 every server is listed for itself', async () => {
  const { refresher, world, members } = create({ names: ['a', 'b'] });
  await storm(() => {
    for (const member of members) refresher.announce(member);
  });
  expect(world.inFlight).toBe(2);
  await pass(60_000);
  expect(world.listings.map(({ name }) => name).sort()).toEqual(['a', 'a', 'b', 'b']);
});

it('L7 concurrent refreshes coalesce, and each resolves with a listing that began after its call', async () => {
  const { refresher, world, member } = create();
  const began: number[] = [];
  const ask = async () => {
    const askedAt = Date.now();
    const before = world.listings.length;
    await refresher.refresh(member);
    expect(world.listings.some(({ at }, index) => index >= before && at >= askedAt)).toBe(true);
    began.push(world.listings.length);
  };
  const first = [ask(), ask(), ask()];
  await pass(LISTING_MS / 2);
  const second = [ask(), ask()];
  refresher.announce(member);
  await pass(60_000);
  await Promise.all([...first, ...second]);
  expect(world.listings).toHaveLength(2);
  expect(world.most).toBe(1);
  // The first resolved after the first listing, the others after the second.
  expect(began.sort()).toEqual([1, 2, 2, 2, 2]);
});

it('L7 a notice ends what the server said its listing was good for', async () => {
  const { refresher, member } = create();
  member.freshUntil = Date.now() + 3_600_000;
  refresher.announce(member);
  expect(member.freshUntil).toBe(0);
});

it('L7 the host hears what moved, and nothing when nothing did', async () => {
  const onToolsChanged = vi.fn();
  const { refresher, member, move } = create({ onToolsChanged });
  refresher.announce(member);
  await pass(1_000);
  expect(onToolsChanged).not.toHaveBeenCalled();
  for (const part of ['added', 'removed', 'changed', 'quarantined', 'withheld'] as const) {
    move({ [part]: ['x'] });
    refresher.announce(member);
    await pass(1_000);
    expect(onToolsChanged).toHaveBeenLastCalledWith({ ...NOTHING, [part]: ['x'] });
  }
  expect(onToolsChanged).toHaveBeenCalledTimes(5);
});

it('L7 a listener that throws or rejects changes nothing', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  try {
    for (const onToolsChanged of [
      () => {
        throw new Error('mine');
      },
      () => Promise.reject(new Error('mine')),
    ]) {
      const { refresher, member, move, reports } = create({ onToolsChanged });
      move({ added: ['x'] });
      const refreshed = refresher.refresh(member);
      await pass(1_000);
      expect(await refreshed).toEqual({ ...NOTHING, added: ['x'] });
      expect(reports).toEqual([]);
    }
    vi.useRealTimers();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', unhandled);
  }
});

it('L7 a listing that fails is one diagnostic, however many notices asked for it', async () => {
  const { refresher, world, member, reports } = create();
  world.failing = true;
  await storm(() => refresher.announce(member));
  await pass(LISTING_MS);
  expect(reports).toMatchObject([
    { code: 'server-failed', server: 's', data: { errorCode: 'connect-failed', required: false } },
  ]);
  await pass(60_000);
  expect(reports).toHaveLength(2);
  const asked = refresher.refresh(member);
  asked.catch(() => {});
  await pass(60_000);
  await expect(asked).rejects.toMatchObject({ code: 'connect-failed' });
  expect(reports).toHaveLength(2);
});

it('L7 W4 a close ends the wait between two listings and leaves no timer', async () => {
  const { refresher, world, member, closing, reports } = create();
  refresher.announce(member);
  refresher.announce(member);
  await pass(LISTING_MS);
  closing.abort();
  await pass(0);
  expect(vi.getTimerCount()).toBe(0);
  refresher.announce(member);
  await pass(60_000);
  expect(world.listings).toHaveLength(1);
  expect(reports).toEqual([]);
});

it('W1 many tools are made in turns of their own before the first map, few at once', async () => {
  for (const [count, steps] of [
    [256, ['apply 256']],
    [257, ['prepare 257', 'apply 257']],
  ] as const) {
    const { refresher, member, world } = create();
    const inputSchema = { type: 'object' };
    const tools = Array.from({ length: count }, (_, index) => ({
      name: `t${index}`,
      description: '',
      inputSchema,
      paramHeaders: [],
    }));
    member.survey = { tools, refused: [] };
    const begun = refresher.begin();
    expect(world.steps).toEqual(count === 256 ? steps : []);
    await pass(0);
    await begun;
    expect(world.steps).toEqual(steps);
  }
});
