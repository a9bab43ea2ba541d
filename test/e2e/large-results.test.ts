import { describe, expect, it } from 'vitest';
import {
  estimateTokens,
  MCP_READ_RESULT_TOOL,
  type McpOptions,
  type McpToolResult,
  type McpToolset,
  mcpTools,
} from '../../src/index.js';
import { rawJson } from '../support/raw-server.js';
import { createRig, ERAS, rejection, tool } from './rig.js';
import { resultsIn, run, scripted } from './scripted-model.js';

const rig = createRig();
const MIB = 1024 * 1024;
const LINES = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');

async function serve(result: unknown, options: McpOptions = {}, era: (typeof ERAS)[number] = 'modern') {
  const server = await rig.raw({ era, tools: [tool('big')], onCall: () => result });
  const wired = await rig.wire([{ name: 's', type: 'http', url: server.url }], options);
  return { server, ...wired };
}

const textResult = (text: string) => ({ content: [{ type: 'text', text }] });
const textOf = ({ content }: McpToolResult, index = 0) => (content[index] as { text: string }).text;
const read = async (toolset: McpToolset, args: unknown) => toolset.tools[MCP_READ_RESULT_TOOL]!.execute(args);
const call = (toolset: McpToolset) => toolset.tools.s__big!.execute({});

/** Everything that the handle stands for, read from one place to the next. */
async function readAll(toolset: McpToolset, handle: string): Promise<string> {
  let whole = '';
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const part = await read(toolset, { handle, offset });
    whole += textOf(part);
    const next = textOf(part, 1).match(/The next offset is (\d+)\./);
    offset = next === null ? undefined : Number(next[1]);
  }
  return whole;
}

it.each(ERAS)('R4 %s: a result over the limit is cut, reported, and readable to its last character', async (era) => {
  const { toolset, diagnostics } = await serve(textResult(LINES), { limits: { resultTokens: 5_000 } }, era);
  const result = await call(toolset);
  expect(result.truncated).toEqual({
    handle: expect.stringMatching(/^r_[0-9a-f]{16}$/),
    tokens: estimateTokens(LINES),
  });
  expect(estimateTokens(textOf(result))).toBeLessThanOrEqual(5_000);
  expect(textOf(result)).toMatch(/^line 0\n[\s\S]*mcp__read_result[\s\S]*\nline 19999$/);
  expect(diagnostics).toEqual([
    expect.objectContaining({
      code: 'result-truncated',
      level: 'info',
      server: 's',
      tool: 'big',
      data: { tokens: estimateTokens(LINES), limit: 5_000 },
    }),
  ]);
  expect(await readAll(toolset, result.truncated!.handle)).toBe(LINES);
});

it('R4 a result within the limit is what the server sent, and where the limit is infinite every result is', async () => {
  const small = await serve(textResult('small'));
  expect(await call(small.toolset)).toEqual(textResult('small'));
  const whole = await serve(textResult(LINES), { limits: { resultTokens: Number.POSITIVE_INFINITY } });
  expect(await call(whole.toolset)).toEqual(textResult(LINES));
  expect(Object.keys(whole.toolset.tools)).toEqual(['s__big']);
});

it('R4 R3 a structured value is part of what is cut, and is read as the JSON that it is', async () => {
  const value = { rows: LINES.split('\n') };
  const { toolset } = await serve({ content: [], structuredContent: value }, { limits: { resultTokens: 1_000 } });
  const result = await call(toolset);
  expect(result).not.toHaveProperty('structuredContent');
  expect(JSON.parse(await readAll(toolset, result.truncated!.handle))).toEqual(value);
});

it('R4 a failure of the tool is not cut here: its text has a bound of its own', async () => {
  const { toolset } = await serve({ ...textResult(LINES), isError: true }, { limits: { resultTokens: 1_000 } });
  expect(await rejection(call(toolset))).toMatchObject({ code: 'tool-error', result: textResult(LINES) });
});

