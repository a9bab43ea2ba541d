import { sha256Hex } from '../core/digest.js';
import { type Claimant, settleNames } from './collisions.js';

/** Longest projected name, in characters. */
const NAME_LENGTH = 64;
/** Hex digits in a name's suffix: 12, and more only where that many still meet (N2, N3). */
const DIGEST_LENGTHS = [12, 24, 48, 62] as const;
/** Hex digits of the identity in the name of a server that shares its name (N4). */
const IDENTITY_LENGTHS = [8, 16, 32, 64] as const;

const LEGAL = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/;
const LETTER = /^[a-zA-Z]/;
/** Without the `u` flag: each UTF-16 code unit counts, so a lone surrogate is like any other illegal character. */
const ILLEGAL = /[^a-zA-Z0-9_-]/g;
/** Only our own helper tools are called so (N5). */
const RESERVED = 'mcp__';

/** Whether a name reaches the model verbatim: legal for every provider and not reserved (N1, N5, N7). */
export function isLegalName(name: string): boolean {
  return LEGAL.test(name) && !name.startsWith(RESERVED);
}

export interface NamedServer {
  /** As configured. */
  readonly name: string;
  /** SHA-256 in hex over name, kind and endpoint. */
  readonly identity: string;
}

/**
 * The names servers go by, in the order given (N4). Where two are configured with one name, both become
 * `${name}_${8 hex of the identity}`; so does a server configured with what another became. More digits of the identity
 * are taken where 8 are not enough. The result does not depend on the order. An entry given twice keeps one name.
 */
export function serverNames(servers: readonly NamedServer[]): readonly string[] {
  return nameDistinct(
    servers,
    ({ name, identity }) => [name, identity],
    ({ name, identity }) => ({
      first: 0,
      form: (level) => (level === 0 ? name : `${name}_${identity.slice(0, IDENTITY_LENGTHS[level - 1])}`),
    }),
    IDENTITY_LENGTHS.length,
  );
}

export interface NameRequest {
  /** The server's name as {@link serverNames} gives it. */
  readonly server: string;
  /** The server's identity. */
  readonly identity: string;
  /** Replaces `${server}__`. */
  readonly prefix?: string | undefined;
  /** The tool's name as the server publishes it: any text. */
  readonly tool: string;
}

export interface ProjectedName {
  readonly name: string;
  /** Whether `name` differs from `wanted` (`name-rewritten`, N5). */
  readonly rewritten: boolean;
  /** Prefix and raw name, as they are. */
  readonly wanted: string;
}

/**
 * The names the model sees, in the order given (N1–N3, N5).
 *
 * A wanted name is kept when it is legal and nobody else's. Otherwise it becomes letters, digits, `_` and `-` of itself,
 * a letter first, clamped, with a suffix from the digest over server identity and raw name. Where two would meet, each takes
 * its own suffix; a wanted name that equals another's rewrite gives way. No two distinct remote tools share a name, the
 * result does not depend on the order, and a tool's name depends on no other tool but those it meets. A request given twice
 * gets one name. Linear in the number of requests.
 */
export function projectNames(requests: readonly NameRequest[]): readonly ProjectedName[] {
  return keepNames(requests) ?? settleRequests(requests);
}

/** Nearly always every wanted name is legal and nobody else's: then there is nothing to settle. */
function keepNames(requests: readonly NameRequest[]): readonly ProjectedName[] | undefined {
  const names = new Set(requests.map(wantedName));
  if (names.size < requests.length) return undefined;
  for (const name of names) if (!isLegalName(name)) return undefined;
  return [...names].map((name) => ({ name, rewritten: false, wanted: name }));
}

function settleRequests(requests: readonly NameRequest[]): readonly ProjectedName[] {
  const names = nameDistinct(
    requests,
    (request) => [request.identity, request.tool, wantedName(request)],
    (request) => claimName(wantedName(request), request),
    DIGEST_LENGTHS.length,
  );
  return requests.map((request, index) => {
    const wanted = wantedName(request);
    const name = names[index]!;
    return { name, rewritten: name !== wanted, wanted };
  });
}

function wantedName({ server, prefix, tool }: NameRequest): string {
  return (prefix ?? `${server}__`) + tool;
}

function claimName(wanted: string, { identity, tool }: NameRequest): Claimant {
  let digest: string | undefined;
  return {
    first: isLegalName(wanted) ? 0 : 1,
    form: (level) => {
      if (level === 0) return wanted;
      digest ??= sha256Hex(JSON.stringify([identity, tool]));
      return rewriteName(wanted, digest.slice(0, DIGEST_LENGTHS[level - 1]));
    },
  };
}

/** The N2 form of a name. */
function rewriteName(wanted: string, digits: string): string {
  let base = wanted.slice(0, NAME_LENGTH).replace(ILLEGAL, '_');
  // The underscore before the digits counts: `mcp_` would become a reserved name by it.
  if (!LETTER.test(base) || `${base}_`.startsWith(RESERVED)) base = `t${base}`;
  return `${base.slice(0, NAME_LENGTH - 1 - digits.length)}_${digits}`;
}

/** Settles the names of distinct items, so that an item given twice does not meet itself. */
function nameDistinct<Item>(
  items: readonly Item[],
  identify: (item: Item) => readonly string[],
  claim: (item: Item) => Claimant,
  lastLevel: number,
): readonly string[] {
  const places = new Map<string, number>();
  const claimants: Claimant[] = [];
  const placeOf = items.map((item) => {
    // As JSON text, which separates the parts and keeps lone surrogates apart.
    const key = JSON.stringify(identify(item));
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, claimants.length);
    return claimants.push(claim(item)) - 1;
  });
  const names = settleNames(claimants, lastLevel);
  return placeOf.map((place) => names[place]!);
}
