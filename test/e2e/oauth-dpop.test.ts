import { DpopSession } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import type { DpopSigner } from '../../src/index.js';
import { memoryProvider } from '../support/oauth-provider.js';
import { startRawServer } from '../support/raw-server.js';
import { createOAuthRig, KINDS, pageOf } from './oauth-kit.js';
import { rejection } from './rig.js';

const rig = createOAuthRig();

/** A stand whose tokens are bound to a key, and a provider that has one; nonces as they are set. */
async function bound(kind: (typeof KINDS)[number], nonces: { as?: string; rs?: string } = {}) {
  const signer: DpopSigner = await DpopSession.create();
  const stand = await rig.stand(kind, { dpop: { nonce: () => nonces.as } }, { dpop: { nonce: () => nonces.rs } });
  const provider = memoryProvider({ dpop: () => signer });
  const { toolset, diagnostics } = await rig.wireOAuth(stand, provider);
  return { stand, provider, toolset, diagnostics, nonces };
}

type Bound = Awaited<ReturnType<typeof bound>>;
const agree = async ({ toolset, stand }: Bound) => toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
const echo = async ({ toolset }: Bound, message = 'hi') => toolset.tools.crm__echo!.execute({ message });
/** Requests to the server itself, with its metadata left out. */
const sent = ({ stand }: Bound) => stand.rs.requests.filter(({ url }) => !url.startsWith('/.well-known'));

it.each(KINDS)('G11 %s: a token that is bound to a key goes with a proof of its own in each request', async (kind) => {
  const all = await bound(kind);
  await agree(all);
  expect(all.provider.stored.tokens?.token_type).toBe('DPoP');
  expect(await echo(all)).toMatchObject({ content: [{ text: 'hi' }] });
  const proven = sent(all).filter(({ headers }) => headers.authorization !== undefined);
  expect(proven.length).toBeGreaterThan(2);
  for (const { headers } of proven) expect(headers.authorization).toMatch(/^DPoP canary-issued-at-/);
  const proofs = proven.map(({ headers }) => headers.dpop);
  expect(new Set(proofs).size).toBe(proven.length);
});

it.each(KINDS)(
  'G11 C4 %s: a nonce that is wanted, at either place, and wanted anew, costs one request more and no token',
  async (kind) => {
    const all = await bound(kind, { as: 'as-1', rs: 'rs-1' });
    await agree(all);
    expect(all.stand.as.at('/token').map(({ headers }) => String(headers.dpop).length > 0)).toEqual([true, true]);
    await echo(all);
    const tokens = all.stand.as.at('/token').length;
    const before = sent(all).length;
    all.nonces.rs = 'rs-2';
    expect(await echo(all, 'again')).toMatchObject({ content: [{ text: 'again' }] });
    const after = sent(all).slice(before);
    expect(after.filter(({ params }) => (params as { name?: string } | undefined)?.name === 'echo')).toHaveLength(2);
    await echo(all, 'and again');
    expect(sent(all).length - before).toBe(after.length + 1);
    expect(all.stand.as.at('/token')).toHaveLength(tokens);
  },
);

it('G11 ten calls when the token has expired: one refresh with the same key, none lost', async () => {
  const all = await bound('dual');
  await agree(all);
  const key = all.stand.as.keyOf(all.provider.stored.tokens?.access_token);
  all.stand.as.reset();
  all.stand.as.expire();
  // An expired token is refused for itself, not for its proof.
  all.stand.rules = { ...all.stand.rules, issuer: { ...all.stand.as, keyOf: () => key } };
  const calls = Array.from({ length: 10 }, (_, index) => echo(all, `${index}`));
  const texts = (await Promise.all(calls)).map(({ content }) => (content[0] as { text?: string }).text);
  expect(texts).toEqual(calls.map((_, index) => `${index}`));
  expect(all.stand.as.at('/token')).toHaveLength(1);
  expect(all.stand.as.keyOf(all.provider.stored.tokens?.access_token)).toBe(key);
});

it('G11 a server that wants another nonce each time is asked twice and no more', async () => {
  let count = 0;
  const all = await bound('dual');
  await agree(all);
  all.stand.rules = { ...all.stand.rules, dpop: { nonce: () => `n-${count++}` } };
  const before = sent(all).length;
  expect(await rejection(echo(all))).toMatchObject({ code: 'unauthorized' });
  expect(sent(all).length - before).toBeLessThanOrEqual(4);
});

it('G4 G5 a redirect to another origin carries neither the token nor a proof', async () => {
  const elsewhere = rig.keep(await startRawServer({ tools: [] }));
  const all = await bound('dual');
  await agree(all);
  const { config } = all.stand;
  const move = { ...config, redirect: 'follow' } as const;
  const provider = all.provider;
  all.stand.rules = { ...all.stand.rules };
  const { toolset } = await rig.wire([move], {
    session: { id: 'alice' },
    oauth: () => provider,
    fetch: async (input, init) => {
      const url = String(input);
      return url.startsWith(all.stand.rs.url) &&
        (init?.method ?? 'GET') === 'POST' &&
        String(init?.body).includes('tools/call')
        ? new Response(null, { status: 307, headers: { location: elsewhere.url } })
        : fetch(input as string, init);
    },
  });
  await toolset.tools.crm__echo?.execute({ message: 'x' }).catch(() => {});
  expect(elsewhere.requests.length).toBeGreaterThan(0);
  for (const { headers } of elsewhere.requests) {
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('dpop');
  }
});

it('G11 a bearer token that comes all the same is sent as one', async () => {
  const stand = await rig.stand('dual');
  const signer = await DpopSession.create();
  const { toolset } = await rig.wireOAuth(stand, memoryProvider({ dpop: () => signer }));
  await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
  expect(await toolset.tools.crm__echo!.execute({ message: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
});

it.each([
  ['gives nothing', () => undefined],
  [
    'throws',
    () => {
      throw new Error('CANARY');
    },
  ],
  ['gives no proof', () => ({ buildProof: async () => 'two\nlines', observeNonce() {} })],
])('G11 a provider whose dpop %s sends nothing, and says so', async (_, dpop) => {
  const stand = await rig.stand('dual');
  const tokens = { access_token: 'a', token_type: 'DPoP', issuer: stand.as.origin };
  const { toolset } = await rig.wireOAuth(stand, memoryProvider({ dpop, stored: { tokens } }));
  expect(toolset.servers[0]?.error).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('`dpop`') });
  expect(JSON.stringify(toolset.inspect())).not.toContain('CANARY');
  expect(stand.rs.requests).toEqual([]);
});
