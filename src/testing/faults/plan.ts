/** What a fault server does wrong, and to which requests. A plan is plain data: it survives JSON. */
export type FaultPlan = readonly FaultRule[] | FaultScript;

export interface FaultScript {
  /** Looked at in order; the first that hits a request decides. Default: none. */
  readonly rules?: readonly FaultRule[];
  /** For the requests that no rule hits. Default: none. */
  readonly random?: RandomFaults;
}

export interface FaultRule {
  /** Default: every JSON-RPC request, the handshake's included. */
  readonly match?: FaultMatch;
  readonly fault: Fault;
}

/** Which requests a rule hits. Every rule counts for itself, also the requests that an earlier rule hit. */
export interface FaultMatch {
  /**
   * A JSON-RPC method, or `GET` or `DELETE` for a request that carries no message, or `*` for everything. Notifications
   * and requests without a message are hit only where named so. Default: `tools/call` with `tool`, else any request.
   */
  readonly method?: string;
  /** A tool's name as the server knows it. */
  readonly tool?: string;
  /** The first request that is hit, counted from 1 among those that match. Default: `every`, else 1. */
  readonly nth?: number;
  /** From the first on, each so manieth one. Default 1. */
  readonly every?: number;
  /** How many requests are hit at most. Default: 1 where only `nth` is given, else no limit. */
  readonly times?: number;
}

/** Faults drawn by a seeded generator: one seed gives one sequence, in the order in which requests arrive. */
export interface RandomFaults {
  /** An integer. */
  readonly seed: number;
  /** How often each kind is drawn, relative to the sum; `none` is for no fault. Kinds left out are never drawn. */
  readonly weights: Readonly<Partial<Record<FaultKind | 'none', number>>>;
  /** Default: every JSON-RPC request, the handshake's included. */
  readonly match?: FaultMatch;
  /** Stand for their kinds in place of the kinds' defaults; several of one kind are drawn evenly. */
  readonly faults?: readonly Fault[];
}

export type Fault = LostAnswer | WrongHttp | WrongMessage | WrongStream;
export type FaultKind = Fault['kind'];

/**
 * When the tool's effect happens: `before` the fault shows, `after` it (a server that works on), or `none`, never. Without
 * a tool call it says when the method is run.
 */
export type EffectTime = 'before' | 'after' | 'none';

/** Faults in which no answer comes. The effect happens `before` by default. */
export type LostAnswer = { readonly effect?: EffectTime } & (
  | { readonly kind: 'dead-before-headers' }
  /** The headers have arrived and the connection dies. */
  | { readonly kind: 'dead-after-headers' }
  /** So many progress notifications have arrived on the event stream (default 1) and the connection dies. */
  | { readonly kind: 'dead-after-event'; readonly events?: number }
  /** After so many progress notifications (default 0) the event stream ends as if all were said. */
  | { readonly kind: 'half-closed'; readonly events?: number }
  /** Every connection dies, and none is accepted for `forMs` (default 200). Sessions are forgotten unless `keepSessions`. */
  | { readonly kind: 'refuse-connections'; readonly forMs?: number; readonly keepSessions?: boolean }
  /** The connection stays open and nothing is ever said on it, no headers either. */
  | { readonly kind: 'silent' }
  /** The headers of an event stream, and nothing more. */
  | { readonly kind: 'never-answers' }
  /**
   * An event whose line does not end, `chunkBytes` (default 65,536) every `everyMs` (default 1) until `maxBytes` (default
   * 64 MiB), after which nothing more comes.
   */
  | {
      readonly kind: 'endless-line';
      readonly chunkBytes?: number;
      readonly everyMs?: number;
      readonly maxBytes?: number;
    }
);

