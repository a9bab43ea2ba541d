import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { McpOptions } from '../../src/index.js';
import { sleep, until } from '../support/http-host.js';
import type { RecordedRequest } from '../support/recorder.js';
import { AT_ONCE_MS, ended } from './faults-kit.js';
import { createKit, http } from './wiring-kit.js';

const kit = createKit();

/** `times` is how often the stream was taken up by now. */
type Serve = (response: ServerResponse, call: RecordedRequest, times: number) => void;
interface Serving {
  /** The stream of the call, after its first event, which has an id. */
  readonly call: Serve;
  /** What the request for the stream that takes it up again is answered with. */
  readonly resumed?: Serve;
  /** The id of that first event. */
  readonly eventId?: string;
  readonly options?: McpOptions;
}

const answerOf = ({ id }: RecordedRequest) =>
  `id: ev-2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'at last' }] } })}\n\n`;

/** A server whose calls begin with an event that has an id, so that their streams can be taken up again. */
async function serving({ call, resumed, eventId = 'ev-1', options }: Serving) {
  let called: RecordedRequest | undefined;
  const resumptions: unknown[] = [];
  const server = await kit.raw({
    era: 'legacy',
    stream: true,
    capabilities: { tools: { listChanged: true } },
    onRequest(request, response) {
      const lastEventId = request.headers['last-event-id'];
      if (request.http === 'GET' && lastEventId !== undefined) {
        resumptions.push(lastEventId);
        if (resumed === undefined) opens(response);
        else resumed(response, called!, resumptions.length);
        return true;
      }
      if (request.method !== 'tools/call') return false;
      called = request;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`id: ${eventId}\nretry: 1\ndata:\n\n`);
      // Gone before it is cut, the event would not have arrived.
      setTimeout(() => call(response, request, 0), 30);
      return true;
    },
  });
  const toolset = await kit.wire([http('s', server)], options);
  const execute = (abortSignal?: AbortSignal) =>
    ended(toolset.tools.s__a!.execute({}, abortSignal === undefined ? {} : { abortSignal }));
  return { server, execute, resumptions };
}

const opens = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
const cut: Serve = (response) => void response.destroy();
const status =
  (code: number): Serve =>
  (response) =>
    void response.writeHead(code).end();
const ends =
  (text: string): Serve =>
  (response) => {
    opens(response);
    response.end(text);
  };
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
      resumed: (...args) => ends(answerOf(args[1]))(...args),
      options,
    });
    expect(await execute()).toMatchObject({ code: 'ok', value: { content: [{ text: 'at last' }] } });
    expect([server.count('tools/call'), resumptions]).toEqual([1, ['ev-1']]);
  });

  it('C5 is taken up where it was left, also after a stream that brought nothing, and counts anew after each event', async () => {
    const event = (id: number) => `id: ev-${id}\ndata:\n\n`;
    const pieces = [': nothing\n\n', event(3), ': nothing\n\n', event(4), ': nothing\n\n'];
    const { server, execute, resumptions } = await serving({
      call: cut,
      resumed: (response, request, times) => ends(pieces[times - 1] ?? answerOf(request))(response, request, times),
      options,
    });
    expect(await execute()).toMatchObject({ code: 'ok' });
    expect(server.count('tools/call')).toBe(1);
    expect(resumptions).toEqual(['ev-1', 'ev-1', 'ev-3', 'ev-3', 'ev-4', 'ev-4']);
  });

  it.each<[string, Serve]>([
    ['is refused with HTTP 500', status(500)],
    // A session that is gone, and credentials that are: the call was delivered before.
    ['is refused with HTTP 404', status(404)],
    ['is refused with HTTP 401', status(401)],
    [
      'is refused with HTTP 400 and an error without an id',
      (response) => {
        const error = { code: -32000, message: 'No valid session' };
        response.writeHead(400, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error }));
      },
    ],
    ['is redirected away', (response) => void response.writeHead(307, { location: 'http://10.0.0.1/' }).end()],
    ['breaks before its headers', cut],
    ['ends with nothing on it', ends(': nothing\n\n')],
    ['ends with the old event on it', ends('id: ev-1\ndata:\n\n')],
  ])('C5 C4 when the stream that takes it up %s, twice, is unknown at once and was sent once', async (_, resumed) => {
    const { server, execute, resumptions } = await serving({ call: cut, resumed, options });
    const end = await execute();
    expect(end).toMatchObject({ code: 'outcome-unknown', error: { server: 's', tool: 'a' } });
    expect(end.ms).toBeLessThan(AT_ONCE_MS);
    expect([server.count('tools/call'), resumptions]).toEqual([1, ['ev-1', 'ev-1']]);
    expect(kit.diagnostics).toEqual([]);
  });

  it('C5 a server that takes no stream up again is asked once', async () => {
    const { server, execute, resumptions } = await serving({ call: cut, resumed: status(405), options });
    expect(await execute()).toMatchObject({ code: 'outcome-unknown' });
    expect([server.count('tools/call'), resumptions]).toEqual([1, ['ev-1']]);
  });

  it.each([
    ['is no header value', 'ev-\u4e2d', []],
    ['has white space around it', ' ev-1\t ', ['ev-1', 'ev-1']],
  ])('C5 an event id that %s leaves it unknown at once', async (_, eventId, asked) => {
    const { execute, resumptions } = await serving({ call: cut, resumed: status(500), eventId, options });
    const end = await execute();
    expect(end).toMatchObject({ code: 'outcome-unknown' });
    expect(end.ms).toBeLessThan(AT_ONCE_MS);
    expect(resumptions).toEqual(asked);
  });

  it('G6 an answer over responseBytes on the stream that takes it up is that, and is asked for once', async () => {
    const { execute, resumptions } = await serving({
      call: cut,
      resumed: ends(`data: ${'x'.repeat(60_000)}\n\n`),
      options: { ...options, limits: { responseBytes: 50_000 } },
    });
    expect(await execute()).toMatchObject({ code: 'limit' });
    expect(resumptions).toEqual(['ev-1']);
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
        opens(response);
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
