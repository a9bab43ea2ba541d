import { McpConnectError, type McpError } from '../core/errors.js';
import { quietly } from '../core/quietly.js';
import { placeOf, sameOrigin } from './verdict.js';

/** What one HTTP+SSE connection may request: one event stream, and POSTs to one URL (G7). */
export interface SseRules {
  /** Why this request is refused, if it is. The first POST that passes pins its URL. */
  refuse(method: string, url: URL): McpError | undefined;
  /** The event stream's body ended, failed or was cut. */
  streamEnded(): void;
}

/** The rules of one HTTP+SSE connection to `home`. `onStreamEnd` is called at most once. */
export function createSseRules(server: string, home: URL, onStreamEnd: (() => void) | undefined): SseRules {
  let pinned: string | undefined;
  let ended = false;
  return {
    refuse(method, url) {
      if (method === 'GET') return ended ? streamIsOver(server) : undefined;
      if (method !== 'POST') return undefined;
      if (!sameOrigin(url, home) || url.username !== '' || url.password !== '') return strayed(server, home, url);
      pinned ??= url.href;
      return url.href === pinned ? undefined : moved(server, url);
    },
    streamEnded() {
      if (ended) return;
      ended = true;
      // It runs inside the reading of a stream: its error belongs to nobody there.
      quietly(() => onStreamEnd?.());
    },
  };
}

/** A new event stream is a new session: the answers this one owed would never come. */
function streamIsOver(server: string): McpError {
  const message = `Server \`${server}\`: the event stream has ended; open a new connection`;
  return new McpConnectError('connect-failed', message, { server });
}

function strayed(server: string, home: URL, url: URL): McpError {
  const where = `the SSE endpoint is on ${placeOf(url)}`;
  const message = `Server \`${server}\`: ${where}; it must stay on ${home.origin} and hold no user name or password`;
  return new McpConnectError('host-denied', message, { server });
}

function moved(server: string, url: URL): McpError {
  const message = `Server \`${server}\`: the SSE endpoint on ${url.host} changed within one connection; open a new connection`;
  return new McpConnectError('host-denied', message, { server });
}