describe('mcp__read_result', () => {
  const options = { limits: { resultTokens: 1_000 } };

  it('R4 gives the part that is asked for, by numbers or their text', async () => {
    const { toolset } = await serve(textResult(LINES), options);
    const { handle } = (await call(toolset)).truncated!;
    expect(textOf(await read(toolset, { handle, offset: 7, length: 6 }))).toBe('line 1');
    expect(textOf(await read(toolset, { handle, offset: '7', length: '6' }))).toBe('line 1');
    expect(textOf(await read(toolset, { handle, offset: null, length: 6 }))).toBe('line 0');
    const [text, place] = [0, 1].map(async (index) => textOf(await read(toolset, { handle, length: 1e9 }), index));
    expect(estimateTokens(await text) + estimateTokens(await place)).toBeLessThanOrEqual(1_000);
    const end = await read(toolset, { handle, offset: LINES.length - 5 });
    expect([textOf(end), textOf(end, 1)]).toEqual(['19999', expect.stringContaining('This is the end.')]);
    expect(textOf(await read(toolset, { handle, offset: LINES.length }))).toContain(`${LINES.length} characters`);
  });

  it('R4 never gives half a character', async () => {
    const { toolset } = await serve(textResult('👩'.repeat(5_000)), options);
    const { handle } = (await call(toolset)).truncated!;
    for (const offset of [0, 1, 2, 3]) {
      for (const length of [1, 2, 3])
        expect(textOf(await read(toolset, { handle, offset, length }))).toMatch(/^(?:👩)+$/u);
    }
  });

  it('R4 says of a handle that it does not know, from before a wake or made up, that it is no longer held', async () => {
    const { toolset } = await serve(textResult(LINES), options);
    const other = await serve(textResult(LINES), options);
    const { handle } = (await call(other.toolset)).truncated!;
    for (const each of [handle, 'r_0', '__proto__']) {
      expect(textOf(await read(toolset, { handle: each }))).toMatch(/no longer held.*Call the tool again/);
    }
  });

  it.each([
    [undefined],
    [{}],
    [{ handle: 5 }],
    [{ handle: 'r', offset: -1 }],
    [{ handle: 'r', offset: 1.5 }],
    [{ handle: 'r', length: 0 }],
    [{ handle: 'r', length: 'x' }],
  ])('R4 refuses %j', async (args) => {
    const { toolset } = await serve(textResult(LINES), options);
    expect(await rejection(read(toolset, args))).toMatchObject({
      code: 'invalid-arguments',
      tool: MCP_READ_RESULT_TOOL,
    });
  });

  it('R4 what is held is bounded: the oldest result goes', async () => {
    const text = 'x'.repeat(600_000);
    const { toolset } = await serve(textResult(text), { limits: { resultTokens: 100, responseBytes: 700_000 } });
    const handles: string[] = [];
    for (let count = 0; count < 3; count++) handles.push((await call(toolset)).truncated!.handle);
    const held = await Promise.all(handles.map(async (handle) => textOf(await read(toolset, { handle }))));
    expect(held.map((each) => each.startsWith('x'))).toEqual([false, true, true]);
  });
});

it('R4 a scripted model reads on where a result was cut', async () => {
  const { toolset, server } = await serve(textResult(LINES), { limits: { resultTokens: 1_000 } });
  const first = scripted([[['s__big', {}]]]);
  await run(toolset.tools, first.model);
  const [shown] = resultsIn(first.prompts.at(-1)!);
  const [, handle, offset] = (shown as { value: string }).value.match(/handle "(r_\w+)", offset (\d+)/)!;
  const second = scripted([[[MCP_READ_RESULT_TOOL, { handle, offset: Number(offset), length: 100 }]]]);
  await run(toolset.tools, second.model);
  expect(resultsIn(second.prompts.at(-1)!)).toEqual([
    {
      type: 'content',
      value: [
        { type: 'text', text: LINES.slice(Number(offset), Number(offset) + 100) },
        { type: 'text', text: expect.stringMatching(/^\[Characters/) },
      ],
    },
  ]);
  expect(server.requests.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
});

describe('sizes that the limits allow', () => {
  it.each(ERAS)(
    'R4 R2 %s: a text of 50 MB is cut and held, and let go when the toolset closes',
    { timeout: 120_000 },
    async (era) => {
      const text = 'a line of text that is one of many\n'.repeat((50 * MIB) / 35);
      const server = await rig.raw({
        era,
        tools: [tool('big')],
        onCall: () => rawJson(`{"resultType":"complete","content":[{"type":"text","text":${JSON.stringify(text)}}]}`),
      });
      const toolset = rig.keep(
        await mcpTools([{ name: 's', type: 'http', url: server.url }], { limits: { responseBytes: 100 * MIB } }),
      );
      const result = await call(toolset);
      expect(estimateTokens(textOf(result))).toBeLessThanOrEqual(25_000);
      const { handle } = result.truncated!;
      expect(textOf(await read(toolset, { handle, offset: text.length - 35 }))).toBe(text.slice(-35));
      expect(textOf(await read(toolset, { handle, offset: 35_000_000, length: 34 }))).toBe(text.slice(0, 34));
      await toolset.close();
      expect(await rejection(read(toolset, { handle }))).toMatchObject({ code: 'closed' });
    },
  );

  it('R2 an image of 25 MB passes as it is, and one byte more than the limit does not', {
    timeout: 120_000,
  }, async () => {
    const data = 'A'.repeat((25_000_000 / 3) * 4 - (((25_000_000 / 3) * 4) % 4));
    const bytes = (data.length / 4) * 3;
    const limits = { responseBytes: 64 * MIB, mediaBytes: bytes };
    const image = { content: [{ type: 'image', data, mimeType: 'image/png' }] };
    const { toolset } = await serve(image, { limits });
    const result = await call(toolset);
    expect(result).toEqual(image);
    const output = toolset.tools.s__big!.toModelOutput({ output: result });
    expect(output).toMatchObject({ type: 'content', value: [{ type: 'file', mediaType: 'image/png' }] });
    const less = await serve(image, { limits: { ...limits, mediaBytes: bytes - 1 } });
    expect(await rejection(call(less.toolset))).toMatchObject({ code: 'limit', limit: 'mediaBytes' });
  });
});
