import type { ResolvedOptions } from '../config/resolve-options.js';
import { type Closing, settleWithin } from '../core/deadline.js';
import { type Shared, share } from '../core/shared.js';
import { inSpan } from '../telemetry/span.js';
import type { Member } from './members.js';

/** How long a close may take in all (W4, W5). */
export const CLOSE_MS = 6_000;

/** One close, however often and from wherever it is asked for. */
export function createClose(
  members: readonly Member[],
  { telemetry }: ResolvedOptions,
  closing: Closing,
): () => Promise<void> {
  let closed: Shared<void> | undefined;
  return async () => {
    const work = async () => {
      closing.abort();
      await settleWithin(Promise.all(members.map(({ connection }) => connection.close())), CLOSE_MS);
    };
    closed ??= share(inSpan(telemetry, 'close', {}, work));
    await closed.wait();
  };
}
