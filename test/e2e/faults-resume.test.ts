import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { McpOptions } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import type { RecordedRequest } from '../support/recorder.js';
import { ended } from './faults-kit.js';
import { createKit, http } from './wiring-kit.js';

const kit = createKit();

type Serve = (response: ServerResponse, call: RecordedRequest) => void;
interface Serving {
  /** The stream of the call, after its first event, which has an id. */
  readonly call: Serve;
  /** The stream that takes it up again. */
  readonly resumed?: Serve;
  /** `resumed` writes the head too. */
  readonly bare?: boolean;
  readonly options?: McpOptions;
}

const answerOf = ({ id }: RecordedRequest) =>
  `id: ev-2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'at last' }] } })}\n\n`;

/** A server whose calls begin with an event that has an id, so that their streams can be taken up again. */
async function serving({ call, resumed, bare, options }: Serving) {
  let called: RecordedRequest | undefined;
  const resumptions: unknown[] = [];
  const server = await kit.raw({
    era: 'legacy',
    capabilities: { tools: { listChanged: true } },
    onRequest(request, response) {
      const lastEventId = request.headers['last-event-id'];
      if (request.http === 'GET' && lastEventId !== undefined) {
        resumptions.push(lastEventId);
        if (!bare) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        resumed?.(response, called!);
        return true;
      }
      if (request.method !== 'tools/call') return false;
      called = request;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('id: ev-1\nretry: 1\ndata:\n\n');
      // Gone before it is cut, the event would not have arrived.
      setTimeout(() => call(response, request), 30);
      return true;
    },
  });
  const toolset = await kit.wire([http('s', server)], options);
  const execute = (abortSignal?: AbortSignal) =>
    ended(toolset.tools.s__a!.execute({}, abortSignal === undefined ? {} : { abortSignal }));
  return { server, execute, resumptions };
}

const cut: Serve = (response) => void response.destroy();
const LISTENING: readonly (readonly [string, McpOptions])[] = [
  ['', {}],
  [' with change notices', { onToolsChanged: () => {} }],
];

describe.each(LISTENING)('a call whose stream can be taken up again%s', (_, options) => {
  it.each([
    ['is cut', cut],
    ['ends', (response: ServerResponse) => void response.end()],
  ] as const)('C5 when it %s, is answered on the stream that takes it up, and was sent once', async (_, call) => {
    const { server, execute, resumptions } = await serving({
      call,
      resumed: (response, request) => void response.end(answerOf(request)),
      options,
    });
    expect(await execute()).toMatchObject({ code: 'ok', value: { content: [{ text: 'at last' }] } });
    expect([server.count('tools/call'), resumptions]).toEqual([1, ['ev-1']]);
  });

  it('C2 aborted while it is open: it is not taken up again', async () => {
    const { server, execute, resumptions } = await serving({ call() {}, options });
    const controller = new AbortController();
    const calling = execute(controller.signal);
    await until(() => server.count('tools/call') === 1);
    await sleep(60);
    controller.abort('enough');
    expect(await calling).toMatchObject({ code: 'aborted' });
    await sleep(700);
    expect(resumptions).toEqual([]);
  });

  it('C2 aborted between the two: it is not taken up again', async () => {
    const { server, execute, resumptions } = await serving({ call: cut, options });
    const controller = new AbortController();
    const calling = execute(controller.signal);
    await until(() => server.count('tools/call') === 1);
    await sleep(120);
    controller.abort('enough');
    expect(await calling).toMatchObject({ code: 'aborted' });
    await sleep(700);
    expect(resumptions).toEqual([]);
  });

  it('C2 G6 aborted on the stream that took it up: that one is closed, and no other opened', async () => {
    const open = new Set<ServerResponse>();
    const { execute, resumptions } = await serving({
      call: cut,
      resumed(response) {
        open.add(response);
        response.on('close', () => open.delete(response));
      },
      options,
    });
    const controller = new AbortController();
    const calling = execute(controller.signal);
    await until(() => resumptions.length === 1);
    controller.abort('enough');
    expect(await calling).toMatchObject({ code: 'aborted' });
    await until(() => open.size === 0, 1_000);
    await sleep(700);
    expect(resumptions).toEqual(['ev-1']);
  });
});

/** Writes its own head, in place of the event stream's. */
const refusal =
  (status: number, body: unknown = {}): Serve =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const bringProgress: Serve = (response) => {
  const params = { progressToken: 'none', progress: 1 };
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params })}\n\n`);
  setTimeout(() => response.destroy(), 30);
};
const NO_SESSION = { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'No valid session' } };

describe.each(LISTENING)('a call whose stream can not be taken up again%s', (_, options) => {
  it.each([
    ['is cut each time', cut, {}],
    ['ends each time', (response: ServerResponse) => void response.end(), {}],
    ['brings nothing with an id each time', bringProgress, {}],
    ['is cut before its head', cut, { bare: true }],
    ['is refused with 404', refusal(404), { bare: true }],
    ['is refused with 400 and an error without an id', refusal(400, NO_SESSION), { bare: true }],
    ['is refused with 401', refusal(401), { bare: true }],
    ['is refused with 500', refusal(500), { bare: true }],
  ] as const)('C5 as it %s, is unknown after two tries, and was sent once', async (_, resumed, extra) => {
    const { server, execute, resumptions } = await serving({ call: cut, resumed, options, ...extra });
    const call = await execute();
    expect(call).toMatchObject({ code: 'outcome-unknown' });
    expect(call.ms).toBeLessThan(5_000);
    expect([server.count('tools/call'), resumptions]).toEqual([1, ['ev-1', 'ev-1']]);
  });
});

it('C5 G5 a stream that is redirected away rejects with that, and is asked for once', async () => {
  const { server, execute, resumptions } = await serving({
    call: cut,
    resumed: (response) => void response.writeHead(307, { location: 'http://127.0.0.1:9/' }).end(),
    bare: true,
  });
  expect(await execute()).toMatchObject({ code: 'redirect-denied' });
  expect([server.count('tools/call'), resumptions]).toEqual([1, ['ev-1']]);
});

it('C5 a server that takes no stream up again is asked once', async () => {
  const { server, execute, resumptions } = await serving({ call: cut, resumed: refusal(405), bare: true });
  expect(await execute()).toMatchObject({ code: 'outcome-unknown' });
  expect([server.count('tools/call'), resumptions]).toEqual([1, ['ev-1']]);
});

it('C5 a stream that brings something each time is taken up as often as it is lost', async () => {
  let events = 1;
  const { server, execute, resumptions } = await serving({
    call: cut,
    resumed(response, call) {
      events += 1;
      if (events === 6) return void response.end(answerOf(call));
      response.write(`id: ev-${events}\ndata:\n\n`);
      setTimeout(() => response.destroy(), 30);
    },
  });
  expect(await execute()).toMatchObject({ code: 'ok' });
  expect([server.count('tools/call'), resumptions]).toEqual([1, ['ev-1', 'ev-2', 'ev-3', 'ev-4', 'ev-5']]);
});
