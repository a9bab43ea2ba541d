import { sleep } from '../../core/sleep.js';
import { bend } from './bend.js';
import { createWriter, finish, say } from './channel.js';
import { EFFECTS } from './choice.js';
import { type Acts, type Exchange, progressOf } from './exchange.js';
import { LOST_ACTS } from './lost.js';
import type { EffectTime, Fault, LostAnswer, WrongHttp, WrongMessage, WrongStream } from './plan.js';
import { REFUSAL_ACTS } from './refusals.js';
import { type Answer, notification } from './rpc.js';
import { untilAborted } from './tools.js';

/** Answers a request wrongly. */
export function act(fault: Fault, exchange: Exchange): Promise<void> {
  if (isWithheld(fault)) return withhold(fault, exchange);
  // Where no message is due there is none to be said wrongly; it can still be late.
  if (fault.kind !== 'delay' && exchange.entry.id === undefined) return exchange.proceed();
  if (fault.kind !== 'delay') exchange.channel.acknowledge();
  return isWrongStream(fault) ? actOf(STREAM_ACTS, fault, exchange) : sayWrongly(fault, exchange);
}

function isWithheld(fault: Fault): fault is LostAnswer | WrongHttp {
  return EFFECTS[fault.kind] !== undefined;
}

function isWrongStream(fault: WrongMessage | WrongStream): fault is WrongStream {
  return Object.hasOwn(STREAM_ACTS, fault.kind);
}

/** The method runs before or after the fault shows, or never; its answer is not sent. */
async function withhold(fault: LostAnswer | WrongHttp, exchange: Exchange): Promise<void> {
  const when: EffectTime = fault.effect ?? EFFECTS[fault.kind] ?? 'none';
  exchange.mute();
  if (when === 'before') await exchange.run();
  if (exchange.closing()) return;
  await actOf({ ...LOST_ACTS, ...REFUSAL_ACTS }, fault, exchange);
  if (when === 'after') await exchange.run();
}

async function sayWrongly(fault: WrongMessage, exchange: Exchange): Promise<void> {
  const { channel, entry } = exchange;
  const answer = await exchange.run();
  // What opens a stream has no answer to be said wrongly.
  if (answer === undefined) return exchange.proceed();
  if (!exchange.signal.aborted) finish(channel, bend(fault, answer.message, entry), answer.status);
}

const STREAM_ACTS: Acts<WrongStream['kind'], Promise<void>> = {
  async delay({ ms = 100 }, exchange) {
    await sleep(ms, exchange.signal);
    await exchange.proceed();
  },
  async 'late-answer'({ afterMs = 20 }, exchange) {
    const { channel, entry, host } = exchange;
    const answer = await exchange.run();
    if (answer === undefined) return exchange.proceed();
    await untilAborted(exchange.signal);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    if (exchange.closing()) return;
    const heard = finish(channel, [answer.message]);
    if (!heard && entry.session !== undefined) host.notify(answer.message, entry.session);
  },
  async 'slow-drip'({ bytes = 1, everyMs = 10 }, exchange) {
    const answer = await exchange.run();
    if (answer === undefined) return exchange.proceed();
    if (!exchange.signal.aborted) await drip(exchange, answer, { bytes, everyMs });
  },
  async 'progress-flood'({ count = 1_000 }, exchange) {
    const { channel, entry } = exchange;
    for (let step = 1; step <= count; step++) say(channel.stream(), progressOf(entry, step, count));
    await exchange.proceed();
  },
  async 'list-changed-storm'({ count = 100, on = 'call' }, exchange) {
    const { channel, entry, host } = exchange;
    const message = notification('notifications/tools/list_changed');
    for (let sent = 0; sent < count; sent++) {
      if (on === 'call') say(channel.stream(), message);
      else host.notify(message, entry.session);
    }
    await exchange.proceed();
  },
};

async function drip(
  { channel, signal }: Exchange,
  { message, status }: Answer,
  { bytes, everyMs }: { readonly bytes: number; readonly everyMs: number },
): Promise<void> {
  const composed = channel.compose([message], status);
  if (composed === undefined) return;
  const write = createWriter(composed.target);
  const all = new TextEncoder().encode(composed.text);
  for (let at = 0; at < all.length && !signal.aborted; at += bytes) {
    await write(all.subarray(at, at + bytes));
    await sleep(everyMs, signal);
  }
  if (composed.last) composed.target.end();
}

/** The table has one act for each kind, which the compiler cannot follow through a union. */
function actOf<Kind extends Fault['kind'], Result>(
  acts: Acts<Kind, Result>,
  fault: Fault & { readonly kind: Kind },
  exchange: Exchange,
): Result {
  return (acts[fault.kind] as (fault: Fault, exchange: Exchange) => Result)(fault, exchange);
}
