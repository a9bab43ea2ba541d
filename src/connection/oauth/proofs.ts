import { isHeaderValue } from '../../core/headers.js';
import type { DpopSigner, OAuthClientProvider } from '../../core/oauth.js';
import { quietly } from '../../core/quietly.js';
import type { Credentials, ProvenRequest } from '../../guard/credentials.js';
import { notAuthorized } from './failures.js';

/** Proofs that the tokens of one server belong to whoever sends them (RFC 9449). */
export interface Proofs extends Required<Pick<Credentials, 'prove' | 'heard'>> {
  /** Says of what kind a token is, before it is sent. */
  note(token: string, isBound: boolean): void;
}

export function createProofs(server: string, provider: OAuthClientProvider): Proofs {
  let bound: string | undefined;
  let signer: DpopSigner | undefined;
  return {
    note(token, isBound) {
      if (isBound) bound = token;
      else if (bound === token) bound = undefined;
    },
    async prove(token, request) {
      if (token !== bound) return undefined;
      const proof = await buildProof(token, request);
      return { authorization: `DPoP ${token}`, dpop: proof };
    },
    heard(response, { url }) {
      if (signer === undefined) return false;
      quietly(() => signer?.observeNonce(response, url));
      return wantsNonce(response);
    },
  };

  async function buildProof(accessToken: string, { method, url }: ProvenRequest): Promise<string> {
    try {
      signer = await provider.dpop?.();
      const proof = await signer?.buildProof({ htm: method, htu: url, accessToken });
      if (typeof proof === 'string' && isHeaderValue(proof)) return proof;
    } catch (error) {
      throw notAuthorized(server, '`dpop` of its provider failed', error);
    }
    throw notAuthorized(server, 'its token is bound to a key, and `dpop` of its provider gives no proof');
  }
}

/** The server refuses a proof for want of a nonce that it gives, and says nothing of the token (RFC 9449, section 9). */
function wantsNonce({ status, headers }: Response): boolean {
  const challenge = headers.get('www-authenticate') ?? '';
  const isDpop = /(?:^|,)\s*dpop(?:\s|$)/i.test(challenge) && /error="?use_dpop_nonce\b/i.test(challenge);
  return status === 401 && isDpop && headers.has('dpop-nonce');
}
