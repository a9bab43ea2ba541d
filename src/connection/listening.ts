import { createDeadline, type Deadline } from '../core/deadline.js';
import { sleep } from '../core/sleep.js';
import type { Link } from './link.js';
import type { ConnectionState } from './state.js';

type Ready = (deadline: Deadline) => Promise<Link>;

/**
 * Connects again, paced, when a connection ends on which changes were listened for, and has the server listed for what was
 * missed (L7). Without `onToolsChanged` a connection that ended is only missed by the next call.
 */
export function listenOn(state: ConnectionState, link: Link, ready: Ready): void {
  if (state.deps.options.onToolsChanged === undefined || !link.announces) return;
  state.pacer.opened(Date.now());
  const onEnd = () => {
    state.pacer.ended(Date.now());
    void comeBack(state, ready);
  };
  link.ended.addEventListener('abort', onEnd, { once: true });
}

async function comeBack(state: ConnectionState, ready: Ready): Promise<void> {
  const { options, onToolsChanged, closing } = state.deps;
  while (state.closed === undefined && !closing.aborted) {
    await sleep(state.pacer.waitMs(), closing);
    if (state.closed !== undefined || closing.aborted) return;
    const deadline = createDeadline({ ms: options.connectTimeoutMs, closing, option: 'connectTimeoutMs' });
    try {
      await ready(deadline);
      return onToolsChanged();
    } catch {
      // The server is still away, and its status says so.
      state.pacer.ended(Date.now());
    } finally {
      deadline.dispose();
    }
  }
}
