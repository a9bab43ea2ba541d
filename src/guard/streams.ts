import { type McpError, McpLimitError } from '../core/errors.js';
import type { Exchange, ExchangeFacts } from './exchange.js';

/** What happens around the body of an event stream; see `AnswerContext`. */
export interface StreamWatch {
  readonly onBodyEnd?: (() => void) | undefined;
  readonly prelude?: Uint8Array | undefined;
}

/** Sends the request for a stream, as often as it is called. */
export type OpenStream = (exchange: Exchange | undefined, watch: StreamWatch) => Promise<Response>;

/** The optional stream for what a server says unasked (L7). */
export interface NoticeStream {
  /** Waits for its turn; whether the stream may be opened then. */
  mayOpen(): Promise<boolean>;
  opened(): void;
  /** It ended, or could not be opened. */
  lost(): void;
  /** The server answered with this status instead. */
  refused(status: number): void;
}

/** How often in a row a call's stream is taken up again and brings nothing, before its answer is given up. */
const RESUMPTIONS = 2;
/** A resumed stream that stays open for as long may still bring something. */
const HOPEFUL_MS = 1_000;

/** By this status the SDK knows that there is no stream, and asks for none again. */
const NO_STREAM = 405;
const noStream = () => new Response(null, { status: NO_STREAM });

/**
 * Takes the event stream of a call up again. The call has been delivered: what its stream is answered with says nothing
 * about that, and the facts of the call stay what they were (C5).
 */
export async function resumeStream(exchange: Exchange, lastEventId: string, open: OpenStream): Promise<Response> {
  const { facts } = exchange;
  const hopeless = () => (facts.barren ?? 0) >= RESUMPTIONS;
  if (exchange.over || facts.failure !== undefined || hopeless()) return noStream();
  facts.barren = (facts.barren ?? 0) + 1;
  let openedAt = Number.POSITIVE_INFINITY;
  const onBodyEnd = () => {
    if (Date.now() - openedAt >= HOPEFUL_MS) facts.barren = 0;
  };
  try {
    const response = await open(resumptionOf(exchange), { onBodyEnd, prelude: primed(lastEventId) });
    openedAt = Date.now();
    return response.ok || !hopeless() ? response : noStream();
  } catch (error) {
    if (hopeless()) return noStream();
    throw error;
  }
}

/** The exchange as the request for its stream may see it. */
function resumptionOf(exchange: Exchange): Exchange {
  const facts: ExchangeFacts = { sent: true, carriedSession: false };
  Object.defineProperty(facts, 'failure', {
    get: () => exchange.facts.failure,
    // An answer that is too large is one; any other refusal of ours leaves open what became of the call.
    set(failure: McpError) {
      if (failure instanceof McpLimitError) exchange.facts.failure = failure;
    },
  });
  return {
    requestId: exchange.requestId,
    handshake: false,
    signal: exchange.signal,
    get answered() {
      return exchange.answered === true;
    },
    get over() {
      return exchange.over === true;
    },
    facts,
  };
}

/** The SDK remembers event ids for one stream only: of one that brings no event it would not know where to go on. */
function primed(lastEventId: string): Uint8Array {
  return new TextEncoder().encode(`id: ${lastEventId}\ndata:\n\n`);
}

/** Opens the stream for what a server says unasked, for as long as it takes (L7). */
export async function openNotices(
  notices: NoticeStream | undefined,
  lastEventId: string | null,
  open: OpenStream,
): Promise<Response> {
  const prelude = lastEventId === null ? undefined : primed(lastEventId);
  while (notices !== undefined && (await notices.mayOpen())) {
    const response = await open(undefined, { prelude, onBodyEnd: notices.lost }).catch(() => undefined);
    if (response?.ok) notices.opened();
    else if (response !== undefined) notices.refused(response.status);
    if (response?.ok || response?.status === NO_STREAM) return response;
    notices.lost();
  }
  return noStream();
}
