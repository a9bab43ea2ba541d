import type { OAuthClientProvider, StoredOAuthClient, StoredOAuthTokens } from '../../src/index.js';

/** A provider that keeps everything in memory, as an application with a user would write it. */
export interface MemoryProvider extends OAuthClientProvider {
  readonly stored: { client?: StoredOAuthClient; tokens?: StoredOAuthTokens; verifier?: string };
  readonly pages: readonly URL[];
  readonly invalidated: readonly string[];
}

export function memoryProvider(more: Partial<OAuthClientProvider> & { stored?: MemoryProvider['stored'] } = {}) {
  const stored: MemoryProvider['stored'] = { ...more.stored };
  const pages: URL[] = [];
  const invalidated: string[] = [];
  const provider: MemoryProvider = {
    redirectUrl: 'https://app.example/callback',
    clientMetadata: { client_name: 'test', redirect_uris: ['https://app.example/callback'] },
    clientInformation: () => stored.client,
    saveClientInformation: (client) => {
      stored.client = client;
    },
    tokens: () => stored.tokens,
    saveTokens: (tokens) => {
      stored.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      pages.push(url);
    },
    saveCodeVerifier: (verifier) => {
      stored.verifier = verifier;
    },
    codeVerifier: () => stored.verifier ?? '',
    invalidateCredentials: (scope) => {
      invalidated.push(scope);
      if (scope === 'tokens') delete stored.tokens;
      if (scope === 'client') delete stored.client;
    },
    ...more,
    stored,
    pages,
    invalidated,
  };
  return provider;
}
