import { describe, expect, it } from 'vitest';
import { COMPATIBILITY, startWorker } from '../support/workerd-serve.js';
import { createOAuthRig, type Stand } from './oauth-kit.js';

const rig = createOAuthRig();
const SOURCE = `export { default } from './test/support/worker-oauth.js';`;

interface Answer {
  readonly state?: string;
  readonly page?: string;
  readonly code?: string;
  readonly content?: readonly { readonly text: string }[];
}

/** A Worker whose toolset lives at module scope. */
async function deploy(stand: Stand, compatibility: (typeof COMPATIBILITY)[number]) {
  const worker = rig.keep(await startWorker({ source: SOURCE, compatibility, env: { SERVER: stand.rs.url } }));
  return async (path: string, query = new URLSearchParams()): Promise<Answer> => {
    const response = await fetch(`${worker.origin}${path}?${query}`);
    if (!response.ok) throw new Error(`HTTP ${response.status}\n${worker.output()}`);
    return response.json();
  };
}

describe.each(COMPATIBILITY)('a Worker of $date', (compatibility) => {
  it('G11 W9 a user agrees in one request, and ten others share one refresh', async () => {
    const stand = await rig.stand();
    const ask = await deploy(stand, compatibility);
    const { state, page } = await ask('/status');
    expect(state).toBe('needs-auth');
    expect(await ask('/finish', await stand.as.visit(new URL(page!)))).toMatchObject({ state: 'ready' });
    stand.as.reset();
    stand.as.expire();
    const messages = Array.from({ length: 10 }, (_, index) => `${index}`);
    const answers = await Promise.all(messages.map((message) => ask('/call', new URLSearchParams({ message }))));
    expect(answers.map(({ content }) => content?.[0]?.text)).toEqual(messages);
    expect(stand.as.at('/token')).toHaveLength(1);
    expect(JSON.stringify(stand.as.requests)).not.toContain('canary-header');
  });

  it.each([301, 302, 303, 307, 308])(
    'G11 G5 no redirect of an authorization server gets anything (%i)',
    async (status) => {
      const evil = await rig.authorizationServer();
      for (const path of ['/.well-known/oauth-authorization-server', '/register', '/token']) {
        const stand = await rig.stand('dual', {
          onRequest: ({ url }, response) => {
            if (!url.startsWith(path)) return false;
            response.writeHead(status, { location: `${evil.origin}${url}` }).end();
            return true;
          },
        });
        const ask = await deploy(stand, compatibility);
        const { state, page, code } = await ask('/status');
        if (path === '/token') {
          expect(state).toBe('needs-auth');
          const finished = await ask('/finish', await stand.as.visit(new URL(page!)));
          expect(finished).toEqual({ code: 'unauthorized' });
          // What holds the code is sent once, wherever it is sent on to.
          expect(stand.as.at('/token')).toHaveLength(1);
        } else expect([state, code]).toEqual(['failed', expect.stringMatching(/^(unauthorized|redirect-denied)$/)]);
      }
      expect(evil.requests).toEqual([]);
    },
  );

  it('G11 foreign resource metadata gets nothing', async () => {
    const evil = await rig.authorizationServer();
    const foreign = await rig.stand('dual', {}, { resourceMetadata: `${evil.origin}/metadata` });
    expect(await (await deploy(foreign, compatibility))('/status')).toEqual({ state: 'failed', code: 'host-denied' });
    expect(evil.requests).toEqual([]);
  });
});
