import { McpConfigError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import type { OAuthClientProvider } from '../core/oauth.js';
import type { Session } from '../core/servers.js';

/** The option `oauth` with its session. Throws `McpConfigError` where it gives no provider (W3). */
export type FindProvider = (server: string) => OAuthClientProvider;

type OAuth = (server: string, context: { readonly session: Session }) => unknown;

export function bindOAuth(
  oauth: OAuth | undefined,
  auth: unknown,
  session: Session | undefined,
): FindProvider | undefined {
  if (oauth === undefined) return undefined;
  if (auth !== undefined) throw new McpConfigError('`auth` and `oauth` both give tokens; give one of them.');
  if (session === undefined) throw new McpConfigError('`oauth` needs the option `session`; give { id: … }.');
  return (server) => {
    const where = `\`oauth\` for server \`${server}\``;
    let provider: unknown;
    try {
      provider = oauth(server, { session });
    } catch (cause) {
      throw new McpConfigError(`${where} threw instead of giving a provider.`, { server, cause });
    }
    checkProvider(provider, where);
    return provider;
  };
}

const METHODS = ['clientInformation', 'tokens', 'saveTokens', 'redirectToAuthorization', 'saveCodeVerifier'] as const;

function checkProvider(provider: unknown, where: string): asserts provider is OAuthClientProvider {
  const missing = isRecord(provider) ? METHODS.filter((name) => typeof provider[name] !== 'function') : METHODS;
  if (missing.length > 0) throw new McpConfigError(`${where} gave no OAuthClientProvider: no ${missing.join(', ')}.`);
  const { dpop } = provider as { readonly dpop?: unknown };
  if (dpop !== undefined && typeof dpop !== 'function') {
    throw new McpConfigError(`${where} gave a provider whose \`dpop\` is no function.`);
  }
}
