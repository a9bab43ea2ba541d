import { McpConnectError } from '../core/errors.js';
import type { AllowedHosts } from '../guard/allowlist.js';
import { judgeAddress } from '../guard/verdict.js';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** The `lookup` of Node's `net.connect`. */
export type NodeLookup = (
  hostname: string,
  options: { readonly all?: boolean },
  callback: (error: Error | null, address?: string | readonly ResolvedAddress[], family?: number) => void,
) => void;

/** Every address of a name, as `dns.lookup` gives them with `all`. */
export type ResolveAll = (
  hostname: string,
  options: { readonly all: true },
  callback: (error: Error | null, addresses: readonly ResolvedAddress[]) => void,
) => void;

/** Node's own resolver, which reads the machine's hosts file too. */
export async function loadResolver(): Promise<ResolveAll> {
  // biome-ignore lint/suspicious/noTsIgnore: where Node's types are at hand there is no error to expect.
  // @ts-ignore Without any platform's types the module has none.
  const dns: unknown = await import('node:dns');
  return (dns as { readonly lookup: ResolveAll }).lookup;
}

/**
 * Resolves the host of `origin` and refuses it when one of its addresses is denied (G8). The connection is made to the very
 * addresses that were judged: between the two nobody is asked again.
 */
export function createPinnedLookup(origin: URL, allowed: AllowedHosts | undefined, resolveAll: ResolveAll): NodeLookup {
  return (hostname, options, callback) => {
    resolveAll(hostname, { ...options, all: true }, (error, addresses) => {
      const refusal = error ?? refuse(origin, addresses, allowed);
      const [first] = addresses ?? [];
      if (refusal !== undefined) callback(refusal);
      else if (options.all) callback(null, addresses);
      else callback(null, first?.address, first?.family);
    });
  };
}

function refuse(
  origin: URL,
  addresses: readonly ResolvedAddress[],
  allowed: AllowedHosts | undefined,
): McpConnectError | undefined {
  if (addresses.length === 0) return new McpConnectError('connect-failed', `${origin.host} has no address.`);
  for (const { address } of addresses) {
    const verdict = judgeAddress(origin, address, allowed);
    if (!verdict.allowed) return new McpConnectError(verdict.code, verdict.reason);
  }
  return undefined;
}
