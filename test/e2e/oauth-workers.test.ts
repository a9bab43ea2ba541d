import { request, type ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { sleep, until } from '../support/http-host.js';
import { COMPATIBILITY, startWorker } from '../support/workerd-serve.js';
import { createOAuthRig, reachable, type Stand } from './oauth-kit.js';

const rig = createOAuthRig();
const SOURCE = `export { default } from './test/support/worker-oauth.js';`;

interface Answer {
  readonly state?: string;
  readonly page?: string;
  readonly code?: string;
  /** How often the user was sent to the page. */
  readonly pages?: number;
  readonly content?: readonly { readonly text: string }[];
}

/** A Worker whose toolsets live at module scope. */
async function deploy(compatibility: (typeof COMPATIBILITY)[number]) {
  const worker = rig.keep(await startWorker({ source: SOURCE, compatibility }));
  const urlOf = (stand: Stand, path: string, query: URLSearchParams) => {
    const all = new URLSearchParams([...query, ['server', stand.rs.url]]);
    return `${worker.origin}${path}?${all}`;
  };
  return {
    async ask(stand: Stand, path: string, query = new URLSearchParams()): Promise<Answer> {
      const response = await fetch(urlOf(stand, path, query));
      if (!response.ok) throw new Error(`HTTP ${response.status}\n${worker.output()}`);
      return response.json();
    },
    /** The answer is how to go away: the runtime then ends the Worker's request, wherever its code is. */
    askAndLeave(stand: Stand, path: string, query = new URLSearchParams()): () => void {
      const sent = request(urlOf(stand, path, query));
      sent.on('error', () => {});
      sent.end();
      return () => sent.socket?.resetAndDestroy();
    },
  };
}

/** A toolset whose user has agreed. */
async function agreed({ ask }: Awaited<ReturnType<typeof deploy>>, stand: Stand): Promise<void> {
  const { page } = await ask(stand, '/status');
  expect(await ask(stand, '/finish', await stand.as.visit(new URL(page!)))).toMatchObject({ state: 'ready' });
}

const said = (message: string) => new URLSearchParams({ message });
const textOf = ({ content }: Answer) => content?.[0]?.text;

describe.each(COMPATIBILITY)('a Worker of $date', (compatibility) => {
  it('G11 W9 a user agrees in one request, and ten others share one refresh', async () => {
    const stand = await rig.stand();
    const worker = await deploy(compatibility);
    expect(await worker.ask(stand, '/status')).toMatchObject({ state: 'needs-auth' });
    await agreed(worker, stand);
    stand.as.reset();
    stand.as.expire();
    const messages = Array.from({ length: 10 }, (_, index) => `${index}`);
    const answers = await Promise.all(messages.map((message) => worker.ask(stand, '/call', said(message))));
    expect(answers.map(textOf)).toEqual(messages);
    expect(stand.as.at('/token')).toHaveLength(1);
    expect(reachable(stand.as.requests)).not.toContain('canary-header');
  });

  it('G11 W9 the client of the request that refreshes goes away: the others have it done once more, and none hangs', async () => {
    let held = 0;
    const stand = await rig.stand('dual', {
      // The first refresh is never looked at.
      onRequest: ({ url, body }) => url === '/token' && body.includes('grant_type=refresh_token') && held++ === 0,
    });
    const worker = await deploy(compatibility);
    await agreed(worker, stand);
    stand.as.reset();
    stand.as.expire();
    const leave = worker.askAndLeave(stand, '/call', said('gone'));
    await until(() => stand.as.at('/token').length === 1);
    const messages = Array.from({ length: 10 }, (_, index) => `${index}`);
    const waiting = messages.map((message) => worker.ask(stand, '/call', said(message)));
    await sleep(300);
    leave();
    const startedAt = Date.now();
    expect((await Promise.all(waiting)).map(textOf)).toEqual(messages);
    expect(Date.now() - startedAt).toBeLessThan(5_000);
    expect(stand.as.at('/token')).toHaveLength(2);
    expect(stand.as.reused).toBe(0);
    stand.as.expire();
    expect(textOf(await worker.ask(stand, '/call', said('later')))).toBe('later');
    expect(stand.as.at('/token')).toHaveLength(3);
    expect(await worker.ask(stand, '/status')).toMatchObject({ state: 'ready', pages: 1 });
  });

  it('G11 W9 and where that request was given to `waitUntil`, its refresh serves all', async () => {
    const stand = await rig.stand('dual', {
      onRequest: ({ body }) => (body.includes('grant_type=refresh_token') ? sleep(500).then(() => false) : false),
    });
    const worker = await deploy(compatibility);
    await agreed(worker, stand);
    stand.as.reset();
    stand.as.expire();
    const leave = worker.askAndLeave(stand, '/call', new URLSearchParams('lasting&message=gone'));
    await until(() => stand.as.at('/token').length === 1);
    leave();
    const messages = ['a', 'b', 'c'];
    const waiting = messages.map((message) => worker.ask(stand, '/call', said(message)));
    expect((await Promise.all(waiting)).map(textOf)).toEqual(messages);
    expect(stand.as.at('/token')).toHaveLength(1);
    expect(stand.as.reused).toBe(0);
  });

  it('G11 W9 the client of the request that finishes goes away: the user can agree anew', async () => {
    let held = 0;
    const stand = await rig.stand('dual', { onRequest: ({ url }) => url === '/token' && held++ === 0 });
    const worker = await deploy(compatibility);
    const { page } = await worker.ask(stand, '/status');
    const leave = worker.askAndLeave(stand, '/finish', await stand.as.visit(new URL(page!)));
    await until(() => stand.as.at('/token').length === 1);
    leave();
    await sleep(200);
    expect(await worker.ask(stand, '/refresh')).toMatchObject({ state: 'needs-auth', pages: 2 });
    await agreed(worker, stand);
    expect(textOf(await worker.ask(stand, '/call', said('later')))).toBe('later');
  });

  it('G11 W9 and on the same page once the time for that is over', async () => {
    let held = 0;
    const stand = await rig.stand('dual', { onRequest: ({ url }) => url === '/token' && held++ === 0 });
    const worker = await deploy(compatibility);
    const page = new URL((await worker.ask(stand, '/status')).page!);
    const leave = worker.askAndLeave(stand, '/finish', await stand.as.visit(page));
    await until(() => stand.as.at('/token').length === 1);
    leave();
    await sleep(4_000);
    await agreed(worker, stand);
    expect(await worker.ask(stand, '/status')).toMatchObject({ state: 'ready', pages: 1 });
  });

  it('G11 no foreign metadata gets anything', async () => {
    const evil = await rig.authorizationServer();
    const worker = await deploy(compatibility);
    const foreign = await rig.stand('dual', {}, { resourceMetadata: `${evil.origin}/metadata` });
    expect(await worker.ask(foreign, '/status')).toMatchObject({ state: 'failed', code: 'host-denied', pages: 0 });
    expect(evil.requests).toEqual([]);
  });
});

describe.each(COMPATIBILITY)('redirects in a Worker of $date', (compatibility) => {
  it.each([301, 302, 303, 307, 308])('G11 G5 nothing is sent where they lead (%i)', async (status) => {
    const evil = await rig.authorizationServer();
    const worker = await deploy(compatibility);
    const moved = new Set<string>();
    const redirected: string[] = [];
    const stand = () =>
      rig.stand('dual', {
        onRequest: ({ url }, response) => {
          if (![...moved].some((path) => url.startsWith(path))) return false;
          redirected.push(url);
          response.writeHead(status, { location: `${evil.origin}${url}` }).end();
          return true;
        },
      });
    const answers: Answer[] = [];
    moved.add('/.well-known');
    answers.push(await worker.ask(await stand(), '/status'));
    moved.clear();
    moved.add('/register');
    answers.push(await worker.ask(await stand(), '/status'));
    moved.clear();
    const last = await stand();
    const { page } = await worker.ask(last, '/status');
    const code = await last.as.visit(new URL(page!));
    moved.add('/token');
    answers.push(await worker.ask(last, '/finish', code));
    moved.clear();
    await worker.ask(last, '/refresh');
    await agreed(worker, last);
    last.as.expire();
    moved.add('/token');
    answers.push(await worker.ask(last, '/call', said('x')));
    expect(answers.map((answer) => answer.code)).toEqual([
      'redirect-denied',
      'unauthorized',
      'unauthorized',
      'unauthorized',
    ]);
    // Each was asked once.
    const [issuer, ...posted] = redirected;
    expect(issuer).toContain('/.well-known');
    expect(posted).toEqual(['/register', '/token', '/token']);
    expect(evil.requests).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])(
    'G11 G5 nor of resource metadata, which is then not missing (%i)',
    async (status) => {
      const evil = await rig.authorizationServer();
      const worker = await deploy(compatibility);
      let asked = 0;
      const onMetadata = (response: ServerResponse) => {
        asked += 1;
        response.writeHead(status, { location: `${evil.origin}/metadata` }).end();
        return true;
      };
      const stand = await rig.stand('dual', {}, { onMetadata });
      expect(await worker.ask(stand, '/status')).toMatchObject({ state: 'failed', code: 'redirect-denied', pages: 0 });
      expect(asked).toBe(1);
      expect([...evil.requests, ...stand.as.requests]).toEqual([]);
    },
  );
});
