import { expect, it, vi } from 'vitest';
import type { GatedCall, Target } from '../../../src/calls/gate.js';
import { explainUnknownTool } from '../../../src/calls/withdrawn.js';
import { createDeadline, type Deadline } from '../../../src/core/deadline.js';
import {
  McpClosedError,
  McpConnectError,
  McpOutcomeUnknownError,
  McpProtocolError,
  McpToolExecutionError,
  McpToolUnavailableError,
  McpToolWithdrawnError,
} from '../../../src/core/errors.js';

const GONE: Target = { state: 'unknown', suggestion: ' Did you mean `s__other`?' };
const refusal = (rpcCode?: number) => new McpProtocolError('refused', { server: 's', tool: 't', rpcCode });

interface Given {
  readonly error: unknown;
  readonly after?: Target;
  readonly confirm?: () => Promise<void>;
  readonly deadline?: Deadline;
}

async function explain({ error, after = GONE, confirm = async () => {}, deadline }: Given) {
  const asked = vi.fn(confirm);
  const own = deadline ?? createDeadline({ ms: 5_000 });
  const target = { state: 'active', confirm: asked } as unknown as Extract<Target, { state: 'active' }>;
  const call = { server: 's', tool: 't', find: () => after } as unknown as GatedCall;
  try {
    return { asked, answer: await explainUnknownTool(error, { call, target, deadline: own }) };
  } finally {
    own.dispose();
  }
}

it.each([-32602, -32601])(
  'S8 %i from a server that no longer lists the tool says that it was withdrawn',
  async (code) => {
    const error = refusal(code);
    const { answer, asked } = await explain({ error });
    expect(answer).toBeInstanceOf(McpToolWithdrawnError);
    expect(answer).toBeInstanceOf(McpToolUnavailableError);
    expect(answer).toMatchObject({
      code: 'withdrawn',
      name: 'McpToolWithdrawnError',
      server: 's',
      tool: 't',
      cause: error,
    });
    expect((answer as Error).message).toBe('Server `s` no longer has `t`. Did you mean `s__other`?');
    expect(asked).toHaveBeenCalledTimes(1);
  },
);

it.each([
  ['another code', refusal(-32603)],
  ['an answer that is no JSON-RPC error', refusal()],
  ['a failure of the tool', new McpToolExecutionError('Unknown tool: t', { result: { content: [] } })],
  ['an unknown outcome', new McpOutcomeUnknownError('lost')],
  ['a foreign error with the same code', Object.assign(new Error('no'), { rpcCode: -32602 })],
])('S8 %s causes no listing and stays what it is', async (_, error) => {
  const { answer, asked } = await explain({ error });
  expect(answer).toBe(error);
  expect(asked).not.toHaveBeenCalled();
});

it('S8 a tool that is still there, or quarantined now, keeps the refusal of its server', async () => {
  for (const after of [{ state: 'active' } as Target, { state: 'quarantined', reason: 'r' } as Target]) {
    const error = refusal(-32602);
    expect((await explain({ error, after })).answer).toBe(error);
  }
});

it('S8 a listing that fails leaves the original error', async () => {
  const error = refusal(-32602);
  for (const failure of [new McpConnectError('connect-failed', 'down'), new Error('defect')]) {
    const { answer } = await explain({ error, confirm: () => Promise.reject(failure) });
    expect(answer).toBe(error);
  }
});

it('S8 C2 an abort and a close during the listing are what they are; a late listing leaves the answer that came', async () => {
  const never = () => new Promise<void>(() => {});
  const abort = new AbortController();
  const reason = new Error('mine');
  setTimeout(() => abort.abort(reason), 20);
  const aborted = await explain({
    error: refusal(-32602),
    confirm: never,
    deadline: createDeadline({ ms: 5_000, signal: abort.signal }),
  });
  expect(aborted.answer).toMatchObject({ code: 'aborted', reason, server: 's', tool: 't' });
  const late = await explain({ error: refusal(-32602), confirm: never, deadline: createDeadline({ ms: 20 }) });
  expect(late.answer).toMatchObject({ code: 'protocol', rpcCode: -32602 });
  const closed = new McpClosedError('closed');
  const whole = createDeadline({
    ms: 5_000,
    closing: { aborted: true, addEventListener() {}, removeEventListener() {} },
  });
  const ended = await explain({ error: refusal(-32602), confirm: () => Promise.reject(closed), deadline: whole });
  expect(ended.answer).toMatchObject({ code: 'closed' });
});
