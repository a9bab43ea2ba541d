import type { ResolvedOptions } from '../config/resolve-options.js';
import type { ResolvedServer } from '../config/resolve-servers.js';
import { type Credentials, createCredentials } from '../guard/credentials.js';

/** One question takes less time than one connect, so that a host that hangs is told from a server that does. */
const SHARE_OF_CONNECT = 2;

/** The tokens of a server, one source of them for all its connections; undefined where none are sent (G12). */
export function credentialsFor(
  server: ResolvedServer,
  name: string,
  { auth, connectTimeoutMs, report }: ResolvedOptions,
): Credentials | undefined {
  if (auth === undefined || (server.kind !== 'http' && server.kind !== 'sse')) return undefined;
  const { configuredName, url, headers } = server;
  if (Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')) {
    const message = `The configured \`Authorization\` header of server \`${name}\` is not sent: \`auth\` gives its token.`;
    report({ code: 'authorization-overridden', level: 'warn', message, server: name, data: { by: 'auth' } });
  }
  return createCredentials({
    server: name,
    ms: connectTimeoutMs / SHARE_OF_CONNECT,
    // A copy: a `URL` can be changed, and this one decides where credentials go.
    ask: (reason, signal) => auth(configuredName, { url: new URL(url), reason, signal }),
  });
}
