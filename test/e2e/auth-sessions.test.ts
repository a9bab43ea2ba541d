import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/index.js';
import { createMcpTools, mcpTools } from '../../src/index.js';
import { createRandom } from '../../src/testing/faults/choice.js';
import { tokenOf } from '../support/bearer-gate.js';
import { sleep } from '../support/http-host.js';
import { COMPATIBILITY, startWorker } from '../support/workerd-serve.js';
import { createAuthStands, token } from './auth-kit.js';
import { ALL_KINDS, callsOf, HTTP_KINDS, type Kind, noneTwice, sourceOf } from './faults-kit.js';

const { keep, server: open } = createAuthStands();
const CALLS = 1_000;
const AT_ONCE = 20;
/** Calls of one request to a Worker. */
const PER = 25;
const PEOPLE = ['ada', 'bob'] as const;

/** Whose call it is stands in its key. */
const ownerOf = (key: unknown) => String(key).split('-')[0]!;
const owner = (authorization: unknown) =>
  tokenOf(authorization as string)
    .replace(`${token('')}`, '')
    .split('-')[0];

/** Fails where a request carries another one's token than that of the call in it, or none. */
function checkOwners(server: Awaited<ReturnType<typeof open>>): void {
  const mixed = callsOf(server).filter(({ key, headers }) => owner(headers.authorization) !== ownerOf(key));
  expect(mixed.map(({ key, headers }) => [key, headers.authorization])).toEqual([]);
  const others = server.requests.filter(({ headers }) => !PEOPLE.includes(owner(headers.authorization) as never));
  expect(others).toEqual([]);
}

/** Each session of the old transports belongs to one of them. */
function checkSessions(server: Awaited<ReturnType<typeof open>>): void {
  const owners = new Map<string, Set<unknown>>();
  for (const { session, headers } of server.requests) {
    if (session === undefined) continue;
    owners.set(session, (owners.get(session) ?? new Set()).add(owner(headers.authorization)));
  }
  expect([...owners.values()].filter((all) => all.size !== 1)).toEqual([]);
}

describe.each(ALL_KINDS)('%s', (kind) => {
  it('G12 S1 two sessions on one server, 1,000 calls interleaved: each carries its own token', async () => {
    const server = await open(kind);
    const random = createRandom(1);
    const auth = async (_: string, { session }: { session: Session }) => {
      if (random() < 0.3) await sleep(random() * 5);
      return { token: token(`${session.id}-${Math.floor(random() * 1_000)}`) };
    };
    const [ada, bob] = PEOPLE.map((id) => ({ session: { id }, auth, onServerError: 'throw' as const }));
    const handle = keep(createMcpTools(sourceOf(kind, server), ada));
    const toolset = keep(await mcpTools([sourceOf(kind, server)], bob));
    const tools = [await handle.tools(), toolset.tools];
    let next = 0;
    const work = async () => {
      for (let index = next++; index < CALLS; index = next++) {
        const who = random() < 0.5 ? 0 : 1;
        await tools[who]!.s__effect!.execute({ key: `${PEOPLE[who]}-${index}` });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(server.effects.size).toBe(CALLS);
    noneTwice(server);
    checkOwners(server);
    checkSessions(server);
  });
});

const SOURCE = `export { default } from './test/support/worker-sessions.js';`;
const deployments = COMPATIBILITY.flatMap((compatibility) =>
  HTTP_KINDS.map((kind: Kind) => ({ ...compatibility, compatibility, kind })),
);

describe.each(deployments)('a Worker of $date, $kind', ({ compatibility, kind }) => {
  it('G12 W9 S1 toolsets at module scope, one for each session, and the requests of both at once: no mix', async () => {
    const server = await open(kind);
    const env = { SERVER: JSON.stringify(sourceOf(kind, server)), TOKEN: token('') };
    const worker = keep(await startWorker({ source: SOURCE, compatibility, env }));
    const ask = async (nth: number) => {
      const [who, how] = nth % 2 === 0 ? ['ada', 'lazy'] : ['bob', 'kept'];
      const query = new URLSearchParams({ how: how!, who: who!, from: String(nth * PER), count: String(PER) });
      const response = await fetch(`${worker.origin}/?${query}`);
      const text = await response.text();
      if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}\n${worker.output()}`);
      return JSON.parse(text) as unknown;
    };
    const answers = await Promise.all(Array.from({ length: CALLS / PER }, (_, nth) => ask(nth)));
    expect(answers).toEqual(answers.map(() => ({ ended: PER, unhandled: [] })));
    expect(server.effects.size).toBe(CALLS);
    noneTwice(server);
    checkOwners(server);
    checkSessions(server);
  });

  it('G12 W9 a request whose question hangs and that is left by its client holds no other back', async () => {
    const server = await open(kind);
    const env = { SERVER: JSON.stringify(sourceOf(kind, server)), TOKEN: token('') };
    const worker = keep(await startWorker({ source: SOURCE, compatibility, env }));
    const url = (query: Record<string, string>) =>
      `${worker.origin}/?${new URLSearchParams({ how: 'lazy', who: 'ada', count: '1', ...query })}`;
    expect((await fetch(url({ from: '0' }))).status).toBe(200);
    const left = request(url({ from: '1', hang: 'yes' }));
    left.on('error', () => {});
    left.end();
    await sleep(300);
    const waiting = fetch(url({ from: '2' }));
    await sleep(100);
    left.socket?.resetAndDestroy();
    const startedAt = performance.now();
    const response = await waiting;
    expect([response.status, worker.output()]).toEqual([200, expect.any(String)]);
    expect(await response.json()).toMatchObject({ ended: 1 });
    // Well before the hanging question's own time is up.
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    expect(server.effects.get('ada-1')).toBeUndefined();
  });
});
