import type { Client } from '@modelcontextprotocol/client';
import { backoffMs } from '../core/backoff.js';
import type { Diagnostic } from '../core/diagnostics.js';
import { sleep } from '../core/sleep.js';
import type { NoticeStream } from '../guard/streams.js';

/** A stream that lived as long counts as sound: the next one is opened at once. */
const SOUND_MS = 30_000;

/** Says how long to wait before a stream that ended is opened again (L7). */
export interface Pacer {
  /** Milliseconds before the next opening: none for the first, then from 250 ms to 30 s while streams end quickly. */
  waitMs(): number;
  opened(now: number): void;
  ended(now: number): void;
  /** How often a stream has ended. */
  readonly losses: number;
}

export function createPacer(): Pacer {
  let openedAt: number | undefined;
  let quick = 0;
  let losses = 0;
  return {
    waitMs: () => backoffMs(quick),
    opened(now) {
      openedAt = now;
    },
    ended(now) {
      losses += 1;
      quick = openedAt !== undefined && now - openedAt >= SOUND_MS ? 0 : quick + 1;
      openedAt = undefined;
    },
    get losses() {
      return losses;
    },
  };
}

export interface NoticeDeps {
  readonly server: string;
  /** Aborted when the connection ends. */
  readonly ended: AbortSignal;
  report(diagnostic: Diagnostic): void;
  /** Changes may have been announced while no stream was open. */
  onToolsChanged(): void;
  /** The server no longer knows the session that a stream was open in. */
  onSessionLost(): void;
}

export function createNotices({ server, ended, report, onToolsChanged, onSessionLost }: NoticeDeps): NoticeStream {
  const pacer = createPacer();
  let told = false;
  let stood = false;
  return {
    async mayOpen() {
      await sleep(pacer.waitMs(), ended);
      return !ended.aborted;
    },
    opened() {
      pacer.opened(Date.now());
      told = false;
      stood = true;
      if (pacer.losses > 0) onToolsChanged();
    },
    lost() {
      if (ended.aborted) return;
      pacer.ended(Date.now());
      // Once for each outage, however often it could not be opened meanwhile.
      if (told) return;
      told = true;
      const message = `The stream on which server \`${server}\` announces changes is lost; it is opened again.`;
      report({ code: 'stream-lost', level: 'info', message, server, data: { times: pacer.losses } });
    },
    refused(status) {
      if (status === 404 && stood) onSessionLost();
    },
  };
}

/** Whether the server says that it announces changes of its tools. */
export function declaresChanges(client: Client | undefined): boolean {
  return client?.getServerCapabilities()?.tools?.listChanged === true;
}

/** Keeps a 2026-07-28 subscription open for as long as the connection lives. Never rejects. */
export async function keepListening(client: Client, notices: NoticeStream): Promise<void> {
  while (await notices.mayOpen()) {
    try {
      const subscription = await client.listen({ toolsListChanged: true });
      notices.opened();
      if ((await subscription.closed) === 'local') return;
    } catch {
      // The server may be away for a while; the next opening waits longer.
    }
    notices.lost();
  }
}
