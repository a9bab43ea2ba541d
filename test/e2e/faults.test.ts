import { describe, expect, it } from 'vitest';
import type { McpErrorCode } from '../../src/index.js';
import type { Fault, FaultKind } from '../../src/testing/faults/plan.js';
import { sleep, until } from '../support/http-host.js';
import { ALL_KINDS, AT_ONCE_MS, callsOf, createStands, doneText, ended, KINDS, type Kind } from './faults-kit.js';

const stands = createStands();

/** `resent`: it succeeds, with the second request. `redirected`: with the one that the redirect led to. */
type End = 'ok' | 'resent' | 'redirected' | McpErrorCode;
/** One end for every kind of server, or those over HTTP with sessions, over HTTP without, and over HTTP+SSE. */
type Ends = End | readonly [legacy: End, modern: End, sse: End];
type Rows = readonly (readonly [fault: Fault, ends: Ends])[];

const EFFECTS = ['before', 'after', 'none'] as const;
const REFUSED = [400, 401, 403, 404, 500] as const;
/** Nothing with our id came: undelivered where a session was named and is refused so (C4), else unknown (C5). */
const UNKNOWN_HTTP: Ends = ['outcome-unknown', 'outcome-unknown', 'timeout'];
const FORGOTTEN: Ends = ['resent', 'outcome-unknown', 'outcome-unknown'];

/** A status without a message of our own. */
function refusedBy(status: (typeof REFUSED)[number]): Ends {
  if (status === 401 || status === 403) return 'unauthorized';
  return status === 404 ? FORGOTTEN : 'outcome-unknown';
}

const lost = (fault: Fault, ends: Ends): Rows => EFFECTS.map((effect) => [{ ...fault, effect } as Fault, ends]);

