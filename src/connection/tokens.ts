import { type Credentials, createCredentials } from '../guard/credentials.js';
import type { ConnectionDeps } from './state.js';

/** One question takes less time than one connect, so that a host that hangs is told from a server that does. */
const SHARE_OF_CONNECT = 2;

/** The credentials of a server, the same ones for every connection; undefined where no token is sent. */
export async function credentialsOf(deps: ConnectionDeps): Promise<Credentials | undefined> {
  const { tokens, server, name, options, closing } = deps;
  if (tokens === undefined || !('url' in server) || tokens.made !== undefined) return tokens?.made;
  const ms = options.connectTimeoutMs;
  const { provider, ask } = tokens;
  if (provider === undefined)
    tokens.made = createCredentials({ server: name, ms: ms / SHARE_OF_CONNECT, ask: (...asked) => ask?.(...asked) });
  else {
    const { createOAuthCredentials } = await import('./oauth/oauth.js');
    const { url: home, allowedHosts: allowed } = server;
    tokens.made ??= createOAuthCredentials({
      server: name,
      home,
      allowed,
      provider,
      fetch: options.fetch,
      ms,
      closing,
    });
  }
  return tokens.made;
}
