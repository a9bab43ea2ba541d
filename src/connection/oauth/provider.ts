import { McpConfigError, McpConnectError, type McpError } from '../../core/errors.js';
import type {
  OAuthClientProvider,
  OAuthContext,
  OAuthDiscovery,
  StoredOAuthClient,
  StoredOAuthTokens,
} from '../../core/oauth.js';
import type { Verdict } from '../../guard/verdict.js';

/** What one run of the SDK's OAuth code may see of the host's provider, and what it may do with it. */
export interface ProviderRules {
  readonly server: string;
  /** The authorization server of this run. */
  readonly issuer: string;
  readonly issued: Issued;
  readonly discovery: OAuthDiscovery;
  /** Why nothing more may happen, where that is so. */
  failure(): McpError | undefined;
  judgePage(url: URL): Verdict;
  onRedirect(redirect: Redirect): void;
}

/** What this authorization server gave us last: the host's store may lose its `issuer`. */
export interface Issued {
  client?: string;
  refreshToken?: string;
}

export interface Redirect {
  readonly url: URL;
  readonly state: string;
}

/** Somebody else renewed the tokens while we tried to: theirs are good. */
export class SupersededError extends Error {}

/**
 * The host's provider as the SDK's OAuth code gets it (G11): what was found out is given to it, a stored secret only where it is
 * known to belong to this authorization server, and every redirect has a `state` that is known.
 */
export function guardProvider(provider: OAuthClientProvider, rules: ProviderRules): OAuthClientProvider {
  let state = '';
  let shown: StoredOAuthTokens | undefined;
  /** A refresh token that is good no longer. Not every provider can throw it away, and then the user would never be asked. */
  let spent: string | undefined;
  let knownClient = true;
  const overrides: Partial<OAuthClientProvider> = {
    discoveryState: () => rules.discovery,
    saveDiscoveryState() {},
    clientInformation: async (context) => vetClient(provider, rules, await provider.clientInformation(context)),
    async tokens(context) {
      shown = vetTokens(rules, await provider.tokens(context));
      return shown?.refresh_token !== undefined && shown.refresh_token === spent ? undefined : shown;
    },
    async saveTokens(tokens, context) {
      checkKind(rules.server, tokens, provider);
      if (tokens.refresh_token !== undefined) rules.issued.refreshToken = tokens.refresh_token;
      await provider.saveTokens(tokens, context);
    },
    async state() {
      // From here on the user would be asked, which helps nothing where a server could not be reached.
      const failure = rules.failure();
      if (failure !== undefined) throw failure;
      state = (await provider.state?.()) ?? randomState();
      return state;
    },
    async redirectToAuthorization(url) {
      const verdict = rules.judgePage(url);
      const { server } = rules;
      if (!verdict.allowed) {
        throw new McpConnectError(verdict.code, `Server \`${server}\`: ${verdict.reason}`, { server });
      }
      rules.onRedirect({ url: new URL(url), state });
      await provider.redirectToAuthorization(new URL(url));
    },
    async invalidateCredentials(scope) {
      if (scope === 'tokens' && (await supersedes(provider, rules, shown))) throw new SupersededError();
      await provider.invalidateCredentials?.(scope);
      if (scope === 'client') knownClient = false;
      // A client that is not known need not send the user anywhere.
      if (scope === 'tokens' && knownClient) spent = shown?.refresh_token;
    },
  };
  return withOverrides(provider, { ...overrides, ...saveClient(provider, rules) });
}

/** The SDK registers a client only where it can be saved. */
function saveClient(provider: OAuthClientProvider, { issued }: ProviderRules) {
  if (provider.saveClientInformation === undefined) return {};
  return {
    async saveClientInformation(client: StoredOAuthClient, context?: OAuthContext) {
      issued.client = keyOf(client);
      await provider.saveClientInformation?.(client, context);
    },
  };
}

function keyOf({ client_id, client_secret }: StoredOAuthClient): string {
  return JSON.stringify([client_id, client_secret]);
}

function vetClient(
  provider: OAuthClientProvider,
  { server, issuer, issued }: ProviderRules,
  client: StoredOAuthClient | undefined,
): StoredOAuthClient | undefined {
  if (client === undefined || client === null || typeof client.issuer === 'string') return client;
  if (issued.client === keyOf(client) || !hasSecret(provider, client)) return { ...client, issuer };
  if (provider.saveClientInformation !== undefined) return undefined;
  const where = 'on what `clientInformation` returns (`expectedIssuer` for the providers of the SDK)';
  const message = `Server \`${server}\`: its client credentials do not say whose they are, so they were not sent; give the authorization server's \`issuer\` ${where}.`;
  throw new McpConfigError(message, { server });
}

/** Whether the client proves who it is by something that another authorization server could use. */
function hasSecret(provider: OAuthClientProvider, client: StoredOAuthClient): boolean {
  const { addClientAuthentication, prepareTokenRequest } = provider as unknown as Record<string, unknown>;
  return (
    client.client_secret !== undefined || addClientAuthentication !== undefined || prepareTokenRequest !== undefined
  );
}

/** The client's issuer says nothing of theirs: it may have been registered there since. */
function vetTokens({ issuer, issued }: ProviderRules, tokens: StoredOAuthTokens | undefined) {
  if (tokens === undefined || tokens === null || typeof tokens.issuer === 'string') return tokens;
  const known = tokens.refresh_token !== undefined && tokens.refresh_token === issued.refreshToken;
  return known ? { ...tokens, issuer } : undefined;
}

/** Whether the refresh token that was refused is no longer the stored one. */
async function supersedes(provider: OAuthClientProvider, { issuer }: ProviderRules, shown?: StoredOAuthTokens) {
  const stored = await provider.tokens({ issuer });
  return shown !== undefined && stored?.refresh_token !== undefined && stored.refresh_token !== shown.refresh_token;
}

/** Tokens of another kind need a proof with each request, and are of no use without. Answers whether they do. */
export function checkKind(server: string, { token_type }: StoredOAuthTokens, { dpop }: OAuthClientProvider): boolean {
  if (token_type === undefined || /^bearer$/i.test(token_type)) return false;
  if (/^dpop$/i.test(token_type) && dpop !== undefined) return true;
  const kind = dpop === undefined ? 'a bearer token, and the provider has no `dpop`' : 'a bearer or DPoP token';
  const message = `Server \`${server}\`: the token is not ${kind}; it cannot be sent.`;
  throw new McpConnectError('unauthorized', message, { server });
}

function randomState(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A class instance may hold private fields, so its methods keep it as their receiver. */
function withOverrides<T extends object>(target: T, overrides: object): T {
  // Over an object of its own: what a frozen one holds could not be replaced.
  return new Proxy({} as T, {
    get(_, key) {
      const own: unknown = Object.hasOwn(overrides, key) ? Reflect.get(overrides, key) : Reflect.get(target, key);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
