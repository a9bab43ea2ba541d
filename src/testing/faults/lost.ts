import { sleep } from '../../core/sleep.js';
import { createWriter, say } from './channel.js';
import { type Acts, type Exchange, progressOf } from './exchange.js';
import type { LostAnswer } from './plan.js';

/** How long what was written may take to leave before the connection is cut. */
const LEAVE_MS = 20;
const ENDLESS_BYTES = 64 * 1024 * 1024;

export const LOST_ACTS: Acts<LostAnswer['kind'], void | Promise<void>> = {
  'dead-before-headers': (_, { channel }) => channel.killRequest(),
  async 'dead-after-headers'(_, { channel, signal }) {
    channel.begin();
    await sleep(LEAVE_MS, signal);
    channel.killStream();
  },
  async 'dead-after-event'({ events = 1 }, exchange) {
    sayProgress(exchange, events);
    await sleep(LEAVE_MS, exchange.signal);
    exchange.channel.killStream();
  },
  'half-closed'({ events = 0 }, exchange) {
    sayProgress(exchange, events);
    exchange.channel.endStream();
  },
  'refuse-connections'({ forMs = 200, keepSessions = false }, { channel, host }) {
    channel.killRequest();
    // Not waited for: that the server comes back is no part of this request. `close` waits for it.
    void host.restart({ downMs: forMs, keepSessions }).catch(() => {});
  },
  silent() {},
  'never-answers': (_, { channel }) => void channel.stream(),
  'endless-line'({ chunkBytes = 65_536, everyMs = 1, maxBytes = ENDLESS_BYTES }, { channel, signal }) {
    const target = channel.stream();
    if (target === undefined) return;
    target.write('event: message\ndata: ');
    const chunk = 'x'.repeat(chunkBytes);
    const write = createWriter(target);
    const go = async (): Promise<void> => {
      for (let sent = 0; sent < maxBytes && !signal.aborted && !target.destroyed; sent += chunkBytes) {
        await write(chunk);
        await sleep(everyMs, signal);
      }
    };
    void go();
  },
};

function sayProgress({ channel, entry }: Exchange, events: number): void {
  const stream = channel.stream();
  for (let event = 1; event <= events; event++) say(stream, progressOf(entry, event));
}
