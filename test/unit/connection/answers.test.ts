import { describe, expect, it } from 'vitest';
import { readForeignCall } from '../../../src/connection/answers.js';
import type { Outcome } from '../../../src/connection/failure.js';
import { createMcpTools } from '../../../src/index.js';

const read = (result: unknown) => readForeignCall({ kind: 'result', result } as Outcome, { server: 's', tool: 't' });
const fail = () => {
  throw new Error('no');
};
const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const content = [{ type: 'text', text: 'x' }];
const foreign: readonly [string, object][] = [
  ['a bigint', { content, structuredContent: { n: 10n } }],
  ['a cycle', { content, structuredContent: cycle }],
  [
    'a getter that throws',
    {
      content: [
        {
          type: 'text',
          get text() {
            return fail();
          },
        },
      ],
    },
  ],
  ['a toJSON that throws', { content, structuredContent: { toJSON: fail } }],
  [
    'content that throws',
    {
      get content() {
        return fail();
      },
    },
  ],
];

describe('what a server in process answers', () => {
  it.each(foreign)('R1 with %s in it, a result is a protocol error', async (_, result) => {
    const message = 'Server `s` answered with a result that is not JSON data.';
    expect(() => read(result)).toThrow(expect.objectContaining({ code: 'protocol', message }));
    const tools = [{ name: 'x', inputSchema: { type: 'object' } }];
    const client = {
      request: async ({ method }: { method: string }) => (method === 'tools/list' ? { tools } : result),
    };
    const handle = createMcpTools(client);
    await expect((await handle.tools()).x!.execute({})).rejects.toMatchObject({ code: 'protocol', tool: 'x' });
    await handle.close();
  });

  it('R1 R2 a result is a copy of its JSON data', () => {
    const result = { content, structuredContent: JSON.parse('{"__proto__":{"a":1},"b":[2]}') };
    const copy = read(result);
    expect(copy).toEqual(result);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(result));
    result.structuredContent.b.push(3);
    expect(copy.structuredContent).toMatchObject({ b: [2] });
  });

  it('R1 G9 what is too deep for the native writer is passed on', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    const result = { content, structuredContent: { deep } };
    expect(read(result)).toBe(result);
  });
});
