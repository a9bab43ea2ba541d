import { McpConnectError } from '../core/errors.js';
import type { RedirectPolicy } from '../core/servers.js';
import type { AllowedHosts } from './allowlist.js';
import { isLoopback } from './loopback.js';
import { judgeUrl, placeOf, sameOrigin } from './verdict.js';

export interface RedirectQuestion {
  readonly server: string;
  readonly policy: RedirectPolicy;
  readonly allowed: AllowedHosts | undefined;
  readonly method: string;
  readonly from: URL;
  readonly status: number;
  /** The `Location` header. */
  readonly location: string;
  /** Redirects followed so far for this request. */
  readonly followed: number;
  readonly max: number;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The `Location` of a redirect, or undefined for any other response. */
export function redirectLocation(response: Response): string | undefined {
  return REDIRECTS.has(response.status) ? (response.headers.get('location') ?? undefined) : undefined;
}

/** Where a redirect leads, or why it is not followed (G5). Pure. */
export function judgeRedirect(question: RedirectQuestion): URL | McpConnectError {
  const { server, policy, from, followed, max } = question;
  const deny = (text: string): McpConnectError =>
    new McpConnectError('redirect-denied', `Server \`${server}\`: ${text}`, { server });
  const target = URL.canParse(question.location, from.href) ? new URL(question.location, from.href) : undefined;
  if (target === undefined)
    return deny(`${from.origin} redirects to something that is not a URL; correct the server's url`);
  const what = `the redirect from ${from.origin} to ${placeOf(target)}`;
  if (policy === 'error')
    return deny(`${what} is not followed (redirect: 'error'); set the server's url to where it leads`);
  if (!keepsMethod(question.method, question.status)) {
    return deny(
      `${what} has status ${question.status}, which would change the method; set the server's url to where it leads`,
    );
  }
  if (from.protocol === 'https:' && target.protocol === 'http:') return deny(`${what} leaves https; use an https URL`);
  if (policy === 'same-origin' && !sameOrigin(from, target)) {
    return deny(`${what} leaves the origin; if you trust it, use that origin in the server's url`);
  }
  // A public host must not be able to reach what only this machine can.
  if (isLoopback(target) && !isLoopback(from)) return deny(`${what} leads to this machine; use its URL in the config`);
  if (followed >= max)
    return deny(`more than ${max} redirects (limits.redirects); set the server's url to where they lead`);
  const verdict = judgeUrl(target, question.allowed);
  if (verdict.allowed) return target;
  return new McpConnectError(verdict.code, `Server \`${server}\`: after a redirect, ${verdict.reason}`, { server });
}

/** Browsers hide where a redirect leads when it is not followed blindly; blindly is not an option here. */
export function hiddenRedirect(server: string, from: URL): McpConnectError {
  const text = `${from.origin} redirects, and this runtime does not show where; set the server's url to where it leads`;
  return new McpConnectError('redirect-denied', `Server \`${server}\`: ${text}`, { server });
}

/** A host's own fetch that follows by itself has passed the guard by; its answer is not used. */
export function strayedFetch(server: string, from: URL): McpConnectError {
  const text = `the given fetch followed a redirect away from ${from.origin} by itself; make it honour redirect: 'manual'`;
  return new McpConnectError('redirect-denied', `Server \`${server}\`: ${text}`, { server });
}

function keepsMethod(method: string, status: number): boolean {
  return method === 'GET' || method === 'HEAD' || status === 307 || status === 308;
}
