import { beforeEach, expect, it, vi } from 'vitest';
import type { ResolvedOptions } from '../../../src/config/resolve-options.js';
import type { Outcome } from '../../../src/connection/failure.js';
import { openLink } from '../../../src/connection/handshake.js';
import type { Link } from '../../../src/connection/link.js';
import { type RecoveryOptions, sendRecovering } from '../../../src/connection/requests.js';
import { createState } from '../../../src/connection/state.js';
import { createClosing, createDeadline } from '../../../src/core/deadline.js';
import type { Diagnostic } from '../../../src/core/diagnostics.js';
import { McpConnectError, McpTimeoutError } from '../../../src/core/errors.js';

vi.mock('../../../src/connection/handshake.js', () => ({ openLink: vi.fn() }));
const opening = vi.mocked(openLink);
beforeEach(() => void opening.mockReset());

const RESULT: Outcome = { kind: 'result', result: { content: [] } };
const rpc = (code: number): Outcome => ({ kind: 'rpc-error', error: { code, message: '' } });
const lost = (facts: object, failure?: McpTimeoutError): Outcome => ({
  kind: 'lost',
  facts: { sent: true, carriedSession: false, ...facts },
  ...(failure === undefined ? {} : { failure }),
});
const NEVER_LEFT = lost({ sent: false });
const SESSION_GONE = lost({ carriedSession: true, status: 404 });
const CUT_OFF = lost({ status: 200 });

type FakeLink = Link & { readonly retire: ReturnType<typeof vi.fn>; closed: boolean };

function makeLink(): FakeLink {
  const link = { kind: 'http', era: 'modern', closed: false, prior: { kind: 'modern' } } as unknown as FakeLink;
  return Object.assign(link, {
    close: vi.fn(async () => {}),
    retire: vi.fn(() => {
      link.closed = true;
    }),
  });
}

/** A connection whose links answer, in turn, with `outcomes`. */
function create(...outcomes: Outcome[]) {
  const reports: Diagnostic[] = [];
  const report = (each: Diagnostic) => void reports.push(each);
  const options = { connectTimeoutMs: 1_000, telemetry: undefined, report } as unknown as ResolvedOptions;
  const closing = createClosing();
  const state = createState({ name: 's', options, closing: closing.signal, server: {} } as never);
  const links: FakeLink[] = [];
  opening.mockImplementation(async () => {
    const link = makeLink();
    links.push(link);
    return link;
  });
  const sentOver: Link[] = [];
  const send = async (link: Link) => {
    sentOver.push(link);
    const outcome = outcomes.shift();
    if (outcome === undefined) throw new Error('sent once too often');
    return outcome;
  };
  const run = async (rest: Partial<RecoveryOptions> = {}) => {
    const deadline = createDeadline({ ms: 5_000 });
    try {
      return await sendRecovering(state, send, { deadline, idempotent: false, ...rest });
    } finally {
      deadline.dispose();
    }
  };
  return { run, state, links, sentOver, reports };
}

it.each([
  ['a result', RESULT],
  ['a JSON-RPC error', rpc(-32602)],
  ['401', lost({ status: 401 })],
  ['403', lost({ status: 403 })],
  ['a deadline', lost({}, new McpTimeoutError('late'))],
  ['an answer that never came', CUT_OFF],
  ['HTTP 500', lost({ status: 500 })],
])('C4 C5 after %s nothing is sent again', async (_, outcome) => {
  const { run, sentOver, reports, links } = create(outcome);
  expect(await run()).toBe(outcome);
  expect(sentOver).toHaveLength(1);
  expect(links[0]!.retire).not.toHaveBeenCalled();
  expect(reports).toEqual([]);
});

it.each([
  ['a request that never left', NEVER_LEFT],
  ['a session that the server has forgotten', SESSION_GONE],
])('C4 %s is sent once more over a new connection, which is reported', async (_, outcome) => {
  const { run, sentOver, reports, links } = create(outcome, RESULT);
  expect(await run()).toBe(RESULT);
  expect(sentOver).toEqual([links[0], links[1]]);
  expect(links[0]!.retire).toHaveBeenCalledTimes(1);
  expect(reports).toMatchObject([
    { code: 'connection-repaired', level: 'info', server: 's', data: { repair: 'reconnect' } },
  ]);
});

it('C4 what fails again in the same way is not sent a third time', async () => {
  const { run, sentOver } = create(SESSION_GONE, SESSION_GONE);
  expect(await run()).toBe(SESSION_GONE);
  expect(sentOver).toHaveLength(2);
});

