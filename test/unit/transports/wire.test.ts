import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EXCHANGE_HEADER } from '../../../src/guard/exchange.js';
import { createExchanges } from '../../../src/transports/exchanges.js';
import { wrapTransport } from '../../../src/transports/wire.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Sent {
  readonly message: JSONRPCMessage;
  readonly options: TransportSendOptions;
}

/** A wrapped transport over one that only records; `send` decides how each send settles. */
function wired({
  keyed = true,
  isProcess = false,
  send = async () => {},
}: {
  keyed?: boolean;
  isProcess?: boolean;
  send?: (message: JSONRPCMessage) => Promise<void>;
} = {}) {
  const exchanges = createExchanges();
  const sent: Sent[] = [];
  const inner: Transport = {
    start: async () => {},
    close: async () => {},
    send: (message, options = {}) => {
      sent.push({ message, options });
      return send(message);
    },
  };
  let lost = 0;
  const options = {
    exchanges,
    tied: keyed,
    keyed,
    isProcess,
    onHandshakeLost: () => void lost++,
    onToolsChanged() {},
  };
  const wire = wrapTransport(inner, options);
  const seen: unknown[] = [];
  wire.onmessage = (message) => void seen.push(message);
  const answer = (message: unknown) => inner.onmessage?.(message as JSONRPCMessage);
  /** Sends a request under an exchange of its own, as a link does. */
  const request = (id: string | number, method = 'tools/call') => {
    const pending = exchanges.open();
    const done = wire.send(
      { jsonrpc: '2.0', id, method },
      { headers: { [EXCHANGE_HEADER]: pending.key, 'x-mine': '1' } },
    );
    return { pending, done };
  };
  return { wire, inner, exchanges, sent, seen, answer, request, lost: () => lost };
}

const RAW = { content: [{ type: 'novel' }], structuredContent: 5, __odd: null };

describe('an answer', () => {
  it('R2 is kept raw, and the parser is shown an empty valid one', () => {
    const { request, answer, seen } = wired();
    const { pending } = request(1);
    answer({ jsonrpc: '2.0', id: 1, result: RAW });
    expect(pending).toMatchObject({ answered: true });
    expect(pending.result).toBe(RAW);
    expect(seen).toEqual([{ jsonrpc: '2.0', id: 1, result: { resultType: 'complete', content: [] } }]);
  });

  it('R2 of a list is kept raw too, and of anything else passes', () => {
    const { request, answer, seen } = wired();
    const list = request(1, 'tools/list').pending;
    answer({ jsonrpc: '2.0', id: 1, result: { tools: 'none' } });
    expect(list.result).toEqual({ tools: 'none' });
    expect(seen[0]).toMatchObject({ result: { tools: [] } });
    request(2, 'ping');
    answer({ jsonrpc: '2.0', id: 2, result: { any: 1 } });
    expect(seen[1]).toEqual({ jsonrpc: '2.0', id: 2, result: { any: 1 } });
  });

  it('R1 that is an error is kept and passes', () => {
    const { request, answer, seen } = wired();
    const { pending } = request(1);
    const error = { code: -32050, message: 'no', data: { a: 1 } };
    answer({ jsonrpc: '2.0', id: 1, error });
    expect(pending.rpcError).toEqual(error);
    expect(pending.result).toBeUndefined();
    expect(seen).toEqual([{ jsonrpc: '2.0', id: 1, error }]);
  });

  it.each([
    ['another id', { jsonrpc: '2.0', id: 2, result: RAW }],
    ['the id as text', { jsonrpc: '2.0', id: '1', result: RAW }],
    ['no id', { jsonrpc: '2.0', result: RAW }],
    ['a null id', { jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } }],
    ['nothing', null],
    ['a text', 'hello'],
    ['a batch', [{ jsonrpc: '2.0', id: 1, result: RAW }]],
  ])('R1 with %s is for nobody', (_, message) => {
    const { request, answer, seen } = wired();
    const { pending } = request(1);
    answer(message);
    expect(pending.answered).toBe(false);
    expect(seen).toEqual([]);
    // The right one is still taken.
    answer({ jsonrpc: '2.0', id: 1, result: RAW });
    expect(pending.answered).toBe(true);
  });

  it('R1 that comes twice counts once, and late ones are dropped', () => {
    const { request, answer, seen, exchanges } = wired();
    const { pending } = request(1);
    answer({ jsonrpc: '2.0', id: 1, result: RAW });
    answer({ jsonrpc: '2.0', id: 1, result: { content: 'other' } });
    answer({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } });
    expect(seen).toHaveLength(1);
    expect(pending.result).toBe(RAW);
    expect(pending.rpcError).toBeUndefined();
    const given = request(2);
    exchanges.release(given.pending);
    answer({ jsonrpc: '2.0', id: 2, result: RAW });
    expect(given.pending.answered).toBe(false);
    expect(seen).toHaveLength(1);
  });

  it('R1 1 and "1" are two requests', () => {
    const { request, answer } = wired();
    const number = request(1).pending;
    const text = request('1').pending;
    answer({ jsonrpc: '2.0', id: '1', result: { content: ['text'] } });
    expect([number.answered, text.answered]).toEqual([false, true]);
    answer({ jsonrpc: '2.0', id: 1, result: { content: ['number'] } });
    expect(number.result).toEqual({ content: ['number'] });
  });

  it('requests and notices of the server pass', () => {
    const { answer, seen } = wired();
    const messages = [
      { jsonrpc: '2.0', id: 9, method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/message', params: {} },
    ];
    for (const message of messages) answer(message);
    expect(seen).toEqual(messages);
  });
});

