import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type AuthReason, createCredentials } from '../../../src/guard/credentials.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

interface Asked {
  readonly reason: AuthReason;
  readonly signal: AbortSignal;
  give(token: unknown): void;
  fail(error: unknown): void;
}

/** Credentials whose questions are answered by hand. */
function create() {
  const asked: Asked[] = [];
  const ask = (reason: AuthReason, signal: AbortSignal) =>
    new Promise((give, fail) => void asked.push({ reason, signal, give: (token) => give({ token }), fail }));
  return { asked, credentials: createCredentials({ server: 's', ask, ms: 1_000 }) };
}

const { signal } = new AbortController();
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.fail('It resolved'),
    (error: unknown) => error,
  );
const turns = () => vi.advanceTimersByTimeAsync(0);

it('G12 each request asks, with its reason', async () => {
  const { asked, credentials } = create();
  for (const [index, reason] of (['connect', 'request', 'request'] as const).entries()) {
    const token = credentials.token(reason, signal);
    asked[index]!.give(`t${index}`);
    expect(await token).toBe(`t${index}`);
  }
  expect(asked.map(({ reason }) => reason)).toEqual(['connect', 'request', 'request']);
});

it('G12 questions that would overlap are one', async () => {
  const { asked, credentials } = create();
  const tokens = [1, 2, 3].map(() => credentials.token('request', signal));
  await turns();
  expect(asked).toHaveLength(1);
  asked[0]!.give('t');
  expect(await Promise.all(tokens)).toEqual(['t', 't', 't']);
});

it('G11 all who were refused with one token ask once, and who comes later takes what they got', async () => {
  const { asked, credentials } = create();
  const first = credentials.token('connect', signal);
  asked[0]!.give('old');
  await first;
  const renewed = [1, 2, 3].map(() => credentials.renew('old', signal));
  const meanwhile = credentials.token('request', signal);
  await turns();
  expect(asked.map(({ reason }) => reason)).toEqual(['connect', 'unauthorized']);
  asked[1]!.give('new');
  expect(await Promise.all([...renewed, meanwhile])).toEqual(['new', 'new', 'new', 'new']);
  expect(await credentials.renew('old', signal)).toBe('new');
  expect(asked).toHaveLength(2);
});

it('G11 an answer that a renewal overtook does not become the newest', async () => {
  const { asked, credentials } = create();
  const slow = credentials.token('request', signal);
  const renewed = credentials.renew('old', signal);
  await turns();
  asked[1]!.give('new');
  expect(await renewed).toBe('new');
  asked[0]!.give('old');
  expect(await slow).toBe('old');
  expect(await credentials.renew('old', signal)).toBe('new');
  expect(asked).toHaveLength(2);
});

it('G12 a question that fails is asked again by the next request', async () => {
  const { asked, credentials } = create();
  const first = failure(credentials.token('connect', signal));
  asked[0]!.fail(Object.assign(new Error('canary'), { status: 500, token: 'canary' }));
  const error = (await first) as Error;
  expect(error).toMatchObject({
    code: 'unauthorized',
    server: 's',
    cause: { name: 'AuthError', cause: { status: 500 } },
  });
  expect(JSON.stringify([error, error.message, error.cause])).not.toContain('canary');
  const second = credentials.token('connect', signal);
  asked[1]!.give('t');
  expect(await second).toBe('t');
});

it('G12 a question that hangs ends in time, and the host hears of it', async () => {
  const { asked, credentials } = create();
  const error = failure(credentials.token('request', signal));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await error).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('1000 ms') });
  expect(asked[0]!.signal.aborted).toBe(true);
});

it('G12 one who leaves leaves alone; when all have left the question is dropped', async () => {
  const { asked, credentials } = create();
  const [one, other] = [new AbortController(), new AbortController()];
  const left = failure(credentials.token('request', one.signal));
  const stays = credentials.token('request', other.signal);
  one.abort('gone');
  expect(await left).toBe('gone');
  expect(asked[0]!.signal.aborted).toBe(false);
  const second = failure(stays);
  other.abort('gone too');
  expect(await second).toBe('gone too');
  expect(asked[0]!.signal.aborted).toBe(true);
  const third = credentials.token('request', signal);
  await turns();
  expect(asked).toHaveLength(2);
  asked[1]!.give('t');
  expect(await third).toBe('t');
});

it('G12 the signal of a question that was answered is left alone', async () => {
  const { asked, credentials } = create();
  const token = credentials.token('request', signal);
  asked[0]!.give('t');
  await token;
  await turns();
  expect(asked[0]!.signal.aborted).toBe(false);
});

it.each([undefined, '', 5, 'a\r\nx: 1', 'a\nb', 'a\0b', 'ツ'])(
  'G12 the token %j is refused and not shown',
  async (token) => {
    const { asked, credentials } = create();
    const error = failure(credentials.token('request', signal));
    asked[0]!.give(token);
    expect(await error).toMatchObject({ code: 'config', server: 's' });
  },
);

it.each([undefined, null, 'token', 5, []])('G12 the answer %j is refused', async (answer) => {
  const credentials = createCredentials({ server: 's', ask: () => answer, ms: 1_000 });
  expect(await failure(credentials.token('request', signal))).toMatchObject({ code: 'config' });
});

it('G12 a host that throws at once is one that fails', async () => {
  const ask = () => {
    throw new TypeError('canary');
  };
  const credentials = createCredentials({ server: 's', ask, ms: 1_000 });
  expect(await failure(credentials.token('connect', signal))).toMatchObject({
    code: 'unauthorized',
    cause: { cause: { name: 'TypeError' } },
  });
});