/** Answers that HTTP, and not the tool, gives. The effect happens never by default: the request is refused. */
export type WrongHttp = {
  readonly effect?: EffectTime;
} /** A good status (default 200) with a body (default a page) of `contentType` (default `text/html`). */ & (
  | { readonly kind: 'not-json'; readonly status?: number; readonly body?: string; readonly contentType?: string }
  /** `application/json` with nothing in it. */
  | { readonly kind: 'empty-200' }
  /** What is due to a notification, given to a request. */
  | { readonly kind: 'accepted-202' }
  /** A JSON-RPC error: `status` default 200, `code` default -32603, `id` default the request's own. */
  | {
      readonly kind: 'rpc-error';
      readonly status?: number;
      readonly code?: number;
      readonly message?: string;
      readonly data?: unknown;
      readonly id?: 'ours' | 'null' | 'absent' | 'other';
    }
  /** A status (default 500) that carries no message: `body` default `none`. */
  | { readonly kind: 'http-error'; readonly status?: number; readonly body?: 'none' | 'html' | 'text' | 'json' }
  /**
   * The session is forgotten: 404 (default) or 400, with a JSON-RPC error whose id is null (default), absent, or
   * without a body (`none`).
   */
  | { readonly kind: 'session-expired'; readonly status?: 404 | 400; readonly id?: 'null' | 'absent' | 'none' }
  /** 400 and -32020, as a 2026-07-28 server answers headers that are unlike the body. */
  | { readonly kind: 'header-mismatch' }
  /** 400 and -32022; `supported` default `['2026-07-28']`. */
  | { readonly kind: 'unsupported-version'; readonly supported?: readonly string[] }
  /** 401 (default) or 403; `challenge` is the `WWW-Authenticate` header (default `Bearer` with 401, none with 403). */
  | { readonly kind: 'unauthorized'; readonly status?: 401 | 403; readonly challenge?: string }
  /**
   * `status` default 307. `location` default the same path with `?redirected`; no fault hits a request there, so that
   * it is answered. Give the path itself for a loop.
   */
  | { readonly kind: 'redirect'; readonly status?: 301 | 302 | 303 | 307 | 308; readonly location?: string }
);

/** The method runs as it should, and what is said of it is wrong. */
export type WrongMessage =
  /** Default of `id`: the request's own plus 1,000, or with a suffix. */
  | { readonly kind: 'wrong-id'; readonly id?: string | number | null }
  /** The request's own id as a string where it is a number, and the other way round. */
  | { readonly kind: 'other-id-type' }
  /** `times` (default 2) answers with one id, on an event stream; with `differ` (default false) no two are alike. */
  | { readonly kind: 'duplicate-answer'; readonly times?: number; readonly differ?: boolean }
  | { readonly kind: 'no-result-type' }
  /** Default of `value`: `'unheard-of'`. */
  | { readonly kind: 'odd-result-type'; readonly value?: unknown }
  /** The answer is padded with text to `bytes`, default 33 MiB. */
  | { readonly kind: 'oversized-body'; readonly bytes?: number }
  /**
   * `tools/list` always names a next page. Its cursor is a `fresh` one (default), or comes round again after `period`
   * (default 1) pages. Each page after the first has `toolsPerPage` (default 1) tools, named by the cursor.
   */
  | {
      readonly kind: 'endless-pages';
      readonly cursors?: 'fresh' | 'cycle';
      readonly period?: number;
      readonly toolsPerPage?: number;
    };

/** The answer is right, and how or when it comes is not. */
export type WrongStream =
  /** `ms` (default 100) pass before the request is looked at. */
  | { readonly kind: 'delay'; readonly ms?: number }
  /**
   * The answer comes `afterMs` (default 20) after the client cancelled: on the request's own stream where that is still
   * open, else on the session's notice stream, else nowhere.
   */
  | { readonly kind: 'late-answer'; readonly afterMs?: number }
  /** The answer comes in pieces of `bytes` (default 1) every `everyMs` (default 10). */
  | { readonly kind: 'slow-drip'; readonly bytes?: number; readonly everyMs?: number }
  /** `count` (default 1,000) progress notifications at once, before the answer. */
  | { readonly kind: 'progress-flood'; readonly count?: number }
  /** `count` (default 100) `list_changed` notifications at once, on the stream of the `call` (default) or of `notices`. */
  | { readonly kind: 'list-changed-storm'; readonly count?: number; readonly on?: 'call' | 'notices' };
