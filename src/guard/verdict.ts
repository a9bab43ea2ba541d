import { classifyHost } from './addresses.js';
import { type AllowedHosts, namesHost } from './allowlist.js';

/** Whether a URL may be requested. `reason` names the host and what to do, never path, query or userinfo. */
export type Verdict =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly code: 'host-denied'; readonly reason: string };

/**
 * Judges one hop before it is requested (G1): scheme, userinfo, and host: named in `allowed` where that is given (G2), else by
 * its address class (G3). Pure: no name is resolved.
 */
export function judgeUrl(url: URL, allowed: AllowedHosts | undefined): Verdict {
  // `blob:https://host/` has the origin of that host, and some runtimes read `file:`; so the scheme comes first.
  if (!isHttp(url)) return deny(`${placeOf(url)} is refused: only http and https are allowed; use an https URL`);
  if (url.username !== '' || url.password !== '') {
    return deny(`the URL for ${url.host} holds a user name or password; move it to the server's headers`);
  }
  return allowed === undefined ? judgeClass(url) : judgeName(url, allowed);
}

function judgeName(url: URL, allowed: AllowedHosts): Verdict {
  if (namesHost(allowed, url)) return { allowed: true };
  return deny(`${url.host} is not in \`allowedHosts\`; name it there if you trust it`);
}

function judgeClass(url: URL): Verdict {
  if (classifyHost(url.hostname) !== 'denied') return { allowed: true };
  return deny(
    `${url.host} is a private, reserved or cloud-metadata address or name; use the server's public host name, or name it in \`allowedHosts\``,
  );
}

/**
 * Judges an address that the host of an allowed URL resolved to (G8). It must be public, or of this machine where the name says
 * so. Beyond that a list speaks for its own names: for those that only this network knows, and for an address that it names.
 */
export function judgeAddress(url: URL, address: string, allowed: AllowedHosts | undefined): Verdict {
  const found = classifyHost(address);
  const named = classifyHost(url.hostname);
  if (found === 'public' || (found === 'loopback' && named === 'loopback')) return { allowed: true };
  if (allowed !== undefined && (named === 'denied' || namesHost(allowed, at(url, address)))) return { allowed: true };
  const hint = 'if you trust it, name that address in `allowedHosts` too';
  return deny(`${url.host} leads to ${address}, which is not a public address; ${hint}`);
}

/** The same port and scheme at an address. */
function at({ protocol, port }: URL, address: string): URL {
  // A zone is not part of a URL's host; such an address is of one link only, and is never named.
  const host = address.includes(':') ? `[${address.split('%', 1)[0]}]` : address;
  return new URL(`${protocol}//${host}:${port}/`);
}

function deny(reason: string): Verdict {
  return { allowed: false, code: 'host-denied', reason };
}

/** Whether both are http(s) URLs of one scheme, host and port. Never true for a `blob:` URL, whatever its `origin`. */
export function sameOrigin(a: URL, b: URL): boolean {
  return isHttp(a) && a.protocol === b.protocol && a.host === b.host;
}

/** How a message may name a URL: its origin. The scheme of anything else may itself be somebody's user name. */
export function placeOf(url: URL): string {
  return isHttp(url) ? url.origin : 'a URL that is neither http nor https';
}

function isHttp(url: URL): boolean {
  return url.protocol === 'https:' || url.protocol === 'http:';
}
