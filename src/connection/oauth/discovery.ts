import { McpConnectError } from '../../core/errors.js';
import type { OAuthClientProvider, OAuthDiscovery } from '../../core/oauth.js';
import type { AllowedHosts } from '../../guard/allowlist.js';
import type { OAuthRequests } from '../../guard/oauth-fetch.js';
import { judgeOAuthUrl, type OAuthPurpose } from '../../guard/oauth-verdict.js';
import { sameOrigin, type Verdict } from '../../guard/verdict.js';
import type { loadOAuthSdk } from '../../transports/sdk.js';
import { notAuthorized, otherIssuer } from './failures.js';

export type OAuthSdk = Awaited<ReturnType<typeof loadOAuthSdk>>;

export interface Place {
  readonly server: string;
  /** The MCP server's own URL. */
  readonly home: URL;
  readonly allowed: AllowedHosts | undefined;
  readonly provider: OAuthClientProvider;
}

export interface DiscoveryQuestion extends Place {
  readonly sdk: OAuthSdk;
  readonly requests: OAuthRequests;
  /** Where the server's challenge said that its metadata is. */
  readonly resourceMetadataUrl: URL | undefined;
  /** The authorization server that was accepted before. */
  readonly pin: string | undefined;
}

/** The authorization server of a server, with its metadata. Nothing secret has been sent yet. */
export interface Discovered {
  readonly discovery: OAuthDiscovery & { readonly authorizationServerMetadata?: Metadata | undefined };
  readonly issuer: string;
}

export type Metadata = NonNullable<Awaited<ReturnType<OAuthSdk['discoverAuthorizationServerMetadata']>>>;

/** Looks for the authorization server and judges everything it is to be asked for, before it is asked (G11). */
export async function discover(question: DiscoveryQuestion): Promise<Discovered> {
  const { sdk, requests, server, home, resourceMetadataUrl } = question;
  const resource = await resourceMetadata(question);
  const own = resource?.resource;
  const requested = sdk.resourceUrlFromServerUrl(home);
  const custom = 'validateResourceURL' in question.provider;
  if (
    own !== undefined &&
    !custom &&
    !sdk.checkResourceAllowed({ requestedResource: requested, configuredResource: own })
  ) {
    throw notAuthorized(server, 'the resource metadata is that of another server');
  }
  // A server from before 2025-06-18 is its own authorization server, at places that need no metadata.
  const [first = new URL('/', home).href, ...others] = resource?.authorization_servers ?? [];
  const pin = question.pin ?? (await stampOfClient(question, first)) ?? (await earlierIssuer(question));
  const url = pin === undefined ? first : [first, ...others].find((entry) => isIssuer(entry, pin));
  if (url === undefined) throw otherIssuer(server, first, pin!);
  allow(question, url, 'authorization-server');
  const metadata = await sdk.discoverAuthorizationServerMetadata(url, {
    fetchFn: requests.within((asked) => judgeWithin(question, asked, new URL(url))),
  });
  if (metadata === undefined && requests.failure !== undefined) throw requests.failure;
  if (metadata === undefined && resource !== undefined) {
    throw notAuthorized(server, 'the authorization server gives no metadata');
  }
  allowEndpoints(question, metadata);
  const discovery = {
    authorizationServerUrl: url,
    authorizationServerMetadata: metadata,
    resourceMetadata: resource,
    resourceMetadataUrl: resourceMetadataUrl?.href,
  };
  return { discovery, issuer: metadata?.issuer ?? url };
}

async function resourceMetadata({ sdk, requests, resourceMetadataUrl, ...place }: DiscoveryQuestion) {
  const judge = (url: URL) => judgeOAuthUrl(url, { purpose: 'resource-metadata', ...place });
  try {
    const options = resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl };
    return await sdk.discoverOAuthProtectedResourceMetadata(place.home, options, requests.within(judge));
  } catch {
    if (requests.failure !== undefined) throw requests.failure;
    return undefined;
  }
}

/** The issuer that the host's record of the client names. */
async function stampOfClient({ provider }: Place, issuer: string): Promise<string | undefined> {
  const client = await provider.clientInformation({ issuer });
  return typeof client?.issuer === 'string' ? client.issuer : undefined;
}

/** Who issued the tokens, or was found out before: it stays, but it says nothing of a client without an issuer. */
async function earlierIssuer({ provider }: Place): Promise<string | undefined> {
  const tokens = await provider.tokens();
  if (typeof tokens?.issuer === 'string') return tokens.issuer;
  const known = await provider.discoveryState?.();
  return (known?.authorizationServerMetadata as Metadata | undefined)?.issuer ?? known?.authorizationServerUrl;
}

/** The same but for a slash at the end, which a URL gets where an issuer has none. */
function isIssuer(a: string, b: string): boolean {
  return a === b || a === `${b}/` || `${a}/` === b;
}

function judgeWithin(place: Place, asked: URL, issuer: URL): Verdict {
  const verdict = judgeOAuthUrl(asked, { purpose: 'authorization-server', ...place });
  if (!verdict.allowed || sameOrigin(asked, issuer)) return verdict;
  return { allowed: false, code: 'host-denied', reason: `metadata of ${issuer.origin} is not elsewhere` };
}

function allowEndpoints(place: Place, metadata: Metadata | undefined): void {
  if (metadata === undefined) return;
  allow(place, metadata.token_endpoint, 'authorization-server');
  if (place.provider.redirectUrl === undefined) return;
  allow(place, metadata.authorization_endpoint, 'authorization-page');
}

function allow({ server, ...place }: Place, url: string, purpose: OAuthPurpose): void {
  const verdict = judgeOAuthUrl(new URL(url), { purpose, ...place });
  if (!verdict.allowed) throw new McpConnectError(verdict.code, `Server \`${server}\`: ${verdict.reason}`, { server });
}

/** Where credentials are sent: the endpoints that the metadata names, or the places of old where there is none. */
export function judgeEndpoint(place: Place, { discovery }: Discovered, url: URL, method: string): Verdict {
  const { authorizationServerUrl: base, authorizationServerMetadata: metadata } = discovery;
  const named =
    metadata === undefined
      ? [new URL('/token', base).href, new URL('/register', base).href]
      : [metadata.token_endpoint, metadata.registration_endpoint];
  const known = named.some((entry) => entry !== undefined && new URL(entry).href === url.href);
  if (method === 'POST' && known) return judgeOAuthUrl(url, { purpose: 'authorization-server', ...place });
  return { allowed: false, code: 'host-denied', reason: 'the authorization server redirects what it was sent' };
}
