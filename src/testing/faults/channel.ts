import type { NodeResponse } from './node-http.js';
import type { NoticeStream } from './notices.js';
import { eventText, type Message } from './rpc.js';

/** The way by which one HTTP request, and the JSON-RPC message in it, is answered. Writing to what is gone does nothing. */
export interface Channel {
  /** Answers the HTTP request itself, with no message or a wrong one. */
  plain(status: number, headers: Readonly<Record<string, string>>, body?: string): void;
  /** The event stream for messages, begun if need be; undefined when it is gone. */
  stream(): NodeResponse | undefined;
  /** Begins the answer as {@link compose} would and says nothing yet. */
  begin(): void;
  /** Begins the answer and gives what is left to be written. */
  compose(messages: readonly Message[], status: number): Composed | undefined;
  /** In the HTTP+SSE transport: says that the request arrived. */
  acknowledge(): void;
  /** Ends the event stream as if all were said. */
  endStream(): void;
  /** Ends what was begun for a request that its client gave up. */
  dismiss(): void;
  /** Cuts the connection that the request came on. */
  killRequest(): void;
  /** Cuts the connection of the event stream. */
  killStream(): void;
  /** Whether the request's connection was cut from here. */
  killed(): boolean;
  /** Whether an answer was begun. */
  answered(): boolean;
}

export interface Composed {
  readonly target: NodeResponse;
  readonly text: string;
  /** The response ends with the text. */
  readonly last: boolean;
}

export interface ChannelOptions {
  readonly format: 'json' | 'sse';
  /** An event stream began. */
  onStream(response: NodeResponse): void;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** Streamable HTTP: the answer to the HTTP request carries the messages. */
export function createHttpChannel(reply: NodeResponse, { format, onStream }: ChannelOptions): Channel {
  let streaming = false;
  let killed = false;
  let answered = false;
  const stream = (): NodeResponse | undefined => {
    if (!streaming && isFresh(reply)) {
      streaming = true;
      beginStream(reply);
      onStream(reply);
    }
    return writable(reply);
  };
  /** Begins an answer of one or several messages; false where it is an event stream. */
  const beginJson = (status: number, count: number): boolean => {
    if (streaming || (status === 200 && (format === 'sse' || count > 1))) return false;
    if (isFresh(reply)) {
      reply.writeHead(status, JSON_TYPE);
      reply.flushHeaders();
    }
    return true;
  };
  const kill = (): void => {
    killed = true;
    reply.destroy();
  };
  return {
    stream,
    plain: (status, headers, body) => answerPlainly(reply, status, headers, body),
    begin: () => void (beginJson(200, 1) || stream()),
    compose(messages, status) {
      answered = true;
      const asJson = beginJson(status, messages.length);
      const target = asJson ? writable(reply) : stream();
      const text = asJson ? JSON.stringify(messages[0]) : eventsText(messages);
      return target === undefined ? undefined : { target, text, last: true };
    },
    acknowledge() {},
    endStream: () => void stream()?.end(),
    dismiss: () => (isFresh(reply) ? answerPlainly(reply, 202, {}) : void writable(reply)?.end()),
    killRequest: kill,
    killStream: kill,
    killed: () => killed,
    answered: () => answered,
  };
}

/** HTTP+SSE: the request is answered 202, and the messages go on the session's own stream, which stays open. */
export function createSseChannel(reply: NodeResponse, { response, cut }: NoticeStream): Channel {
  let killed = false;
  let answered = false;
  const acknowledge = (): void => answerPlainly(reply, 202, {});
  const stream = (): NodeResponse | undefined => {
    acknowledge();
    return writable(response);
  };
  return {
    stream,
    acknowledge,
    plain: (status, headers, body) => answerPlainly(reply, status, headers, body),
    begin: () => void stream(),
    compose(messages, status) {
      answered = true;
      if (status !== 200) {
        answerPlainly(reply, status, JSON_TYPE, JSON.stringify(messages[0]));
        return undefined;
      }
      const target = stream();
      return target === undefined ? undefined : { target, text: eventsText(messages), last: false };
    },
    endStream: () => void stream()?.end(),
    dismiss: acknowledge,
    killRequest() {
      killed = true;
      reply.destroy();
    },
    killStream: cut,
    killed: () => killed,
    answered: () => answered,
  };
}

function answerPlainly(
  reply: NodeResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body?: string,
): void {
  if (!isFresh(reply)) return;
  reply.writeHead(status, { ...headers });
  reply.end(body);
}

function eventsText(messages: readonly Message[]): string {
  return messages.map((message) => eventText(JSON.stringify(message))).join('');
}

function isFresh(response: NodeResponse): boolean {
  return !response.headersSent && !response.destroyed;
}

/** Sends the head of an event stream at once. */
function beginStream(response: NodeResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.flushHeaders();
}

/** The response, if anything can still be written to it. */
export function writable(response: NodeResponse): NodeResponse | undefined {
  return response.destroyed || response.writableEnded ? undefined : response;
}

export function say(response: NodeResponse | undefined, message: Message): void {
  if (response !== undefined) writable(response)?.write(eventText(JSON.stringify(message)));
}

/** Sends the last word on a channel. False when the stream for it is gone. */
export function finish(channel: Channel, messages: readonly Message[], status = 200): boolean {
  const composed = channel.compose(messages, status);
  if (composed === undefined) return false;
  if (composed.last) composed.target.end(composed.text);
  else composed.target.write(composed.text);
  return true;
}

/** Writes chunk by chunk, each when the one before it is with the system. Resolves also when the connection is gone. */
export function createWriter(response: NodeResponse): (chunk: string | Uint8Array) => Promise<void> {
  let go: (() => void) | undefined;
  response.on('close', () => go?.());
  return (chunk) =>
    new Promise((resolve) => {
      go = resolve;
      if (writable(response) === undefined) resolve();
      else response.write(chunk, resolve);
    });
}
