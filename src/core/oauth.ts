type MaybePromise<T> = T | Promise<T>;

/** What the authorization server issued, as the official SDK stores it. */
export interface StoredOAuthTokens {
  readonly access_token: string;
  /** `Bearer`, or `DPoP` where the provider signs proofs. */
  readonly token_type: string;
  readonly refresh_token?: string | undefined;
  readonly scope?: string | undefined;
  /**
   * The authorization server that they belong to; the refresh token goes to no other (G11). Without it, only the toolset that
   * got the refresh token sends it.
   */
  readonly issuer?: string | undefined;
}

/** Who the client is at one authorization server. */
export interface StoredOAuthClient {
  readonly client_id: string;
  readonly client_secret?: string | undefined;
  /** The authorization server that knows this client. A secret without it is sent nowhere (G11). */
  readonly issuer?: string | undefined;
}

/** Signs proofs of possession (RFC 9449): the official SDK's `DpopSession`, by its structure. It keeps the key and the nonces. */
export interface DpopSigner {
  buildProof(request: {
    readonly htm: string;
    readonly htu: string | URL;
    readonly accessToken?: string;
  }): Promise<string>;
  /** Notes the nonce that a response may carry, for the origin of `url`. */
  observeNonce(response: Response, url: string | URL): void;
}

/** Which authorization server is talked to. */
export interface OAuthContext {
  readonly issuer: string;
}

/** What was found out about a server's authorization. */
export interface OAuthDiscovery {
  readonly authorizationServerUrl: string;
  readonly authorizationServerMetadata?: object | undefined;
  readonly resourceMetadata?: object | undefined;
  readonly resourceMetadataUrl?: string | undefined;
}

/**
 * The official SDK's `OAuthClientProvider`, by its structure: where tokens, client and code verifier are kept, and how the user
 * gets to the authorization page. Its own providers and yours for it fit. `saveTokens` and `saveClientInformation` should
 * keep every field, `issuer` above all. One provider serves one server.
 */
export interface OAuthClientProvider {
  /** Where the authorization page sends the user back to; undefined for grants without a user. */
  readonly redirectUrl: string | URL | undefined;
  /** Where the client's metadata document is, for authorization servers that take its URL as the client's id. */
  readonly clientMetadataUrl?: string | undefined;
  readonly clientMetadata: object;
  state?(): MaybePromise<string>;
  clientInformation(context?: OAuthContext): MaybePromise<StoredOAuthClient | undefined>;
  saveClientInformation?(client: StoredOAuthClient, context?: OAuthContext): MaybePromise<void>;
  tokens(context?: OAuthContext): MaybePromise<StoredOAuthTokens | undefined>;
  saveTokens(tokens: StoredOAuthTokens, context?: OAuthContext): MaybePromise<void>;
  /** Takes the user to the page, or does nothing: the URL is in the server's status too. */
  redirectToAuthorization(url: URL): MaybePromise<void>;
  saveCodeVerifier(verifier: string): MaybePromise<void>;
  codeVerifier(): MaybePromise<string>;
  invalidateCredentials?(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): MaybePromise<void>;
  saveDiscoveryState?(state: OAuthDiscovery): MaybePromise<void>;
  discoveryState?(): MaybePromise<OAuthDiscovery | undefined>;
  /** The same one each time. With it, tokens are asked for that are bound to its key, and each request carries a proof. */
  dpop?(): MaybePromise<DpopSigner | undefined>;
}
