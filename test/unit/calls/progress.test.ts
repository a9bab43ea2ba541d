import { expect, it, vi } from 'vitest';
import { progressListener } from '../../../src/calls/progress.js';
import type { ResolvedOptions } from '../../../src/config/resolve-options.js';
import type { Deadline } from '../../../src/core/deadline.js';

const SUBJECT = { server: 's', tool: 't', toolCallId: 'id' };

function listen(onProgress: unknown, rest: Partial<ResolvedOptions> = {}) {
  const extend = vi.fn();
  const deadline = { reason: undefined as Deadline['reason'], extend };
  const options = { onProgress, maxTotalMs: undefined, ...rest } as unknown as ResolvedOptions;
  return { extend, deadline, listener: progressListener(options, SUBJECT, deadline as unknown as Deadline) };
}

it('C3 nobody who wants progress: the server is not asked for any', () => {
  expect(listen(undefined).listener).toBeUndefined();
});

it('C3 `maxTotalMs` alone asks for progress, which then only extends the deadline', () => {
  const { listener, extend } = listen(undefined, { maxTotalMs: 5_000 });
  listener?.({ progress: 1 });
  expect(extend).toHaveBeenCalledTimes(1);
});

it.each([
  [{ progress: 1 }, { progress: 1 }],
  [
    { progress: 0, total: 3, message: 'm' },
    { progress: 0, total: 3, message: 'm' },
  ],
  [{ progress: 2, total: '3', message: 4, progressToken: 'x', other: {} }, { progress: 2 }],
  [{ progress: -1.5, total: null }, { progress: -1.5 }],
])('C3 %j reaches the host as documented', (params, told) => {
  const onProgress = vi.fn();
  const { listener, extend } = listen(onProgress);
  listener?.(params);
  expect(onProgress.mock.calls).toEqual([[{ ...SUBJECT, ...told }]]);
  expect(extend).toHaveBeenCalledTimes(1);
});

it.each([[{}], [{ progress: '1' }], [{ progress: null }], [{ progress: { valueOf: 1 } }]])(
  'C3 %j is no progress and extends nothing',
  (params) => {
    const onProgress = vi.fn();
    const { listener, extend } = listen(onProgress);
    listener?.(params);
    expect(onProgress).not.toHaveBeenCalled();
    expect(extend).not.toHaveBeenCalled();
  },
);

it.each(['timeout', 'aborted', 'closed'] as const)('C3 after the end of the call (%s) nothing is told', (reason) => {
  const onProgress = vi.fn();
  const { listener, deadline, extend } = listen(onProgress);
  deadline.reason = reason;
  listener?.({ progress: 1 });
  expect(onProgress).not.toHaveBeenCalled();
  expect(extend).not.toHaveBeenCalled();
});

it('C3 a listener that throws or rejects changes nothing and leaves no unhandled rejection', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  try {
    for (const broken of [
      () => {
        throw new Error('no');
      },
      () => Promise.reject(new Error('no')),
    ]) {
      const { listener, extend } = listen(broken);
      listener?.({ progress: 1 });
      expect(extend).toHaveBeenCalledTimes(1);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).not.toHaveBeenCalled();
  } finally {
    process.off('unhandledRejection', unhandled);
  }
});
