import { describe, expect, it } from 'vitest';
import { bend } from '../../../src/testing/faults/bend.js';
import type { WrongMessage } from '../../../src/testing/faults/plan.js';

const RESULT = { resultType: 'complete', content: [{ type: 'text', text: 'a' }] };
const MESSAGE = { jsonrpc: '2.0', id: 1, result: RESULT };
const ERROR = { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'b' } };

it.each<[string, WrongMessage, object, object[]]>([
  ['wrong-id', { kind: 'wrong-id' }, MESSAGE, [{ ...MESSAGE, id: 1_001 }]],
  ['wrong-id of a string', { kind: 'wrong-id' }, { ...MESSAGE, id: 'a' }, [{ ...MESSAGE, id: 'a-other' }]],
  ['wrong-id as given', { kind: 'wrong-id', id: null }, MESSAGE, [{ ...MESSAGE, id: null }]],
  ['wrong-id of an error', { kind: 'wrong-id', id: 5 }, ERROR, [{ ...ERROR, id: 5 }]],
  ['other-id-type of a number', { kind: 'other-id-type' }, MESSAGE, [{ ...MESSAGE, id: '1' }]],
  ['other-id-type of a string', { kind: 'other-id-type' }, { ...MESSAGE, id: '7' }, [{ ...MESSAGE, id: 7 }]],
  ['other-id-type of a word', { kind: 'other-id-type' }, { ...MESSAGE, id: 'a' }, [{ ...MESSAGE, id: 0 }]],
  ['duplicate-answer', { kind: 'duplicate-answer', times: 3 }, MESSAGE, [MESSAGE, MESSAGE, MESSAGE]],
  [
    'duplicate-answer that differs',
    { kind: 'duplicate-answer', differ: true },
    MESSAGE,
    [MESSAGE, { ...MESSAGE, result: { ...RESULT, content: [...RESULT.content, { type: 'text', text: 'answer 2' }] } }],
  ],
  ['no-result-type', { kind: 'no-result-type' }, MESSAGE, [{ ...MESSAGE, result: { content: RESULT.content } }]],
  ['no-result-type of an error', { kind: 'no-result-type' }, ERROR, [ERROR]],
  [
    'odd-result-type',
    { kind: 'odd-result-type', value: 7 },
    MESSAGE,
    [{ ...MESSAGE, result: { ...RESULT, resultType: 7 } }],
  ],
  [
    'oversized-body without content',
    { kind: 'oversized-body', bytes: 3 },
    { ...MESSAGE, result: { tools: [] } },
    [{ ...MESSAGE, result: { tools: [], text: 'xxx' } }],
  ],
  ['endless-pages of a call', { kind: 'endless-pages' }, MESSAGE, [MESSAGE]],
])('%s', (_, fault, message, expected) => {
  expect(bend(fault, message as typeof MESSAGE, { method: 'tools/call' })).toEqual(expected);
});

describe('endless pages', () => {
  const first = { jsonrpc: '2.0', id: 1, result: { tools: [{ name: 'echo' }] } };

  /** Walks so many pages; gives the cursors and tool names met. */
  function walk(fault: WrongMessage, pages: number) {
    const cursors: unknown[] = [];
    const tools: string[] = [];
    let cursor: unknown;
    for (let page = 0; page < pages; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const [message] = bend(fault, first, { method: 'tools/list', params });
      const result = message?.result as { tools: { name: string }[]; nextCursor: unknown };
      cursor = result.nextCursor;
      cursors.push(cursor);
      tools.push(...result.tools.map(({ name }) => name));
    }
    return { cursors, tools };
  }

  it('have ever fresh cursors and tools', () => {
    expect(walk({ kind: 'endless-pages', toolsPerPage: 2 }, 3)).toEqual({
      cursors: ['page-1', 'page-2', 'page-3'],
      tools: ['echo', 'page_1_1', 'page_1_2', 'page_2_1', 'page_2_2'],
    });
  });

  it('repeat one cursor', () => {
    expect(walk({ kind: 'endless-pages', cursors: 'cycle' }, 3).cursors).toEqual(['page-1', 'page-1', 'page-1']);
  });

  it('come round after a period', () => {
    const { cursors } = walk({ kind: 'endless-pages', cursors: 'cycle', period: 3 }, 5);
    expect(cursors).toEqual(['page-1', 'page-2', 'page-3', 'page-1', 'page-2']);
  });
});
