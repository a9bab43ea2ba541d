import { type ClosingSignal, createDeadline, type Deadline } from '../../core/deadline.js';
import { isMcpError, type McpError } from '../../core/errors.js';
import type { OAuthDiscovery } from '../../core/oauth.js';
import { createOAuthRequests, type OAuthRequests } from '../../guard/oauth-fetch.js';
import { judgeOAuthUrl } from '../../guard/oauth-verdict.js';
import { type Discovered, discover, judgeEndpoint, type OAuthSdk, type Place } from './discovery.js';
import { notAuthorized, refused } from './failures.js';
import { guardProvider, type Issued, type Redirect, SupersededError } from './provider.js';

export interface FlowOptions extends Place {
  readonly sdk: OAuthSdk;
  readonly fetch: typeof globalThis.fetch;
  /** Milliseconds that one run may take. */
  readonly ms: number;
  readonly closing: ClosingSignal;
  /** What one run leaves to the next ones. */
  readonly memory: Memory;
}

export interface Memory {
  /** The first authorization server that was accepted. It stays (G11). */
  pin?: string;
  resourceMetadataUrl?: URL | undefined;
  readonly issued: Issued;
}

export interface Ask {
  readonly resourceMetadataUrl: URL | undefined;
  readonly scope: string | undefined;
  /** A refresh could not widen the rights. */
  readonly anew: boolean;
}

/** The user was sent to the authorization page, or is to be. */
export interface Pending extends Redirect {
  readonly found: Discovered;
  readonly scope: string | undefined;
}

/** Gets tokens, without the user where that can be: by a refresh, or a grant of the client's own. Answers with what is left to do. */
export function authorize(options: FlowOptions, ask: Ask): Promise<Pending | undefined> {
  const { memory } = options;
  memory.resourceMetadataUrl = ask.resourceMetadataUrl ?? memory.resourceMetadataUrl;
  return run(options, async (requests) => {
    const { pin, resourceMetadataUrl } = memory;
    const found = await discover({ ...options, requests, pin, resourceMetadataUrl });
    memory.pin = found.issuer;
    let redirect: Redirect | undefined;
    const provider = vetted(options, requests, found, (made) => {
      redirect = made;
    });
    try {
      await options.sdk.auth(provider, {
        ...common(options, requests, found),
        ...(ask.scope === undefined ? {} : { scope: ask.scope }),
        forceReauthorization: ask.anew,
      });
    } catch (error) {
      if (!(error instanceof SupersededError)) throw error;
    }
    if (redirect === undefined) return undefined;
    await options.provider.saveDiscoveryState?.(found.discovery as OAuthDiscovery);
    return { ...redirect, found, scope: ask.scope };
  });
}

/** Exchanges the code that the authorization page gave. */
export function redeem(options: FlowOptions, { found, scope }: Pending, answer: { code: string; iss?: string }) {
  return run(options, async (requests) => {
    const provider = vetted(options, requests, found, () => {});
    const { code: authorizationCode, ...rest } = answer;
    await options.sdk.auth(provider, {
      ...common(options, requests, found),
      ...(scope === undefined ? {} : { scope }),
      ...rest,
      authorizationCode,
    });
  });
}

function vetted(options: FlowOptions, requests: OAuthRequests, found: Discovered, onRedirect: (to: Redirect) => void) {
  const { server, home, allowed, memory } = options;
  const provider = guardProvider(options.provider, {
    server,
    ...found,
    issued: memory.issued,
    failure: () => requests.failure,
    judgePage: (url) => judgeOAuthUrl(url, { purpose: 'authorization-page', home, allowed }),
    onRedirect,
  });
  return provider as unknown as Parameters<OAuthSdk['auth']>[0];
}

function common(options: FlowOptions, requests: OAuthRequests, found: Discovered) {
  // Its query may be a secret of the server's.
  const serverUrl = new URL(options.home);
  serverUrl.search = '';
  const post = requests.within((url, method) => judgeEndpoint(options, found, url, method));
  // What was not found the SDK looks for a second time.
  const fetchFn: typeof post = async (url, init) =>
    init?.method === undefined ? new Response(null, { status: 404 }) : post(url, init);
  return { serverUrl, fetchFn };
}

/** One run with a time limit and requests of its own. Rejects with an `McpError`. */
async function run<T>(options: FlowOptions, work: (requests: OAuthRequests) => Promise<T>): Promise<T> {
  const { server, allowed, fetch, ms, closing, sdk } = options;
  const deadline = createDeadline({ ms, closing, option: 'connectTimeoutMs' });
  const requests = createOAuthRequests({ server, allowed, fetch, signal: deadline.signal });
  try {
    return await deadline.race(work(requests), { server });
  } catch (error) {
    throw failureOf(server, error, { deadline, requests, sdk });
  } finally {
    deadline.dispose();
  }
}

interface Ran {
  readonly deadline: Deadline;
  readonly requests: OAuthRequests;
  readonly sdk: OAuthSdk;
}

function failureOf(server: string, error: unknown, { deadline, requests, sdk }: Ran): McpError {
  if (deadline.reason !== undefined) return deadline.error({ server });
  if (requests.failure !== undefined) return requests.failure;
  if (isMcpError(error)) return error;
  const why = requests.refusal === undefined ? reasonOf(error, sdk) : refused(requests.refusal);
  return notAuthorized(server, why, error);
}

/** The SDK's messages quote URLs and bodies, so its errors are told apart by their class. */
function reasonOf(error: unknown, sdk: OAuthSdk): string {
  if (error instanceof sdk.IssuerMismatchError) return 'the issuer is not the one that was asked';
  if (error instanceof sdk.AuthorizationServerMismatchError)
    return "the stored client is another authorization server's";
  if (error instanceof TypeError) return 'the authorization server could not be reached';
  return 'the authorization server does not offer what is needed, or the provider failed';
}
