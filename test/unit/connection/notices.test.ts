import type { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createNotices, createPacer, declaresChanges, keepListening } from '../../../src/connection/notices.js';
import type { Diagnostic } from '../../../src/core/diagnostics.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the pacer', () => {
  it('L7 opens the first stream at once and doubles the wait from 250 ms to 30 s while streams end quickly', () => {
    const pacer = createPacer();
    const waits = [pacer.waitMs()];
    for (let time = 0; time < 10; time++) {
      pacer.opened(time);
      pacer.ended(time + 1);
      waits.push(pacer.waitMs());
    }
    expect(waits).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(pacer.losses).toBe(10);
  });

  it('L7 waits longer also while a stream cannot be opened at all', () => {
    const pacer = createPacer();
    const waits = [1, 2, 3].map((now) => {
      pacer.ended(now);
      return pacer.waitMs();
    });
    expect(waits).toEqual([250, 500, 1_000]);
  });

  it.each([
    [29_999, 500],
    [30_000, 0],
  ])('L7 after a stream that lived %i ms the next waits %i ms', (lived, wait) => {
    const pacer = createPacer();
    pacer.opened(0);
    pacer.ended(1);
    pacer.opened(1_000);
    pacer.ended(1_000 + lived);
    expect(pacer.waitMs()).toBe(wait);
  });
});

function watch() {
  const ended = new AbortController();
  const reports: Diagnostic[] = [];
  const onToolsChanged = vi.fn();
  const onSessionLost = vi.fn();
  const notices = createNotices({
    server: 's',
    ended: ended.signal,
    report: (diagnostic) => void reports.push(diagnostic),
    onToolsChanged,
    onSessionLost,
  });
  return { ended, reports, onToolsChanged, onSessionLost, notices };
}

describe('notices', () => {
  it('L7 a 404 says that a session is lost only where a stream was open in it', () => {
    const { notices, onSessionLost } = watch();
    notices.refused(404);
    notices.opened();
    notices.lost();
    notices.refused(503);
    expect(onSessionLost).toHaveBeenCalledTimes(0);
    notices.refused(404);
    expect(onSessionLost).toHaveBeenCalledTimes(1);
  });

  it('L7 look for missed changes after each re-opening, and not after the first opening', async () => {
    const { notices, onToolsChanged } = watch();
    expect(await notices.mayOpen()).toBe(true);
    notices.opened();
    expect(onToolsChanged).toHaveBeenCalledTimes(0);
    notices.lost();
    expect(onToolsChanged).toHaveBeenCalledTimes(0);
    notices.opened();
    expect(onToolsChanged).toHaveBeenCalledTimes(1);
  });

  it('L7 report each stream that was lost, and an outage once', () => {
    const { notices, reports } = watch();
    notices.opened();
    notices.lost();
    for (let failed = 0; failed < 5; failed++) notices.lost();
    expect(reports).toEqual([
      {
        code: 'stream-lost',
        level: 'info',
        server: 's',
        message: expect.stringContaining('`s`'),
        data: { times: 1 },
      },
    ]);
    notices.opened();
    notices.lost();
    expect(reports.map(({ data }) => data)).toEqual([{ times: 1 }, { times: 7 }]);
  });

  it('L7 W4 end their wait with the connection, leave no timer, and then report nothing', async () => {
    const { notices, ended, reports } = watch();
    notices.opened();
    notices.lost();
    const waiting = notices.mayOpen();
    expect(vi.getTimerCount()).toBe(1);
    ended.abort();
    expect(await waiting).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
    notices.lost();
    expect(reports).toHaveLength(1);
    expect(await notices.mayOpen()).toBe(false);
  });
});

describe('a subscription', () => {
  /** `closed` of each subscription in turn; an error is a refusal. The last one stays open. */
  function listenTo(...ends: ('local' | 'graceful' | 'remote' | Error)[]) {
    const filters: unknown[] = [];
    const client = {
      async listen(filter: unknown) {
        filters.push(filter);
        const end = ends.shift();
        if (end instanceof Error) throw end;
        return { closed: end === undefined ? new Promise(() => {}) : Promise.resolve(end) };
      },
    } as unknown as Client;
    return { client, filters };
  }

  it('L7 is opened again after every end but its own, each time after a longer wait', async () => {
    const { notices, onToolsChanged } = watch();
    const { client, filters } = listenTo('remote', new Error('refused'), 'graceful');
    void keepListening(client, notices);
    for (const [wait, opened] of [
      [0, 1],
      [249, 1],
      [1, 2],
      [499, 2],
      [1, 3],
      [999, 3],
      [1, 4],
      [3_600_000, 4],
    ] as const) {
      await vi.advanceTimersByTimeAsync(wait);
      expect(filters).toHaveLength(opened);
    }
    expect(filters[0]).toEqual({ toolsListChanged: true });
    // The second was refused, so only the third and fourth re-opened anything.
    expect(onToolsChanged).toHaveBeenCalledTimes(2);
  });

  it('L7 that this side closed stays closed', async () => {
    const { notices, reports } = watch();
    const { client, filters } = listenTo('local');
    await keepListening(client, notices);
    expect(filters).toHaveLength(1);
    expect(reports).toEqual([]);
  });

  it('L7 W4 ends with the connection, in the middle of a wait', async () => {
    const { notices, ended } = watch();
    const { client, filters } = listenTo(...Array.from({ length: 9 }, () => new Error('refused')));
    const keeping = keepListening(client, notices);
    await vi.advanceTimersByTimeAsync(1_000);
    const asked = filters.length;
    ended.abort();
    await keeping;
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(filters).toHaveLength(asked);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it.each([
  [undefined, false],
  [{}, false],
  [{ tools: {} }, false],
  [{ tools: { listChanged: false } }, false],
  [{ tools: { listChanged: 'yes' } }, false],
  [{ prompts: { listChanged: true } }, false],
  [{ tools: { listChanged: true } }, true],
])('L7 capabilities %j: the server announces changes: %s', (capabilities, announces) => {
  expect(declaresChanges({ getServerCapabilities: () => capabilities } as unknown as Client)).toBe(announces);
  expect(declaresChanges(undefined)).toBe(false);
});
