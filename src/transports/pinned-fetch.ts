/// <reference path="./undici.d.ts" />
import { readAllowedHosts } from '../config/allowed-hosts.js';
import { isMcpError, McpConfigError, McpConnectError, type McpError } from '../core/errors.js';
import type { AllowedHosts } from '../guard/allowlist.js';
import { judgeUrl } from '../guard/verdict.js';
import { createPinnedLookup, loadResolver, type ResolveAll } from './pinned-lookup.js';

type Undici = typeof import('undici');

export interface PinnedFetchOptions {
  /**
   * As {@link McpOptions.allowedHosts}, whose list can be given here as it is: without it public hosts and loopback are allowed,
   * with it the hosts that it names. A name on it that looks public must still lead to a public address, or to one that is
   * named too.
   */
  readonly allowedHosts?: readonly string[];
}

/**
 * A `fetch` for Node that also judges what a name resolves to, at the moment of connecting (G8): a name that leads to a private,
 * link-local, loopback or metadata address is refused, so that whoever answers for the name cannot turn requests inwards. Give
 * it as `McpOptions.fetch`. Every redirect that it follows is judged in the same way.
 *
 * Needs the package `undici` 7. It has connections of its own, takes what the global `fetch` takes except `FormData`, and rejects
 * with an `McpConnectError` (`host-denied`) for a host that is refused, before anything is sent. As with any `fetch` of the
 * host's, no network error of it proves that a call never left (C4). Bun has no such hook, so there every request is refused.
 *
 * @throws McpConfigError for an entry that is not a host. Without `undici`, and on Bun, requests reject with it.
 */
export function createPinnedFetch(options: PinnedFetchOptions = {}): typeof globalThis.fetch {
  const { allowedHosts } = options;
  const allowed = allowedHosts === undefined ? undefined : readAllowedHosts(allowedHosts, '`allowedHosts`');
  return pinFetch({ allowed, importUndici, loadResolver });
}

export interface PinnedFetchParts {
  readonly allowed: AllowedHosts | undefined;
  importUndici(): Promise<Undici>;
  loadResolver(): Promise<ResolveAll>;
}

export function pinFetch(parts: PinnedFetchParts): typeof globalThis.fetch {
  let opening: Promise<PinnedUndici> | undefined;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    checkUrl(url, parts.allowed);
    opening ??= openUndici(parts);
    const { fetch, agent, asked } = await opening;
    try {
      const request = input instanceof Request ? partsOf(input) : {};
      const response = await fetch(url.href, { ...request, ...init, dispatcher: agent });
      if (asked.has(url.origin)) return response;
      await response.body?.cancel();
    } catch (error) {
      throw ownError(error) ?? error;
    }
    throw unpinned('The `undici` that was found does not ask before it connects');
  };
}

interface PinnedUndici {
  readonly fetch: Undici['fetch'];
  readonly agent: InstanceType<Undici['Agent']>;
  /** Origins for which a dispatcher was made, and so judged. */
  readonly asked: ReadonlySet<string>;
}

async function openUndici({ allowed, importUndici, loadResolver }: PinnedFetchParts): Promise<PinnedUndici> {
  const { Agent, Pool, fetch } = await importUndici();
  const resolveAll = await loadResolver();
  const asked = new Set<string>();
  const agent = new Agent({
    // The one place that sees every hop. An address in a URL is judged here: it is not looked up.
    factory(at, options) {
      const origin = new URL(at);
      checkUrl(origin, allowed);
      asked.add(origin.origin);
      return new Pool(at, { ...options, connect: { lookup: createPinnedLookup(origin, allowed, resolveAll) } });
    },
  });
  return { fetch, agent, asked };
}

async function importUndici(): Promise<Undici> {
  // Bun has a stand-in under that name, which connects without asking.
  if ('Bun' in globalThis) throw unpinned('Bun has no way to judge an address before it is connected to');
  // The import stands in the `try`: bundlers then let the package be missing.
  try {
    return await import('undici');
  } catch (cause) {
    throw new McpConfigError('`createPinnedFetch` needs the package `undici` 7; install it.', { cause });
  }
}

function unpinned(why: string): McpConfigError {
  return new McpConfigError(`\`createPinnedFetch\` cannot be used here: ${why}. Let a proxy keep requests outside.`);
}

function checkUrl(url: URL, allowed: AllowedHosts | undefined): void {
  const verdict = judgeUrl(url, allowed);
  if (!verdict.allowed) throw new McpConnectError(verdict.code, `${verdict.reason}.`);
}

/** A `Request` of the platform is none of undici's. */
function partsOf({ method, headers, body, redirect, signal }: Request): RequestInit {
  return { method, headers, redirect, signal, ...(body === null ? {} : { body, duplex: 'half' }) };
}

/** The error of ours that undici has wrapped. */
function ownError(error: unknown): McpError | undefined {
  let current = error;
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (isMcpError(current)) return current;
    current = current.cause;
  }
  return undefined;
}