/** What the rules say of each fault; a kind that is missing does not compile. */
const TABLE: Readonly<Record<FaultKind, Rows>> = {
  'dead-before-headers': lost({ kind: 'dead-before-headers' }, 'outcome-unknown'),
  'dead-after-headers': lost({ kind: 'dead-after-headers' }, 'outcome-unknown'),
  'dead-after-event': lost({ kind: 'dead-after-event' }, 'outcome-unknown'),
  'half-closed': [
    ...lost({ kind: 'half-closed' }, 'outcome-unknown'),
    [{ kind: 'half-closed', events: 3 }, 'outcome-unknown'],
  ],
  'refuse-connections': [
    [{ kind: 'refuse-connections', forMs: 1 }, 'outcome-unknown'],
    ...lost({ kind: 'refuse-connections', forMs: 1, keepSessions: true }, 'outcome-unknown'),
  ],
  silent: lost({ kind: 'silent' }, 'timeout'),
  'never-answers': lost({ kind: 'never-answers' }, 'timeout'),
  'endless-line': lost({ kind: 'endless-line' }, 'limit'),
  'not-json': [
    [{ kind: 'not-json' }, UNKNOWN_HTTP],
    [{ kind: 'not-json', effect: 'before' }, UNKNOWN_HTTP],
    [{ kind: 'not-json', status: 201, body: '{}', contentType: 'application/json' }, UNKNOWN_HTTP],
    [{ kind: 'not-json', body: '{"jsonrpc":"2.0"', contentType: 'application/json' }, UNKNOWN_HTTP],
    [{ kind: 'not-json', body: '[]', contentType: 'application/json' }, UNKNOWN_HTTP],
    [{ kind: 'not-json', body: 'null', contentType: 'application/json' }, UNKNOWN_HTTP],
    [{ kind: 'not-json', body: 'data: {"no": "message"}\n\n', contentType: 'text/event-stream' }, UNKNOWN_HTTP],
    [{ kind: 'not-json', body: 'data: {"jsonrpc"\n\n', contentType: 'text/event-stream' }, UNKNOWN_HTTP],
    [{ kind: 'not-json', status: 204, body: '' }, UNKNOWN_HTTP],
  ],
  'empty-200': [
    [{ kind: 'empty-200' }, UNKNOWN_HTTP],
    [{ kind: 'empty-200', effect: 'before' }, UNKNOWN_HTTP],
  ],
  'accepted-202': [
    [{ kind: 'accepted-202' }, UNKNOWN_HTTP],
    [{ kind: 'accepted-202', effect: 'after' }, UNKNOWN_HTTP],
  ],
  'rpc-error': [
    ...([200, ...REFUSED] as const).map((status) => [{ kind: 'rpc-error', status }, 'protocol'] as const),
    [{ kind: 'rpc-error', effect: 'before' }, 'protocol'],
    [{ kind: 'rpc-error', code: -32_000, status: 404 }, 'protocol'],
    ...(['null', 'absent', 'other'] as const).flatMap(
      (id): Rows => [
        [{ kind: 'rpc-error', id }, UNKNOWN_HTTP],
        [{ kind: 'rpc-error', id, effect: 'before' }, UNKNOWN_HTTP],
        [{ kind: 'rpc-error', id, status: 400 }, id === 'other' ? 'outcome-unknown' : FORGOTTEN],
        ...([401, 403, 404, 500] as const).map((status): Rows[0] => [
          { kind: 'rpc-error', id, status },
          refusedBy(status),
        ]),
      ],
    ),
  ],
  'http-error': [
    ...REFUSED.flatMap((status) =>
      (['none', 'html', 'text', 'json'] as const).map((body): Rows[0] => [
        { kind: 'http-error', status, body },
        refusedBy(status),
      ]),
    ),
    ...[402, 405, 409, 413, 429, 502, 503].map((status): Rows[0] => [
      { kind: 'http-error', status },
      'outcome-unknown',
    ]),
    [{ kind: 'http-error', effect: 'before' }, 'outcome-unknown'],
    [{ kind: 'http-error', effect: 'after' }, 'outcome-unknown'],
  ],
  'session-expired': [
    ...(['null', 'absent', 'none'] as const).map((id): Rows[0] => [{ kind: 'session-expired', id }, FORGOTTEN]),
    [{ kind: 'session-expired', status: 400 }, FORGOTTEN],
    [{ kind: 'session-expired', status: 400, id: 'absent' }, FORGOTTEN],
    [{ kind: 'session-expired', status: 400, id: 'none' }, 'outcome-unknown'],
  ],
  'header-mismatch': [[{ kind: 'header-mismatch' }, 'resent']],
  'unsupported-version': [[{ kind: 'unsupported-version' }, 'resent']],
  unauthorized: [
    [{ kind: 'unauthorized' }, 'unauthorized'],
    [{ kind: 'unauthorized', status: 403 }, 'unauthorized'],
  ],
  redirect: [
    [{ kind: 'redirect' }, 'redirected'],
    [{ kind: 'redirect', status: 308 }, 'redirected'],
    ...([301, 302, 303] as const).map((status): Rows[0] => [{ kind: 'redirect', status }, 'redirect-denied']),
    [{ kind: 'redirect', location: 'http://127.0.0.1:1/mcp' }, 'redirect-denied'],
    [{ kind: 'redirect', location: 'http://[' }, 'redirect-denied'],
  ],
  'wrong-id': [
    [{ kind: 'wrong-id' }, UNKNOWN_HTTP],
    [{ kind: 'wrong-id', id: null }, UNKNOWN_HTTP],
  ],
  'other-id-type': [[{ kind: 'other-id-type' }, UNKNOWN_HTTP]],
  'duplicate-answer': [
    [{ kind: 'duplicate-answer' }, 'ok'],
    [{ kind: 'duplicate-answer', times: 20, differ: true }, 'ok'],
  ],
  'no-result-type': [[{ kind: 'no-result-type' }, 'ok']],
  'odd-result-type': [
    [{ kind: 'odd-result-type' }, 'protocol'],
    [{ kind: 'odd-result-type', value: 'input_required' }, 'protocol'],
    [{ kind: 'odd-result-type', value: { nested: 1 } }, 'protocol'],
  ],
  'oversized-body': [[{ kind: 'oversized-body', bytes: 300_000 }, 'limit']],
  // About listings alone (L2): a call is answered.
  'endless-pages': [[{ kind: 'endless-pages' }, 'ok']],
  delay: [[{ kind: 'delay' }, 'ok']],
  'late-answer': [[{ kind: 'late-answer' }, 'timeout']],
  'slow-drip': [[{ kind: 'slow-drip', everyMs: 1 }, 'ok']],
  'progress-flood': [[{ kind: 'progress-flood' }, 'ok']],
  'list-changed-storm': [
    [{ kind: 'list-changed-storm' }, 'ok'],
    [{ kind: 'list-changed-storm', on: 'notices' }, 'ok'],
  ],
};

