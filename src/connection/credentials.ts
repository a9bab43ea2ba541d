import type { ResolvedOptions } from '../config/resolve-options.js';
import type { ResolvedServer } from '../config/resolve-servers.js';
import type { OAuthClientProvider } from '../core/oauth.js';
import type { AuthReason, Credentials } from '../guard/credentials.js';
import type { OAuthCredentials } from './oauth/oauth.js';

/** Where a server's tokens come from; one source for all its connections (G11, G12). */
export interface TokenSource {
  /** The option `auth`. */
  ask?(reason: AuthReason, signal: AbortSignal): unknown;
  /** What the option `oauth` gave. */
  readonly provider?: OAuthClientProvider;
  /** Made at the first connect, whose code is not loaded before. */
  made?: Credentials & Partial<OAuthCredentials>;
}

/** The tokens of a server; undefined where none are sent. */
export function tokensFor(
  server: ResolvedServer,
  name: string,
  { auth, report }: ResolvedOptions,
): TokenSource | undefined {
  if (server.kind !== 'http' && server.kind !== 'sse') return undefined;
  const { configuredName, url, headers, provider } = server;
  const by = auth ? 'auth' : provider && 'oauth';
  if (by === undefined) return undefined;
  if (Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')) {
    const message = `The configured \`Authorization\` header of server \`${name}\` is not sent: \`${by}\` gives its token.`;
    report({ code: 'authorization-overridden', level: 'warn', message, server: name, data: { by } });
  }
  if (provider !== undefined) return { provider };
  // A copy: a `URL` can be changed, and this one decides where credentials go.
  return { ask: (reason, signal) => auth?.(configuredName, { url: new URL(url), reason, signal }) };
}
