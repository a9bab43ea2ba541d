import type { ServerResponse } from 'node:http';
import { createProofCheck, type Nonce } from './dpop.js';
import type { OAuthServer } from './oauth-server.js';
import type { RecordedRequest } from './recorder.js';

export interface ResourceRules {
  /** Who says which tokens are good, and at which scope. */
  readonly issuer: Pick<OAuthServer, 'origin' | 'scopeOf'> & Partial<Pick<OAuthServer, 'keyOf'>>;
  /** The scope that a tool needs, by its name; `*` for everything. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** Replaces fields of the resource metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Answers for the resource metadata; true says that it did. */
  readonly onMetadata?: (response: ServerResponse) => boolean;
  /** Default: where it is. `undefined` leaves it out. */
  readonly resourceMetadata?: string | undefined;
  /** Tokens need a proof, which must hold this nonce. */
  readonly dpop?: { readonly nonce?: Nonce };
}

/** What a server puts before itself to be a resource of an authorization server (RFC 9728, RFC 6750). */
export function protect(rules: () => ResourceRules) {
  let origin = '';
  const checkProof = createProofCheck(
    () => origin,
    () => rules().dpop?.nonce?.(),
  );
  return (request: RecordedRequest, response: ServerResponse): boolean => {
    const { issuer, scopes = {}, metadata, onMetadata, dpop, ...rest } = rules();
    origin = `http://${request.headers.host}`;
    const place = '/.well-known/oauth-protected-resource';
    if (request.url.startsWith(place)) {
      if (onMetadata?.(response)) return true;
      const resource = `${origin}${request.url.slice(place.length) || '/'}`;
      const document = { resource, authorization_servers: [issuer.origin], ...metadata };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      return true;
    }
    const { pathname } = new URL(request.url, origin);
    if (!['/mcp', '/sse', '/message'].includes(pathname)) return false;
    const where =
      'resourceMetadata' in rest
        ? rest.resourceMetadata
        : `${origin}${place}${pathname === '/message' ? '/sse' : pathname}`;
    const needed = scopes[String((request.params as { name?: unknown })?.name)] ?? scopes['*'];
    const parts = (more: Record<string, string | undefined>) =>
      Object.entries({ ...more, resource_metadata: where, scope: needed })
        .flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]))
        .join(', ');
    const refuse = (status: number, error?: string) => {
      response.writeHead(status, { 'www-authenticate': `Bearer ${parts({ error })}` }).end('refused');
      return true;
    };
    const given = request.headers.authorization?.replace(dpop === undefined ? /^Bearer / : /^DPoP /, '');
    if (dpop !== undefined && given !== undefined) {
      const proof = checkProof(request, given);
      const nonce = dpop.nonce?.();
      if (nonce !== undefined) response.setHeader('dpop-nonce', nonce);
      if (!proof.ok || proof.key !== issuer.keyOf?.(given)) {
        const error = proof.ok || proof.why !== 'nonce' ? 'invalid_dpop_proof' : 'use_dpop_nonce';
        response.writeHead(401, { 'www-authenticate': `DPoP ${parts({ error })}` }).end('refused');
        return true;
      }
    }
    const granted = issuer.scopeOf(given);
    if (granted === undefined) return refuse(401, request.headers.authorization && 'invalid_token');
    const missing = needed !== undefined && !granted.split(' ').includes(needed);
    return missing && request.http === 'POST' ? refuse(403, 'insufficient_scope') : false;
  };
}
