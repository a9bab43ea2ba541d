/** One parsed entry of `allowedHosts` (G2). */
export interface AllowedHost {
  /** Canonical, as `URL.hostname` has it, without a trailing dot; IPv6 in brackets. */
  readonly hostname: string;
  /** Whether any name below `hostname` is meant, and `hostname` itself is not. */
  readonly below: boolean;
  /** `default`: the scheme's own port. */
  readonly port: number | 'any' | 'default';
}

/** The parsed list. Absent where none was given: then the address classes decide (G3). */
export type AllowedHosts = readonly AllowedHost[];

const PORT = /^(?:[1-9]\d{0,4}|\*)$/;
const MAX_PORT = 65_535;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** What a URL parser would cut off, skip or take for another part of the URL. */
const NO_HOST = /[\s\p{Cc}/\\?#@%]/u;

/**
 * Reads `host`, `host:port`, `host:*` or `*.host` (G2); undefined for anything else. A wildcard needs two labels after it:
 * nobody means every name below `com`.
 */
export function parseAllowedHost(entry: string): AllowedHost | undefined {
  const below = entry.startsWith('*.');
  const { host, port } = splitPort(below ? entry.slice(2) : entry);
  if (below && port !== undefined) return undefined;
  if (port !== undefined && (!PORT.test(port) || Number(port) > MAX_PORT)) return undefined;
  const hostname = canonicalHost(host);
  if (hostname === undefined || (below && !isNameOfMore(hostname))) return undefined;
  return { hostname, below, port: port === undefined ? 'default' : port === '*' ? 'any' : Number(port) };
}

/** Whether the list names this URL's host and port (G2). Pure. */
export function namesHost(allowed: AllowedHosts, url: URL): boolean {
  const hostname = withoutDot(url.hostname);
  return allowed.some((entry) => {
    const matches = entry.below ? isBelow(hostname, entry.hostname) : hostname === entry.hostname;
    return matches && matchesPort(entry.port, url);
  });
}

/** One or more labels below it. `.example.com` has an empty one, and may resolve as `example.com` does. */
function isBelow(hostname: string, above: string): boolean {
  if (!hostname.endsWith(`.${above}`)) return false;
  return hostname
    .slice(0, -above.length - 1)
    .split('.')
    .every((label) => label !== '');
}

function matchesPort(port: AllowedHost['port'], url: URL): boolean {
  // `URL` leaves the scheme's own port out.
  if (port === 'default') return url.port === '';
  return port === 'any' || port === (url.port === '' ? defaultPort(url) : Number(url.port));
}

function defaultPort({ protocol }: URL): number {
  return protocol === 'https:' ? 443 : 80;
}

function splitPort(text: string): { readonly host: string; readonly port: string | undefined } {
  // The colons of an IPv6 address stand inside its brackets.
  const colon = text.indexOf(':', text.lastIndexOf(']') + 1);
  return colon < 0 ? { host: text, port: undefined } : { host: text.slice(0, colon), port: text.slice(colon + 1) };
}

function canonicalHost(host: string): string | undefined {
  if (host === '' || NO_HOST.test(host) || !URL.canParse(`https://${host}/`)) return undefined;
  const hostname = withoutDot(new URL(`https://${host}/`).hostname);
  if (hostname.startsWith('[')) return hostname;
  return hostname.length <= 253 && hostname.split('.').every((label) => LABEL.test(label)) ? hostname : undefined;
}

/** A name of two labels or more; an address has nothing below it. */
function isNameOfMore(hostname: string): boolean {
  return !hostname.startsWith('[') && hostname.includes('.') && !/\.\d+$/.test(hostname);
}

function withoutDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}
