import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from './http-host.js';
import { isRecord } from './rpc-text.js';

/** Requests beyond this many are answered but not recorded. */
const MAX_RECORDS = 50_000;

/** One HTTP request that reached a test server. */
export interface RecordedRequest {
  /** HTTP method. */
  readonly http: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** JSON-RPC method; absent for GET, DELETE, responses and bodies that are no JSON. */
  readonly method?: string;
  readonly params?: unknown;
  /** JSON-RPC id; absent for notifications. */
  readonly id?: unknown;
  /** The body as it came. */
  readonly body: string;
  /** `Date.now()` at arrival. */
  readonly at: number;
  /** HTTP status of the answer; 0 while none was sent. */
  readonly status: number;
  /** The response is over, in whatever way. */
  readonly closed: boolean;
  /** The client closed the connection before the response was finished. */
  readonly closedEarly: boolean;
  /** `Date.now()` at the end of the response. */
  readonly closedAt?: number;
}

export interface Recorder {
  readonly requests: readonly RecordedRequest[];
  /** How many requests had this JSON-RPC method, or this HTTP method (`GET`, `DELETE`). */
  count(method: string): number;
  find(method: string): RecordedRequest | undefined;
  /** Responses that are not over. */
  pending(): number;
  reset(): void;
  /** Reads and records a request. Answers the control endpoint itself and then resolves with `undefined`. */
  accept(request: IncomingMessage, response: ServerResponse): Promise<RecordedRequest | undefined>;
}

/**
 * Records requests. `GET /__requests` answers with them as JSON, `POST /__reset` forgets them; so a test that runs
 * outside Node can count too. Control requests are not recorded.
 */
export function createRecorder(): Recorder {
  let requests: RecordedRequest[] = [];
  const named = (method: string) => (entry: RecordedRequest) => (entry.method ?? entry.http) === method;
  return {
    get requests() {
      return requests;
    },
    count: (method) => requests.filter(named(method)).length,
    find: (method) => requests.find(named(method)),
    pending: () => requests.filter((entry) => !entry.closed).length,
    reset: () => {
      requests = [];
    },
    accept: async (request, response) => {
      const url = request.url ?? '/';
      if (url === '/__requests') {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(requests));
        return undefined;
      }
      if (url === '/__reset') {
        requests = [];
        response.writeHead(204).end();
        return undefined;
      }
      const at = Date.now();
      const body = await readBody(request);
      const message = parse(body);
      const entry = {
        http: request.method ?? '',
        url,
        headers: request.headers,
        ...(typeof message?.method === 'string' ? { method: message.method } : {}),
        ...(message && 'params' in message ? { params: message.params } : {}),
        ...(message && 'id' in message ? { id: message.id } : {}),
        body,
        at,
        status: 0,
        closed: false,
        closedEarly: false,
      };
      response.on('close', () => {
        const closedAt = Date.now();
        Object.assign(entry, { closed: true, closedEarly: !response.writableFinished, closedAt });
        if (response.headersSent) entry.status = response.statusCode;
      });
      if (requests.length < MAX_RECORDS) requests.push(entry);
      return entry;
    },
  };
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
