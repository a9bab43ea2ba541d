import ipaddr from 'ipaddr.js';

/** What kind of place a host is; see {@link classifyHost}. */
export type HostClass = 'public' | 'loopback' | 'denied';

/** Unicast by its range, but Azure's host answers there with credentials. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(['168.63.129.16']);

/** Names of metadata services that none of the suffixes below covers. */
const METADATA_NAMES: ReadonlySet<string> = new Set(['metadata.goog', 'metadata.tencentyun.com']);

/** Names that only a local resolver answers: cloud metadata (`metadata.google.internal`), cluster and mDNS names. */
const LOCAL_SUFFIXES = ['.internal', '.local'] as const;

/** Asked before the library is, which answers a name by throwing: that would be most of the cost of a verdict. */
const FOUR_DECIMALS = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/** The last label of an IPv4 address in any of the forms URL parsers accept. */
const NUMERIC_LABEL = /^(?:\d+|0x[0-9a-f]*)$/i;

/**
 * The class of a `URL.hostname` (G3). Pure: names are not resolved.
 *
 * Feed it what `URL` made of the host: that already turned octal, hexadecimal, short and full-width forms into four
 * decimal parts. Everything that is not known to be public is `denied`.
 */
export function classifyHost(hostname: string): HostClass {
  if (hostname.startsWith('[') && hostname.endsWith(']')) return classifyIpv6(hostname.slice(1, -1));
  if (hostname.includes(':')) return classifyIpv6(hostname);
  if (FOUR_DECIMALS.test(hostname) && ipaddr.IPv4.isValidFourPartDecimal(hostname)) return classifyIpv4(hostname);
  return classifyName(hostname);
}

function classifyIpv4(text: string): HostClass {
  if (METADATA_ADDRESSES.has(text)) return 'denied';
  const range = ipaddr.IPv4.parse(text).range();
  if (range === 'loopback') return 'loopback';
  return range === 'unicast' ? 'public' : 'denied';
}

/**
 * Only `2000::/3` is given out for the public Internet. Asking for it first denies every form that carries an IPv4
 * address below it (compatible, mapped, translated, NAT64), some of which the library calls unicast; 6to4 and Teredo lie
 * inside and have ranges of their own.
 */
function classifyIpv6(text: string): HostClass {
  if (!ipaddr.IPv6.isValid(text)) return 'denied';
  const address = ipaddr.IPv6.parse(text);
  const range = address.range();
  if (range === 'loopback') return 'loopback';
  const first = address.parts[0] ?? 0;
  const global = first >> 13 === 1 && address.zoneId === undefined;
  return global && range === 'unicast' ? 'public' : 'denied';
}

function classifyName(hostname: string): HostClass {
  const name = (hostname.endsWith('.') ? hostname.slice(0, -1) : hostname).toLowerCase();
  const labels = name.split('.');
  // A second trailing dot would otherwise hide a name from the comparisons below.
  if (labels.includes('')) return 'denied';
  if (name === 'localhost' || name.endsWith('.localhost')) return 'loopback';
  // A dotless name is completed by the machine's own search list.
  if (labels.length === 1) return 'denied';
  // An address that `URL` did not bring into canonical form: no runtime does this, so nothing good is lost.
  if (NUMERIC_LABEL.test(labels[labels.length - 1] ?? '')) return 'denied';
  if (METADATA_NAMES.has(name) || LOCAL_SUFFIXES.some((suffix) => name.endsWith(suffix))) return 'denied';
  return 'public';
}