it('C4 -32022 asks for the era again: what was remembered of it is not used', async () => {
  const { run, reports } = create(rpc(-32022), RESULT);
  expect(await run()).toBe(RESULT);
  expect(opening.mock.calls.map(([, known]) => known)).toEqual([undefined, { kind: 'http', prior: undefined }]);
  expect(reports).toMatchObject([{ data: { repair: 'reprobe' } }]);
});

it('C4 a lost session keeps what is known of the era', async () => {
  const { run } = create(SESSION_GONE, RESULT);
  await run();
  expect(opening.mock.calls[1]![1]).toEqual({ kind: 'http', prior: { kind: 'modern' } });
});

it('C4 -32020 lists again and sends over the same connection; without a way to list it stands', async () => {
  const relist = vi.fn(async () => {});
  const again = create(rpc(-32020), RESULT);
  expect(await again.run({ relist })).toBe(RESULT);
  expect(relist).toHaveBeenCalledTimes(1);
  expect(again.sentOver).toEqual([again.links[0], again.links[0]]);
  expect(again.reports).toMatchObject([{ data: { repair: 'relist' } }]);
  const refused = rpc(-32020);
  expect(await create(refused).run()).toBe(refused);
});

it('C4 a re-listing that fails is the failure of the call', async () => {
  const { run, sentOver, reports } = create(rpc(-32020));
  const failure = new McpConnectError('connect-failed', 'down');
  await expect(run({ relist: () => Promise.reject(failure) })).rejects.toBe(failure);
  expect(sentOver).toHaveLength(1);
  expect(reports).toEqual([]);
});

it('C5 what may have been delivered is sent again only where the host says that this does no harm', async () => {
  const { run, sentOver, reports } = create(CUT_OFF, RESULT);
  expect(await run({ idempotent: true })).toBe(RESULT);
  expect(sentOver).toHaveLength(2);
  // The connection was not at fault, so there was nothing to repair.
  expect(reports).toEqual([]);
  const twice = create(CUT_OFF, CUT_OFF);
  expect(await twice.run({ idempotent: true })).toBe(CUT_OFF);
  expect(twice.sentOver).toHaveLength(2);
});

it('C2 an ended deadline sends nothing again, idempotent or not', async () => {
  for (const outcome of [SESSION_GONE, CUT_OFF]) {
    const { run, sentOver } = create(outcome);
    const deadline = createDeadline({ ms: 5_000 });
    const ended = { ...deadline, reason: 'aborted' as const };
    const once = createDeadline({ ms: 5_000 });
    // It ends between the answer and the repair.
    let asked = 0;
    const turning = {
      ...once,
      race: once.race,
      get reason() {
        return asked++ === 0 ? undefined : ended.reason;
      },
    };
    expect(await run({ deadline: turning, idempotent: true })).toBe(outcome);
    expect(sentOver).toHaveLength(1);
    for (const each of [deadline, once]) each.dispose();
  }
});

it('C4 twenty calls that find one session gone reconnect once', async () => {
  const gone = Array.from({ length: 20 }, () => SESSION_GONE);
  const { run, state, links, reports } = create(...gone, ...Array.from({ length: 20 }, () => RESULT));
  const first = createDeadline({ ms: 5_000 });
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => run()));
  first.dispose();
  expect(outcomes.every((outcome) => outcome === RESULT)).toBe(true);
  expect(opening).toHaveBeenCalledTimes(2);
  expect(state.link).toBe(links[1]);
  expect(links[1]!.retire).not.toHaveBeenCalled();
  expect(reports).toHaveLength(20);
});

it.each([
  ['a result', [RESULT]],
  ['a JSON-RPC error', [rpc(-32602)]],
  ['a result after a repair', [NEVER_LEFT, RESULT]],
  ['a result of the second time', [CUT_OFF, RESULT]],
])('C6 %s ends the count of a process’s deaths, which its start does not', async (_, outcomes) => {
  const { run, state } = create(...outcomes);
  opening.mockImplementation(async () =>
    Object.assign(makeLink(), { kind: 'stdio', ended: new AbortController().signal }),
  );
  state.breaker = { failures: 4, lastFailureAt: 0 };
  await run({ idempotent: true });
  expect(state.breaker.failures).toBe(0);
});

it('C6 where no answer comes, the deaths of a process are still counted', async () => {
  const { run, state } = create(CUT_OFF);
  opening.mockImplementation(async () =>
    Object.assign(makeLink(), { kind: 'stdio', ended: new AbortController().signal }),
  );
  state.breaker = { failures: 4, lastFailureAt: 0 };
  await run();
  expect(state.breaker.failures).toBe(4);
});
