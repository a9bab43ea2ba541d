import { describe, expect, it } from 'vitest';
import type { OAuthContext, StoredOAuthClient, StoredOAuthTokens } from '../../src/index.js';
import { memoryProvider } from '../support/oauth-provider.js';
import { createOAuthRig, pageOf, reachable, type Stand } from './oauth-kit.js';

const rig = createOAuthRig();

/** A store that keeps clients by their authorization server, and of the tokens what the OAuth RFCs say they hold. */
function keyedStore(tokensToo: boolean) {
  const clients = new Map<string | undefined, StoredOAuthClient>();
  const tokens = new Map<string | undefined, StoredOAuthTokens>();
  const keyOf = (context?: OAuthContext) => (tokensToo ? context?.issuer : undefined);
  const open = () =>
    memoryProvider({
      clientInformation: (context) => clients.get(context?.issuer),
      saveClientInformation: (client, context) => void clients.set(context?.issuer, client),
      tokens: (context) => tokens.get(keyOf(context)) ?? tokens.get(undefined),
      saveTokens: ({ issuer, ...rest }, context) => {
        const kept = tokensToo ? { ...rest, issuer } : rest;
        tokens.set(keyOf(context), kept);
        // What a connection sends is asked for without a context.
        tokens.set(undefined, kept);
      },
    });
  return { open, clients, tokens };
}

/** The server names another authorization server from now on. */
function moveTo(stand: Stand, as: Stand['as']): void {
  stand.as.expire();
  stand.rules = { ...stand.rules, metadata: { authorization_servers: [as.origin] } };
}

describe('a server that has moved to another authorization server, over a store that outlives its toolset', () => {
  it.each([
    ['of the tokens keeps no issuer', false],
    ['keeps both by their issuer', true],
  ] as const)('G11 that %s: no refresh token or secret of the old one reaches the new one', async (_, tokensToo) => {
    const stand = await rig.stand();
    const other = await rig.authorizationServer();
    const store = keyedStore(tokensToo);
    const first = await rig.wireOAuth(stand, store.open());
    await first.toolset.finishAuth('crm', await stand.as.visit(pageOf(first.toolset)));
    const secrets = [...store.clients.values(), ...store.tokens.values()].flatMap((kept) =>
      Object.values({ ...kept, client_id: undefined, issuer: undefined }).filter(
        (value) => typeof value === 'string' && value.startsWith('canary'),
      ),
    );
    expect(secrets.length).toBeGreaterThan(2);
    await first.toolset.close();
    moveTo(stand, other);
    // The user does not come back at first: the client that was registered meanwhile vouches for no token.
    for (let turn = 0; turn < 3; turn++) {
      const { toolset } = await rig.wireOAuth(stand, store.open());
      expect(['needs-auth', 'failed']).toContain(toolset.servers[0]?.state);
      await toolset.close();
    }
    expect(other.at('/token')).toEqual([]);
    const seen = reachable(other.requests);
    expect(secrets.filter((secret) => seen.includes(String(secret)))).toEqual([]);
    expect(stand.as.reused).toBe(0);
    if (tokensToo) return;
    // A user who agrees there is served with what is issued there.
    stand.rules = { ...stand.rules, issuer: other };
    const { toolset } = await rig.wireOAuth(stand, store.open());
    await toolset.finishAuth('crm', await other.visit(pageOf(toolset)));
    other.expire();
    await toolset.tools.crm__echo!.execute({ message: 'x' });
    expect(other.at('/token')).toHaveLength(2);
  });
});