const COLUMN: Readonly<Record<Kind, 0 | 1 | 2>> = {
  'legacy, JSON': 0,
  'legacy, SSE': 0,
  'modern, JSON': 1,
  'modern, SSE': 1,
  'SSE transport': 2,
};

const CASES = Object.values(TABLE)
  .flat()
  .map(([fault, ends]) => [JSON.stringify(fault), fault, ends] as const);

/** How often the effect runs, by the fault alone; what succeeds has run it. */
function effectsOf(fault: Fault, end: End): number {
  if (end === 'ok' || end === 'resent' || end === 'redirected') return 1;
  if ('effect' in fault) return fault.effect === 'none' ? 0 : 1;
  return WORKS.includes(fault.kind) ? 1 : 0;
}

/** With these the method runs as it should. */
const WORKS: readonly FaultKind[] = [
  'half-closed',
  'refuse-connections',
  'wrong-id',
  'other-id-type',
  'odd-result-type',
  'oversized-body',
  'late-answer',
];

const REQUESTS: Readonly<Partial<Record<End, number>>> = { resent: 2, redirected: 2 };
const SHORT_MS = 300;

describe.each(ALL_KINDS)('%s', (kind) => {
  it.each(CASES)('C4 C5 R1 G6 %s ends as it must, and the next call is served', async (_, fault, ends) => {
    const end = typeof ends === 'string' ? ends : ends[COLUMN[kind]];
    const { server, effect, toolset } = await stands.stand(kind, {
      plan: [{ match: { tool: 'effect', nth: 1 }, fault }],
      timeoutMs: end === 'timeout' ? SHORT_MS : 20_000,
      limits: { responseBytes: 256 * 1024 },
    });
    const got = await ended(effect('first'));
    const succeeds = ['ok', 'resent', 'redirected'].includes(end);
    expect(got).toMatchObject(succeeds ? { code: 'ok', value: doneText('first') } : { code: end });
    expect(got.ms).toBeLessThan(AT_ONCE_MS);
    if (end === 'timeout') await heard(kind, server);
    await until(() => (server.effects.get('first') ?? 0) === effectsOf(fault, end));
    expect(callsOf(server)).toHaveLength(REQUESTS[end] ?? 1);

    if (fault.kind === 'refuse-connections') await listens(server);
    // The connection is sound, or is made sound, for whoever comes next.
    const next = await ended(effect('next'));
    expect(next).toMatchObject({ code: 'ok', value: doneText('next') });
    expect(next.ms).toBeLessThan(AT_ONCE_MS);
    expect([server.effects.get('first') ?? 0, server.effects.get('next')]).toEqual([effectsOf(fault, end), 1]);
    await toolset.close();
    await until(() => server.openStreams() === 0);
    expect(server.openSessions()).toBe(0);
  });
});

/** Until the server has come back. */
async function listens({ url }: { readonly url: string }): Promise<void> {
  for (;;) {
    const up = await fetch(new URL('/nothing', url)).then(
      (response) => response.arrayBuffer().then(() => true),
      () => false,
    );
    if (up) return;
    await sleep(5);
  }
}

/** G6, C2: the stream is closed within a second, and a legacy server is told. */
async function heard(kind: Kind, server: Parameters<typeof callsOf>[0]): Promise<void> {
  const [call] = callsOf(server);
  const by = (how: string) => server.cancelled.some((one) => one.id === call!.id && one.by === how);
  if (KINDS[kind].era === 'legacy') await until(() => by('notification'), 1_000);
  if (kind !== 'SSE transport') await until(() => call!.ended, 1_000);
}