describe('what goes out', () => {
  it('carries its exchange to our own fetch, and to nothing else', async () => {
    const own = wired();
    const { pending, done } = own.request(1);
    await done;
    expect(own.sent[0]!.options.headers).toEqual({ [EXCHANGE_HEADER]: pending.key, 'x-mine': '1' });
    const foreign = wired({ keyed: false });
    const other = foreign.request(1);
    await other.done;
    expect(foreign.sent[0]!.options.headers).toEqual({ 'x-mine': '1' });
    // Whatever was handed over to it may have been delivered.
    expect(other.pending.facts.sent).toBe(true);
  });

  it('C2 has a signal of its own, but where the guard ends it: the SDK would keep something of each', async () => {
    const guarded = wired();
    expect(guarded.request(1).pending.signal.aborted).toBe(false);
    expect(guarded.sent[0]!.options).not.toHaveProperty('requestSignal');
    const { request, sent } = wired({ keyed: false });
    const first = request(1).pending;
    request(2);
    const [one, two] = sent.map(({ options }) => options.requestSignal!);
    first.abort();
    expect([one!.aborted, two!.aborted]).toEqual([true, false]);
  });

  it('that fails to be sent is forgotten', async () => {
    const { request, answer, seen } = wired({ send: () => Promise.reject(new Error('down')) });
    const { done } = request(1);
    await expect(done).rejects.toThrow('down');
    answer({ jsonrpc: '2.0', id: 1, result: RAW });
    expect(seen).toEqual([]);
  });

  it.each([true, false])(
    'C4 that a transport refuses has surely not left where it is a process: %s',
    async (isProcess) => {
      const send = () => Promise.reject(new Error('no reader'));
      const { request } = wired({ keyed: false, isProcess, send });
      const { pending, done } = request(1);
      await expect(done).rejects.toThrow('no reader');
      expect(pending.facts.sent).toBe(!isProcess);
    },
  );

  it.each([
    [400, true],
    [404, true],
    [405, true],
    [401, false],
    [403, false],
    [500, false],
    ['ECONNRESET', false],
  ])('W7 a probe that a 1.x transport throws %s for goes on to the older handshake: %s', async (code, goesOn) => {
    const send = () => Promise.reject(Object.assign(new Error('refused'), { code }));
    const { wire, seen } = wired({ keyed: false, send });
    const done = wire.send({ jsonrpc: '2.0', id: 'p', method: 'server/discover' });
    if (goesOn) await done;
    else await expect(done).rejects.toThrow('refused');
    expect(seen).toEqual(
      goesOn ? [expect.objectContaining({ id: 'p', error: expect.objectContaining({ code: -32601 }) })] : [],
    );
    // Any other request fails as it did.
    await expect(wire.send({ jsonrpc: '2.0', id: 1, method: 'initialize' })).rejects.toThrow('refused');
  });
});

