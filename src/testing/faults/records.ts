import type { FaultKind } from './plan.js';
import { type Message, recordOf } from './rpc.js';

/** Requests beyond this many are served and not recorded. */
const MAX_RECORDS = 200_000;

/** One HTTP request that reached a fault server. */
export interface FaultRequest {
  /** The HTTP method. */
  readonly http: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON-RPC method; absent for GET, DELETE, answers and bodies that hold no message. */
  readonly method?: string;
  /** The JSON-RPC id; absent for notifications. */
  readonly id?: unknown;
  readonly params?: unknown;
  /** The raw name of the tool that is called. */
  readonly tool?: string;
  /** The argument `key`, else `params._meta.idempotencyKey`. */
  readonly key?: string;
  /** `params._meta.idempotencyKey`. */
  readonly idempotencyKey?: string;
  /** The session that the request names. */
  readonly session?: string;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
  /** The fault it met. */
  readonly fault?: FaultKind;
  /** The status of the answer; absent while none was sent. */
  readonly status?: number;
  /** The HTTP response is over, in whatever way. */
  readonly ended: boolean;
  /** The client closed the connection before the response was over. */
  readonly closedEarly: boolean;
}

/** One run of the tool `effect`. */
export interface EffectRun {
  readonly key: string;
  readonly idempotencyKey?: string;
  readonly id: unknown;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A request that the client gave up, also a `subscriptions/listen` whose stream it closed. */
export interface Cancellation {
  /** The JSON-RPC id. */
  readonly id: unknown;
  /** By `notifications/cancelled`, or by closing the stream or connection before an answer was on it. */
  readonly by: 'notification' | 'stream';
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Everything a fault server counts. The arrays and the map are live. */
export interface Records {
  readonly requests: readonly FaultRequest[];
  /** How often the effect ran for each key. */
  readonly effects: ReadonlyMap<string, number>;
  /** The runs in their order. */
  readonly effectLog: readonly EffectRun[];
  readonly cancelled: readonly Cancellation[];
  accept(request: Arrival): Entry;
  runEffect(key: string, request: FaultRequest): void;
  cancel(id: unknown, by: Cancellation['by']): void;
  /** Forgets all of it. */
  reset(): void;
}

export interface Arrival {
  readonly http: string;
  readonly path: string;
  readonly headers: FaultRequest['headers'];
  readonly message: Message | undefined;
  readonly session: string | undefined;
}

/** A record while its request is under way. */
export type Entry = { -readonly [Field in keyof FaultRequest]: FaultRequest[Field] };

/** With `deduplicates`, an effect with an idempotency key that has run does not run again. */
export function createRecords(deduplicates: boolean): Records {
  const requests: FaultRequest[] = [];
  const effects = new Map<string, number>();
  const effectLog: EffectRun[] = [];
  const cancelled: Cancellation[] = [];
  const done = new Set<string>();
  return {
    requests,
    effects,
    effectLog,
    cancelled,
    accept(arrival) {
      const entry = readArrival(arrival);
      if (requests.length < MAX_RECORDS) requests.push(entry);
      return entry;
    },
    runEffect(key, { idempotencyKey, id }) {
      if (idempotencyKey !== undefined) {
        if (deduplicates && done.has(idempotencyKey)) return;
        done.add(idempotencyKey);
      }
      effects.set(key, (effects.get(key) ?? 0) + 1);
      effectLog.push({ key, id, at: Date.now(), ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
    },
    cancel: (id, by) => void cancelled.push({ id, by, at: Date.now() }),
    reset() {
      for (const list of [requests, effectLog, cancelled]) list.length = 0;
      for (const counted of [effects, done]) counted.clear();
    },
  };
}

function readArrival({ http, path, headers, message = {}, session }: Arrival): Entry {
  const params = recordOf(message.params);
  const { key } = recordOf(params.arguments);
  const { idempotencyKey } = recordOf(params._meta);
  const tool = message.method === 'tools/call' ? params.name : undefined;
  return {
    http,
    path,
    headers,
    ...present('method', text(message.method)),
    ...present('id', message.id),
    ...present('params', message.params),
    ...present('tool', text(tool)),
    ...present('key', text(key) ?? text(idempotencyKey)),
    ...present('idempotencyKey', text(idempotencyKey)),
    ...present('session', session),
    at: Date.now(),
    ended: false,
    closedEarly: false,
  };
}

function present<Name extends string, Value>(name: Name, value: Value | undefined): { [Key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: Value });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
