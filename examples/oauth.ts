// #region oauth
import { type McpToolset, mcpTools, type OAuthClientProvider, type Session } from 'mcp-toolset';

type Stored = 'client' | 'tokens' | 'verifier';

/** `store` is this user's, and keeps what it is given whole: `issuer` says where a secret may go. */
export function providerOver(store: Map<Stored, unknown>, callback: string): OAuthClientProvider {
  const read = <T>(key: Stored) => store.get(key) as T;
  const keep = (key: Stored) => (value: unknown) => void store.set(key, value);
  return {
    redirectUrl: callback,
    clientMetadata: { client_name: 'My agent', redirect_uris: [callback] },
    clientInformation: () => read('client'),
    saveClientInformation: keep('client'),
    tokens: () => read('tokens'),
    saveTokens: keep('tokens'),
    codeVerifier: () => read('verifier'),
    saveCodeVerifier: keep('verifier'),
    redirectToAuthorization() {},
    invalidateCredentials(what) {
      if (what === 'tokens' || what === 'client') store.delete(what);
    },
  };
}

export function open(session: Session, url: string, provider: OAuthClientProvider): Promise<McpToolset> {
  return mcpTools([{ name: 'crm', type: 'http', url }], { session, oauth: () => provider });
}

/** Where the user has to go, if anywhere. */
export function pageOf({ servers }: McpToolset): URL | undefined {
  return servers.find(({ state }) => state === 'needs-auth')?.authorizationUrl;
}

/** The page sent the user back to this URL; afterwards the server's tools are in the map. */
export async function onCallback(toolset: McpToolset, request: Request): Promise<void> {
  await toolset.finishAuth('crm', new URL(request.url).searchParams);
}
// #endregion
