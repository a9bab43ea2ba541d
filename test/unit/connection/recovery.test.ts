import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../../src/connection/failure.js';
import { judgeOutcome } from '../../../src/connection/recovery.js';
import { McpTimeoutError } from '../../../src/core/errors.js';
import type { ExchangeFacts } from '../../../src/guard/exchange.js';

const lost = (facts: Partial<ExchangeFacts>, failure?: McpTimeoutError): Outcome => ({
  kind: 'lost',
  facts: { sent: true, carriedSession: false, ...facts },
  failure,
});
const rpcError = (code: number): Outcome => ({ kind: 'rpc-error', error: { code, message: 'session expired, retry' } });
const session = { carriedSession: true };

const SETTLED = { kind: 'settled' };
const UNKNOWN = { kind: 'unknown' };
const undelivered = (repair: string) => ({ kind: 'undelivered', repair });

const rows: [string, Outcome, object][] = [
  ['a result', { kind: 'result', result: {} }, SETTLED],
  ['an error with our id, whatever its text', rpcError(-32602), SETTLED],
  ['header mismatch', rpcError(-32020), undelivered('relist')],
  ['unsupported version', rpcError(-32022), undelivered('reprobe')],
  ['a missing capability', rpcError(-32021), SETTLED],
  ['our own deadline', lost({}, new McpTimeoutError('late')), SETTLED],
  ['our own deadline, with a session status', lost({ ...session, status: 404 }, new McpTimeoutError('late')), SETTLED],
  ['never handed to fetch', lost({ sent: false }), undelivered('reconnect')],
  ['connection refused', lost({ networkCode: 'ECONNREFUSED' }), undelivered('reconnect')],
  ['a host that became unreachable', lost({ networkCode: 'EHOSTUNREACH' }), UNKNOWN],
  ['connection reset', lost({ networkCode: 'ECONNRESET' }), UNKNOWN],
  ['network error without a code', lost({}), UNKNOWN],
  ['refused code beside a status', lost({ networkCode: 'ECONNREFUSED', status: 200 }), UNKNOWN],
  ['404 with a session, no body', lost({ ...session, status: 404 }), undelivered('reconnect')],
  [
    '404 with a session, error without id',
    lost({ ...session, status: 404, rpc: { code: -32001, id: 'absent', message: 'session expired' } }),
    undelivered('reconnect'),
  ],
  [
    '404 with a session, error with another id',
    lost({ ...session, status: 404, rpc: { code: -32001, id: 'other', message: 'session expired' } }),
    undelivered('reconnect'),
  ],
  [
    '404 with a session, error with our id',
    lost({ ...session, status: 404, rpc: { code: -32601, id: 'ours', message: 'session expired' } }),
    UNKNOWN,
  ],
  ['404 without a session', lost({ status: 404 }), UNKNOWN],
  [
    '400 with a session, error without id',
    lost({ ...session, status: 400, rpc: { code: -32000, id: 'absent', message: 'session expired' } }),
    undelivered('reconnect'),
  ],
  [
    '400 with a session, error with another id',
    lost({ ...session, status: 400, rpc: { code: -32000, id: 'other', message: 'session expired' } }),
    UNKNOWN,
  ],
  ['400 with a session, no body', lost({ ...session, status: 400 }), UNKNOWN],
  [
    '400 without a session, error without id',
    lost({ status: 400, rpc: { code: -32000, id: 'absent', message: 'session expired' } }),
    UNKNOWN,
  ],
  ['401', lost({ ...session, status: 401 }), SETTLED],
  ['403', lost({ status: 403 }), SETTLED],
  ['a 2xx that ended without an answer', lost({ ...session, status: 200, body: 'json' }), UNKNOWN],
  ['202 to a request', lost({ status: 202, body: 'none' }), UNKNOWN],
  ['500', lost({ ...session, status: 500 }), UNKNOWN],
  [
    '502 with an error without id',
    lost({ ...session, status: 502, rpc: { code: -32000, id: 'absent', message: 'session expired' } }),
    UNKNOWN,
  ],
];

describe('the table of recovery', () => {
  it.each(rows)('C4 C5 %s', (_, outcome, verdict) => {
    expect(judgeOutcome(outcome)).toEqual(verdict);
  });
});
