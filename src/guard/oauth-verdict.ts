import { classifyHost } from './addresses.js';
import { type AllowedHosts, namesHost } from './allowlist.js';
import { isLoopback } from './loopback.js';
import { judgeUrl, placeOf, sameOrigin, type Verdict } from './verdict.js';

/** What a URL of an authorization is for. The page is opened by the user's browser and never requested here. */
export type OAuthPurpose = 'resource-metadata' | 'authorization-server' | 'authorization-page';

export interface OAuthQuestion {
  readonly purpose: OAuthPurpose;
  /** The MCP server's own URL. */
  readonly home: URL;
  /** The hosts that were named for that server. */
  readonly allowed: AllowedHosts | undefined;
}

const WHAT: Readonly<Record<OAuthPurpose, string>> = {
  'resource-metadata': 'the resource metadata',
  'authorization-server': 'the authorization server',
  'authorization-page': 'the authorization page',
};

/**
 * Whether a URL that a server named may play its part in an authorization (G11). Resource metadata stays on the server's origin
 * or on a host that was named; elsewhere than on that origin all is https, or plain http on loopback, which only a server that
 * is on loopback itself may name. Pure.
 */
export function judgeOAuthUrl(url: URL, question: OAuthQuestion): Verdict {
  const { purpose, home, allowed } = question;
  const named = allowed !== undefined && namesHost(allowed, url);
  const verdict = purpose === 'authorization-page' ? judgePage(url, named) : judgeUrl(url, allowed);
  if (!verdict.allowed) return verdict;
  const what = `${WHAT[purpose]} on ${placeOf(url)}`;
  const resource = purpose === 'resource-metadata';
  if (resource && sameOrigin(url, home)) return verdict;
  if (url.protocol !== 'https:' && !isLoopback(url)) return deny(`${what} is not on https`);
  if (resource && !named) {
    return deny(`${what} is not on the server's own origin; name its host in \`allowedHosts\` if you trust it`);
  }
  if (!isLoopback(url) || isLoopback(home) || named) return verdict;
  return deny(`${what} is on this machine and the server is not; name it in \`allowedHosts\` if you trust it`);
}

/** The list says where requests go. A browser goes wherever its user does, but for places that are private to this side. */
function judgePage(url: URL, named: boolean): Verdict {
  const verdict = judgeUrl(url, undefined);
  return named && classifyHost(url.hostname) === 'denied' && url.username === '' && url.password === ''
    ? { allowed: true }
    : verdict;
}

function deny(reason: string): Verdict {
  return { allowed: false, code: 'host-denied', reason };
}
