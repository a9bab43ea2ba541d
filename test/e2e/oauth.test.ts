import { describe, expect, it } from 'vitest';
import { memoryProvider } from '../support/oauth-provider.js';
import { createOAuthRig, KINDS, pageOf } from './oauth-kit.js';
import { namesOf, rejection } from './rig.js';

const rig = createOAuthRig();

describe.each(KINDS)('a server that is %s', (kind) => {
  it('G11 waits for the user, and serves once the answer of the page was given', async () => {
    const stand = await rig.stand(kind);
    const provider = memoryProvider();
    const { toolset } = await rig.wireOAuth(stand, provider);
    expect(toolset.servers[0]).toMatchObject({ state: 'needs-auth', error: { code: 'unauthorized' } });
    expect(toolset.servers[0]?.error?.message).toContain('finishAuth');
    expect(namesOf(toolset.tools)).toEqual([]);
    const page = pageOf(toolset);
    expect(provider.pages.map(String)).toEqual([page.href]);
    expect(page.origin).toBe(stand.as.origin);
    expect(stand.as.at('/register')).toHaveLength(1);

    await toolset.finishAuth('crm', await stand.as.visit(page));
    expect(toolset.servers[0]).toMatchObject({ state: 'ready' });
    expect(toolset.servers[0]?.authorizationUrl).toBeUndefined();
    expect(await toolset.tools.crm__echo!.execute({ message: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
    expect(stand.as.at('/token')).toHaveLength(1);
    expect(provider.stored.tokens?.issuer).toBe(stand.as.origin);
    expect(await rejection(toolset.finishAuth('crm', new URLSearchParams()))).toMatchObject({ code: 'unauthorized' });
  });

  it('G11 ten calls when the token has expired: one refresh, none lost', async () => {
    const stand = await rig.stand(kind);
    const provider = memoryProvider();
    const { toolset } = await rig.wireOAuth(stand, provider);
    await toolset.finishAuth('crm', await stand.as.visit(pageOf(toolset)));
    stand.as.reset();
    for (let turn = 1; turn <= 3; turn++) {
      stand.as.expire();
      const calls = Array.from({ length: 10 }, (_, index) => toolset.tools.crm__echo!.execute({ message: `${index}` }));
      const texts = (await Promise.all(calls)).map(({ content }) => (content[0] as { text?: string }).text);
      expect(texts).toEqual(calls.map((_, index) => `${index}`));
      expect(stand.as.at('/token')).toHaveLength(turn);
    }
    expect(stand.as.reused).toBe(0);
    expect(provider.pages).toHaveLength(1);
  });
});