describe('a response that ends', () => {
  it('without an answer rejects the request at once', async () => {
    const { request, sent, seen } = wired();
    const { pending, done } = request(1);
    pending.facts.status = 200;
    pending.facts.body = 'event-stream';
    await done;
    expect(seen).toEqual([]);
    sent[0]!.options.onRequestStreamEnd!();
    expect(pending).toMatchObject({ ended: true, answered: false });
    expect(seen).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32000, message: expect.any(String) } }]);
    // It was not the server's error.
    expect(pending.rpcError).toBeUndefined();
  });

  it('and was no stream is over when it was sent', async () => {
    const exchangesSeen: unknown[] = [];
    const { request, seen } = wired({ send: async (message) => void exchangesSeen.push(message) });
    const { pending, done } = request(1);
    Object.assign(pending.facts, { status: 202, body: 'none' });
    await done;
    expect(pending.ended).toBe(true);
    expect(seen).toHaveLength(1);
  });

  it('of a handshake tells the connect, and not the parser', async () => {
    const { wire, sent, seen, lost } = wired();
    await wire.send({ jsonrpc: '2.0', id: 1, method: 'initialize' });
    sent[0]!.options.onRequestStreamEnd!();
    expect(lost()).toBe(1);
    expect(seen).toEqual([]);
  });

  it('after the answer changes nothing', async () => {
    const { request, answer, sent, seen } = wired();
    const { pending } = request(1);
    answer({ jsonrpc: '2.0', id: 1, result: RAW });
    sent[0]!.options.onRequestStreamEnd!();
    expect(pending.ended).toBe(false);
    expect(seen).toHaveLength(1);
  });

  it('does not after its answer: the stream is ended for it, and a closed connection leaves no timer', async () => {
    const { request, answer, exchanges } = wired();
    const stays = request(1).pending;
    stays.facts.body = 'event-stream';
    answer({ jsonrpc: '2.0', id: 1, result: RAW });
    expect(stays.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(stays.signal.aborted).toBe(true);
    exchanges.abortAll();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a cancel notice', () => {
  const cancel = (requestId: unknown): JSONRPCMessage =>
    ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }) as JSONRPCMessage;

  it('goes out before the stream of its request is ended', async () => {
    const order: string[] = [];
    const { wire, request, answer, seen } = wired({
      send: async (message) => {
        if ('method' in message) order.push(message.method);
      },
    });
    const { pending } = request(1);
    pending.facts.sent = true;
    pending.signal.addEventListener('abort', () => order.push('ended'));
    await wire.send(cancel(1));
    expect(order).toEqual(['tools/call', 'notifications/cancelled', 'ended']);
    answer({ jsonrpc: '2.0', id: 1, result: RAW });
    expect(seen).toEqual([]);
  });

  it('that hangs or fails ends the stream all the same', async () => {
    for (const outcome of [() => new Promise<never>(() => {}), () => Promise.reject(new Error('down'))]) {
      const { wire, request } = wired({
        send: (message) => ('method' in message && message.method === 'tools/call' ? Promise.resolve() : outcome()),
      });
      const { pending } = request(1);
      pending.facts.sent = true;
      const done = wire.send(cancel(1));
      await vi.advanceTimersByTimeAsync(1_000);
      await done;
      expect(pending.signal.aborted).toBe(true);
      expect(vi.getTimerCount()).toBe(0);
    }
  });

  it('C2 of a request that has not left the guard goes nowhere, and the request neither', async () => {
    const { wire, request, sent } = wired();
    const { pending } = request(1);
    await wire.send(cancel(1));
    expect(pending.signal.aborted).toBe(true);
    expect(sent.map(({ message }) => 'method' in message && message.method)).toEqual(['tools/call']);
  });

  it('for nobody harms nobody', async () => {
    const { wire, request } = wired();
    const { pending } = request(1);
    await wire.send(cancel('1'));
    await wire.send(cancel(undefined));
    expect(pending.signal.aborted).toBe(false);
  });
});

describe('the wrapper', () => {
  it('passes on what the transport is told and says', async () => {
    const { wire, inner } = wired();
    const told: unknown[] = [];
    inner.setProtocolVersion = (version) => void told.push(version);
    wire.setProtocolVersion?.('2025-11-25');
    wire.onclose = () => void told.push('closed');
    wire.onerror = (error) => void told.push(error.message);
    inner.onerror?.(new Error('odd'));
    inner.onclose?.();
    expect(told).toEqual(['2025-11-25', 'odd', 'closed']);
    expect(wire.sessionId).toBeUndefined();
    inner.sessionId = 'session';
    expect(wire.sessionId).toBe('session');
  });
});

describe('exchanges', () => {
  it('end all that is open, also where one refuses', () => {
    const exchanges = createExchanges();
    const [one, two, three] = [exchanges.open(), exchanges.open(), exchanges.open()];
    one.abort = () => {
      throw new Error('belongs to another request');
    };
    exchanges.release(three);
    exchanges.abortAll();
    expect([two.signal.aborted, three.signal.aborted]).toEqual([true, false]);
    expect(exchanges.byKey(two.key)).toBeUndefined();
  });

  it('a later owner of an id is not released with the earlier one', () => {
    const exchanges = createExchanges();
    const [first, second] = [exchanges.open(), exchanges.open()];
    exchanges.assign(first, 1, 'tools/call');
    exchanges.assign(second, 1, 'tools/call');
    exchanges.release(first);
    expect(exchanges.byId(1)).toBe(second);
    expect(exchanges.byId('1')).toBeUndefined();
    expect(exchanges.byKey(first.key)).toBeUndefined();
  });
});
