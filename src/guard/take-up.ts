import type { Exchange } from './exchange.js';

/** How often a call's event stream is asked for after one and the same event. */
const MOST_TRIES = 2;

/**
 * Takes the broken event stream of a call up again, with `open`. What comes of it says nothing of the call itself, which was
 * delivered (C5). Where it fails for the last time, and where nobody waits for the stream any more, the answer is the status
 * by which the SDK lets it be.
 */
export async function takeUp(
  exchange: Exchange,
  lastEventId: string,
  open: () => Promise<Response>,
): Promise<Response> {
  const { facts } = exchange;
  const tries = (facts.takenUp ?? 0) + 1;
  if (exchange.over || facts.failure !== undefined || tries > MOST_TRIES) return letBe();
  facts.takenUp = tries;
  const isLast = tries === MOST_TRIES;
  try {
    const response = await open();
    if (response.ok) return startingAfter(lastEventId, response);
    return isLast ? letBe() : response;
  } catch (error) {
    if (isLast && facts.failure === undefined) return letBe();
    throw error;
  }
}

function letBe(): Response {
  return new Response(null, { status: 405 });
}

/**
 * The SDK forgets the last event of the stream before. It is told again, so that a stream that breaks off before an event of
 * its own is taken up from there, and not taken for the one of change notices.
 */
function startingAfter(lastEventId: string, { body, status, headers }: Response): Response {
  const isStream = headers.get('content-type')?.includes('event-stream') === true;
  if (body === null || !isStream) return new Response(body, { status, headers });
  const event = new TextEncoder().encode(`id: ${lastEventId}\ndata:\n\n`);
  const told = new TransformStream<Uint8Array, Uint8Array>({ start: (controller) => controller.enqueue(event) });
  return new Response(body.pipeThrough(told), { status, headers });
}
