import { isRecord } from '../../core/json.js';
import { quietly } from '../../core/quietly.js';
import { act } from './acts.js';
import { type Channel, createHttpChannel, createSseChannel, finish, say } from './channel.js';
import { type Exchange, progressOf } from './exchange.js';
import { isListen, runRequest } from './methods.js';
import type { NodeRequest, NodeResponse } from './node-http.js';
import type { Entry } from './records.js';
import { isRedirected } from './refusals.js';
import { type Answer, errorAnswer, eventText, type Message, recordOf } from './rpc.js';
import { type ServerState, type Underway, watchStream } from './state.js';

/** Largest request body that is read, in bytes. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Serves one HTTP request: records it, asks the plan, and answers it well or badly. */
export async function serve(state: ServerState, request: NodeRequest, reply: NodeResponse): Promise<void> {
  reply.on('error', () => {});
  const body = await readBody(request);
  if (body === undefined) return;
  const { url: path = '/', method: http = 'GET', headers } = request;
  const message = parse(body);
  const entry = state.records.accept({ http, path, headers, message, session: sessionOf(state, request) });
  const fault = isRedirected(path) ? undefined : state.judge.next({ ...entry, isRequest: isRequest(entry) });
  if (fault !== undefined) entry.fault = fault.kind;
  const separate =
    state.transport === 'sse' && http === 'POST' ? state.notices.streamOf(entry.session ?? '') : undefined;
  const onStream = (response: NodeResponse): void => watchStream(state, response);
  const channel =
    separate === undefined
      ? createHttpChannel(reply, { format: state.format, onStream })
      : createSseChannel(reply, separate);
  const { exchange, abort } = createExchange(state, { entry, reply, channel });
  const underway: Underway = { entry, channel, abort };
  state.underway.add(underway);
  watchEnd(state, underway, reply);
  await (fault === undefined ? exchange.proceed() : act(fault, exchange));
  if (exchange.signal.aborted && !state.closing) channel.dismiss();
  if (channel.answered() && separate !== undefined) state.underway.delete(underway);
}

function createExchange(
  state: ServerState,
  { entry, reply, channel }: { readonly entry: Entry; readonly reply: NodeResponse; readonly channel: Channel },
): { readonly exchange: Exchange; abort(): void } {
  const controller = new AbortController();
  const { signal } = controller;
  let muted = false;
  let running: Promise<Answer | undefined> | undefined;
  const hasToken = recordOf(recordOf(entry.params)._meta).progressToken !== undefined;
  const tool = {
    signal,
    progress(progress: number, total: number) {
      if (!muted && hasToken) say(channel.stream(), progressOf(entry, progress, total));
    },
    effect: (key: string) => state.records.runEffect(key, entry),
  };
  const onSession = (session: string): void => {
    if (!reply.headersSent) reply.setHeader('mcp-session-id', session);
  };
  const exchange: Exchange = {
    entry,
    channel,
    signal,
    era: state.era,
    host: state.host,
    closing: () => state.closing,
    run: () => {
      running ??= runRequest(state, entry, { tool, onSession });
      return running;
    },
    mute: () => {
      muted = true;
    },
    async proceed() {
      if (!isServed(state, entry)) return channel.plain(entry.http === 'POST' ? 404 : 405, {});
      if (isRequest(entry)) channel.acknowledge();
      const answer = await exchange.run();
      if (signal.aborted) return;
      if (answer !== undefined) finish(channel, [answer.message], answer.status);
      else settle(state, exchange);
    },
  };
  return { exchange, abort: () => controller.abort() };
}

/** Answers what no message answers. */
function settle(state: ServerState, { entry, channel }: Exchange): void {
  if (isListen(state, entry)) {
    const filter = recordOf(recordOf(entry.params).notifications);
    const stream = channel.stream();
    const subscription = { id: entry.id, filter };
    if (stream !== undefined) state.notices.open(stream, { cut: channel.killStream, subscription });
  } else if (entry.http === 'GET') openNotices(state, entry, channel);
  else if (entry.http === 'DELETE') channel.plain(200, {});
  else if (entry.method === undefined && entry.id === undefined) {
    const failure = { code: -32700, message: 'Parse error' };
    channel.plain(400, { 'content-type': 'application/json' }, JSON.stringify(errorAnswer(null, failure).message));
  } else channel.plain(202, {});
}

function openNotices(state: ServerState, { session }: Entry, channel: Channel): void {
  const stream = channel.stream();
  if (stream === undefined) return;
  const own = state.transport === 'sse' ? crypto.randomUUID() : session;
  state.notices.open(stream, { cut: channel.killStream, session: own });
  if (state.transport === 'http' || own === undefined) return;
  stream.write(eventText(`/message?session=${own}`, 'endpoint'));
  // The client's calls end with the stream that their answers would have come on.
  stream.on('close', () => {
    for (const one of [...state.underway].filter(({ entry }) => entry.session === own)) {
      state.underway.delete(one);
      const byClient = !channel.killed() && !state.cutting && !stream.writableFinished;
      if (byClient && !one.channel.answered() && isRequest(one.entry)) state.records.cancel(one.entry.id, 'stream');
      one.abort();
    }
  });
}

function watchEnd(state: ServerState, underway: Underway, reply: NodeResponse): void {
  const { entry, channel } = underway;
  reply.on('close', () => {
    entry.ended = true;
    if (reply.headersSent) entry.status = reply.statusCode;
    const separate = state.transport === 'sse' && entry.http === 'POST';
    if (!separate || !reply.headersSent) state.underway.delete(underway);
    if (reply.writableFinished || channel.killed()) return;
    if (!state.cutting) {
      entry.closedEarly = true;
      if (isRequest(entry)) state.records.cancel(entry.id, 'stream');
    }
    underway.abort();
  });
}

/** Whether there is anything at this place. */
function isServed(state: ServerState, { http, path, session }: Entry): boolean {
  const { pathname } = new URL(path, 'http://localhost');
  if (state.transport === 'sse') {
    if (http === 'GET') return pathname === '/sse';
    return http === 'POST' && pathname === '/message' && state.notices.streamOf(session ?? '') !== undefined;
  }
  if (pathname !== '/mcp') return false;
  return http === 'POST' || (state.era === 'legacy' && (http === 'GET' || http === 'DELETE'));
}

function sessionOf({ transport }: ServerState, { url = '/', headers }: NodeRequest): string | undefined {
  if (transport === 'sse') return new URL(url, 'http://localhost').searchParams.get('session') ?? undefined;
  const session = headers['mcp-session-id'];
  return typeof session === 'string' ? session : undefined;
}

function isRequest({ method, id }: Entry): boolean {
  return method !== undefined && id !== undefined;
}

/** Undefined when the client went away, or never stops. */
function readBody(request: NodeRequest): Promise<string | undefined> {
  return new Promise((resolve) => {
    const decoder = new TextDecoder();
    let text = '';
    let size = 0;
    request.on('data', (chunk) => {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) request.destroy();
      else text += decoder.decode(chunk, { stream: true });
    });
    request.on('end', () => resolve(text + decoder.decode()));
    request.on('close', () => resolve(undefined));
    request.on('error', () => resolve(undefined));
  });
}

function parse(body: string): Message | undefined {
  const value = quietly<unknown>(() => JSON.parse(body));
  return isRecord(value) ? value : undefined;
}
