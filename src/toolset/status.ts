import { sha256Hex } from '../core/digest.js';
import { canonicalJson } from '../core/json.js';
import type { ServerStatus } from '../core/status.js';
import type { Catalogue } from './catalogue.js';
import type { Member } from './members.js';
import type { BrokenSource } from './sources.js';

export function statusOf({ name, identity, connection, tokens }: Member, catalogue: Catalogue): ServerStatus {
  const { era, protocolVersion, error, state } = connection;
  const authorizationUrl = state === 'closed' ? undefined : tokens?.made?.authorizationUrl;
  return {
    name,
    identity,
    state: authorizationUrl === undefined ? state : 'needs-auth',
    ...(authorizationUrl === undefined ? {} : { authorizationUrl }),
    ...(era === undefined ? {} : { era }),
    ...(protocolVersion === undefined ? {} : { protocolVersion }),
    ...catalogue.counts(identity),
    ...(error === undefined || state === 'closed' ? {} : { error }),
  };
}

/** A source that never became a server has neither kind nor endpoint. */
export function statusOfBroken({ name, error }: BrokenSource): ServerStatus {
  return {
    name,
    identity: sha256Hex(canonicalJson([name])),
    state: 'failed',
    disclosure: 'full',
    tools: { active: 0, quarantined: 0, withheld: 0 },
    tokens: { full: 0, projected: 0, floor: 0 },
    error,
  };
}
