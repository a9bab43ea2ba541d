import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import type { RecordedRequest } from './recorder.js';

/** The nonce that proofs must hold; undefined where none is wanted. */
export type Nonce = () => string | undefined;

export type Proof = { readonly ok: true; readonly key: string } | { readonly ok: false; readonly why: string };

const decode = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as Record<string, unknown>;

/** Checks proofs as RFC 9449 section 4.3 says, by nothing that the library or the SDK has. A proof is taken once. */
export function createProofCheck(origin: () => string, nonce: Nonce = () => undefined) {
  const seen = new Set<unknown>();
  return ({ http, url, headers }: RecordedRequest, token?: string): Proof => {
    const proof = headers.dpop;
    if (typeof proof !== 'string') return { ok: false, why: 'there is no proof' };
    const [head, body, signature] = proof.split('.');
    const { typ, alg, jwk } = decode(head) as { typ?: string; alg?: string; jwk?: JsonWebKey };
    const claims = decode(body);
    const key = createPublicKey({ key: jwk!, format: 'jwk' });
    const signed = Buffer.from(`${head}.${body}`);
    const good = verify(
      'sha256',
      signed,
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature ?? '', 'base64url'),
    );
    const place = new URL(url, origin());
    const hash = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url');
    const problems = {
      'a signature': good && typ === 'dpop+jwt' && alg === 'ES256' && jwk?.d === undefined,
      'a method': claims.htm === http,
      'a place': claims.htu === `${place.origin}${place.pathname}`,
      'a token': claims.ath === hash,
      'a time': Math.abs(Number(claims.iat) * 1_000 - Date.now()) < 120_000,
      'an id': typeof claims.jti === 'string' && !seen.has(claims.jti),
    };
    seen.add(claims.jti);
    const wrong = Object.entries(problems).find(([, right]) => !right);
    if (wrong !== undefined) return { ok: false, why: `the proof has ${wrong[0]} that is wrong` };
    if (claims.nonce !== nonce()) return { ok: false, why: 'nonce' };
    const { crv, kty, x, y } = jwk!;
    return { ok: true, key: createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url') };
  };
}
