import assert from 'node:assert/strict';
import { request } from 'node:http';
import { until } from '../../support/http-host.js';
import { FAIL_TEXT, type SdkServer, startSdkServer } from '../../support/sdk-servers.js';
import type { Deployed } from './wrangler.js';

export const ERAS = ['modern', 'legacy'] as const;
export type Era = (typeof ERAS)[number];

/** What the cases share: the Worker, and the servers that its vars name. A case may put another server in a place. */
export interface Stage {
  readonly worker: Deployed;
  readonly servers: Record<Era, SdkServer>;
}

export interface Case {
  readonly title: string;
  run(stage: Stage, era: Era): Promise<void>;
}

export const startServer = (era: Era, port?: number) =>
  startSdkServer({ mode: `${era}-only`, ...(port === undefined ? {} : { port }) });

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Asks the Worker. Whatever it answers must be JSON. */
async function ask({ worker }: Stage, path: string, body?: string): Promise<Answer> {
  const response = await fetch(`${worker.origin}/${path}`, body === undefined ? {} : { method: 'POST', body });
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/, await response.clone().text());
  return { status: response.status, body: await response.json() };
}

const call = (stage: Stage, era: Era, tool: string, args: object) =>
  ask(stage, `${era}/${era}__${tool}`, JSON.stringify(args));
const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
const refusal = (status: number, code: string, message: string) => ({ status, body: { error: { code, message } } });

/** A client that goes away in the middle of its request, when told to. */
function callAndLeave({ worker }: Stage, era: Era, args: object): () => void {
  const sent = request(`${worker.origin}/${era}/${era}__slow`, { method: 'POST' });
  sent.on('error', () => {});
  sent.end(JSON.stringify(args));
  return () => void sent.socket?.resetAndDestroy();
}

const handshakes = (server: SdkServer, era: Era) => server.count(era === 'modern' ? 'server/discover' : 'initialize');

export const cases: readonly Case[] = [
  {
    title: 'lists the tools of a server of its vars, and knows no other server',
    async run(stage, era) {
      const { status, body } = await ask(stage, era);
      assert.equal(status, 200);
      assert.ok(Array.isArray(body) && body.includes(`${era}__echo`) && body.length === 11, JSON.stringify(body));
      const unknown = refusal(404, 'unknown-server', 'There is no server constructor.');
      assert.deepEqual(await ask(stage, 'constructor'), unknown);
    },
  },
  {
    title: 'W9 serves 50 overlapping requests over one connection; two whose clients go away end alone',
    async run(stage, era) {
      const server = stage.servers[era];
      const { hearsOfLeaving } = stage.worker;
      // Without word of it they go on for as long as they take.
      const ms = hearsOfLeaving ? 30_000 : 3_000;
      const leaving = [callAndLeave(stage, era, { ms }), callAndLeave(stage, era, { ms })];
      await until(() => server.executed('slow') === 2, 10_000);
      const messages = Array.from({ length: 48 }, (_, index) => `${era} ${index}`);
      const others = messages.map((message) => call(stage, era, 'echo', { message }));
      for (const leave of leaving) leave();
      assert.deepEqual(
        await Promise.all(others),
        messages.map((message) => ({ status: 200, body: text(message) })),
      );
      assert.equal(server.executed('echo'), 48);
      assert.equal(handshakes(server, era), 1);
      const left = () => server.requests.filter(({ closedEarly }) => closedEarly);
      if (hearsOfLeaving) await until(() => left().length === 2, 10_000);
      assert.equal(left().length, hearsOfLeaving ? 2 : 0);
      // 2026-07-28 cancels by closing the stream.
      if (hearsOfLeaving && era === 'modern') {
        await until(() => server.calls.filter(({ cancelled }) => cancelled).length === 2, 10_000);
      }
    },
  },
  {
    title: 'R1 N6 answers a failed tool, an unknown tool and unusable arguments in JSON with a status of their own',
    async run(stage, era) {
      const failed = await call(stage, era, 'fail', {});
      assert.deepEqual(failed, refusal(422, 'tool-error', `MCP tool error: ${FAIL_TEXT}`));
      for (const name of ['nowhere', '__proto__', 'constructor']) {
        const unknown = refusal(404, 'unknown-tool', `There is no tool ${name}.`);
        assert.deepEqual(await ask(stage, `${era}/${name}`, '{}'), unknown);
      }
      const list = await ask(stage, `${era}/${era}__echo`, '[]');
      assert.equal(list.status, 400);
      assert.match(JSON.stringify(list.body), /"code":"invalid-arguments"/);
      const broken = await ask(stage, `${era}/${era}__echo`, '{');
      assert.equal(broken.status, 400);
      assert.match(JSON.stringify(broken.body), /"code":"invalid-json"/);
    },
  },
  {
    title: 'C4 W10 says that a server is away, and is served again once it has restarted',
    async run(stage, era) {
      const { origin, close } = stage.servers[era];
      await close();
      const away = await call(stage, era, 'echo', { message: 'away' });
      assert.equal(away.status, 502);
      assert.match(JSON.stringify(away.body), /"code":"(connect-failed|outcome-unknown)"/);
      const server = await startServer(era, Number(new URL(origin).port));
      stage.servers[era] = server;
      const messages = ['first', 'second', 'third'];
      const answers = await Promise.all(messages.map((message) => call(stage, era, 'echo', { message })));
      assert.deepEqual(
        answers,
        messages.map((message) => ({ status: 200, body: text(message) })),
      );
      assert.equal(server.executed('echo'), 3);
    },
  },
];

/** Nothing that the runtime or wrangler warns of, and no promise that nobody took. What is for information is no fault. */
export function checkOutput(output: string): void {
  const lines = output.split('\n').filter((line) => !line.includes(': info: '));
  const faults = lines.filter((line) => /unhandled|uncaught|i\/o|hung|\berror\b|warning|✘/i.test(line));
  assert.deepEqual([...new Set(faults)], []);
}
