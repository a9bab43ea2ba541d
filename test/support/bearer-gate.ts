import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { listen } from './http-host.js';
import { createRecorder, type Recorder } from './recorder.js';

export interface BearerGate extends Omit<Recorder, 'accept'> {
  /** The server's URL, through the gate. */
  readonly url: string;
  /** From now on these tokens alone let a request through; any other is answered with 401. */
  accept(...tokens: string[]): void;
  /** The tokens of the requests so far, in their order; `''` where a request had none. */
  tokens(): readonly string[];
  close(): Promise<void>;
}

/** A proxy that stands before a server and wants a bearer token of every request. It records all that it sees. */
export async function startBearerGate(
  target: { readonly url: string },
  { accepts = () => true }: { readonly accepts?: (token: string) => boolean } = {},
): Promise<BearerGate> {
  let admits = accepts;
  const recorder = createRecorder();
  const host = await listen(async (incoming, response) => {
    const entry = await recorder.accept(incoming, response);
    if (entry === undefined) return;
    if (admits(tokenOf(entry.headers.authorization))) return pass(incoming, response, entry.body);
    response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end('Sorry.');
  });

  function pass({ url = '/', method, headers }: IncomingMessage, response: ServerResponse, body: string): void {
    const { host: _host, authorization: _authorization, ...rest } = headers;
    const onward = request(new URL(url, target.url), { method, headers: rest, agent: false });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.on('error', () => response.destroy());
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    onward.end(body);
  }

  const { pathname } = new URL(target.url);
  return {
    get requests() {
      return recorder.requests;
    },
    url: host.origin + pathname,
    count: recorder.count,
    find: recorder.find,
    pending: recorder.pending,
    reset: recorder.reset,
    accept: (...tokens) => {
      admits = (token) => tokens.includes(token);
    },
    tokens: () => recorder.requests.map(({ headers }) => tokenOf(headers.authorization)),
    close: host.close,
  };
}

export function tokenOf(authorization: string | string[] | undefined): string {
  return typeof authorization === 'string' && authorization.startsWith('Bearer ') ? authorization.slice(7) : '';
}
