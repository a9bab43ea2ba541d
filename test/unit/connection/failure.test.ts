import { describe, expect, it } from 'vitest';
import {
  callFailure,
  connectFailure,
  type Lost,
  neverLeft,
  requestFailure,
  rpcFailure,
} from '../../../src/connection/failure.js';
import { McpLimitError } from '../../../src/core/errors.js';
import type { ExchangeFacts } from '../../../src/guard/exchange.js';

const CALL = { server: 's', tool: 't' };
const lost = (facts: Partial<ExchangeFacts>, failure?: Lost['failure']): Lost => ({
  kind: 'lost',
  facts: { sent: true, carriedSession: false, ...facts },
  failure,
});

/** What is known of a request, whether it surely never left, and what a call and a listing then reject with. */
const table: readonly [what: string, facts: Partial<ExchangeFacts>, never: boolean, call: string, listing: string][] = [
  ['nothing was sent', { sent: false }, true, 'connect-failed', 'connect-failed'],
  ['the port is closed', { networkCode: 'ECONNREFUSED' }, true, 'connect-failed', 'connect-failed'],
  ['the name is unknown', { networkCode: 'ENOTFOUND' }, true, 'connect-failed', 'connect-failed'],
  ['Bun could not connect', { networkCode: 'ConnectionRefused' }, true, 'connect-failed', 'connect-failed'],
  ['the connection broke', { networkCode: 'ECONNRESET' }, false, 'outcome-unknown', 'connect-failed'],
  ['the socket was closed', { networkCode: 'UND_ERR_SOCKET' }, false, 'outcome-unknown', 'connect-failed'],
  ['nothing is known', {}, false, 'outcome-unknown', 'connect-failed'],
  ['a 2xx had no answer', { status: 200, body: 'json' }, false, 'outcome-unknown', 'connect-failed'],
  ['a stream ended', { status: 200, body: 'event-stream' }, false, 'outcome-unknown', 'connect-failed'],
  ['it was accepted', { status: 202, body: 'none' }, false, 'outcome-unknown', 'connect-failed'],
  ['401', { status: 401 }, false, 'unauthorized', 'unauthorized'],
  ['403', { status: 403 }, false, 'unauthorized', 'unauthorized'],
  ['404', { status: 404 }, false, 'outcome-unknown', 'connect-failed'],
  ['500', { status: 500 }, false, 'outcome-unknown', 'connect-failed'],
  [
    'an answer, then a refused reconnect',
    { status: 200, networkCode: 'ECONNREFUSED' },
    false,
    'outcome-unknown',
    'connect-failed',
  ],
];

describe('a request without an answer', () => {
  it.each(table)('%s', (_, facts, never, call, listing) => {
    expect(neverLeft(lost(facts))).toBe(never);
    expect(callFailure(lost(facts), CALL)).toMatchObject({ code: call, ...CALL });
    expect(requestFailure(lost(facts), { server: 's' })).toMatchObject({ code: listing, server: 's' });
  });

  it('has its status or network code as the cause, and in the message', () => {
    const byStatus = requestFailure(lost({ status: 502 }), { server: 's' });
    expect(byStatus).toMatchObject({ cause: { name: 'HttpError', status: 502 } });
    expect(byStatus.message).toContain('HTTP 502');
    const byNetwork = callFailure(lost({ networkCode: 'ECONNRESET' }), CALL);
    expect(byNetwork).toMatchObject({ cause: { name: 'NetworkError', code: 'ECONNRESET' } });
    expect(byNetwork.message).toContain('ECONNRESET');
    // Browsers, Workers and Deno tell a script nothing of why.
    const unexplained = requestFailure(lost({}), { server: 's' });
    expect(unexplained.message).toBe('Server `s` could not be used: no response came, and nothing says why.');
    expect([unexplained.cause, callFailure(lost({}), CALL).cause]).toEqual([undefined, undefined]);
  });

  it('that was ended by us rejects with our own error', () => {
    const own = new McpLimitError('m', { limit: 'responseBytes', max: 1 });
    for (const judge of [callFailure, requestFailure]) expect(judge(lost({ status: 401 }, own), CALL)).toBe(own);
    expect(connectFailure({ ...lost({}, own), unusable: true }, CALL)).toBe(own);
  });
});

describe('a handshake', () => {
  it('without a shared revision says which option decides', () => {
    const error = connectFailure({ ...lost({ status: 400 }), unusable: true }, { server: 's' });
    expect(error).toMatchObject({ code: 'protocol-unsupported', cause: { status: 400 } });
    expect(error.message).toContain('`protocol`');
  });

  it('that failed otherwise fails as any request', () => {
    expect(connectFailure({ ...lost({ status: 401 }), unusable: false }, { server: 's' }).code).toBe('unauthorized');
  });
});

describe('R1 a JSON-RPC error', () => {
  it('R1 keeps its code and its text, capped and without hidden text', () => {
    const error = rpcFailure({ code: -32602, message: 'bad \u001b[1m' }, CALL);
    expect(error).toMatchObject({ code: 'protocol', rpcCode: -32602, ...CALL });
    expect(error.message).toBe('Error -32602 from server `s` for `t`: bad ');
    expect(rpcFailure({ code: 1, message: 'x'.repeat(9_000) }, CALL).message.length).toBeLessThan(4_100);
  });

  it.each([undefined, null, 5, ''])('R1 may come without a text (%s)', (message) => {
    expect(rpcFailure({ code: 1, message: message as string }, { server: 's' }).message).toBe(
      'Error 1 from server `s`',
    );
  });
});
