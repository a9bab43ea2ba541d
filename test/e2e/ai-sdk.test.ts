import { asSchema, generateText, stepCountIs, streamText } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, inject, it } from 'vitest';
import type { McpTool, McpToolset } from '../../src/index.js';
import { rawJson } from '../support/raw-server.js';
import { FAIL_TEXT, TINY_PNG, TINY_WAV } from '../support/sdk-servers.js';
import { createRig, ERAS, remoteOf, tool } from './rig.js';
import { offered, resultsIn, run, scripted, USAGE } from './scripted-model.js';

const rig = createRig();

const described = (toolset: McpToolset) =>
  toolset.describeTools().map(({ name, description, inputSchema }) => [name, description, inputSchema]);

const OPEN = {
  type: 'object',
  properties: {
    filter: {
      type: 'object',
      properties: { deep: { type: 'object', properties: {}, additionalProperties: true } },
      additionalProperties: true,
    },
    list: { type: 'array', items: { type: 'object', additionalProperties: true } },
    any: {},
    shut: { type: 'object', properties: {}, additionalProperties: false },
  },
  additionalProperties: true,
};
const CATALOGUE = [
  tool('open', { inputSchema: OPEN, title: 'Open' }),
  tool('bare', { inputSchema: { type: 'object' } }),
  tool('drafted', {
    inputSchema: { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', $defs: { a: {} } },
  }),
  tool('dotted.name'),
  tool('referring', {
    inputSchema: {
      properties: { one: { $ref: '#/$defs/one', title: 'One' }, lost: { $ref: 'https://elsewhere.test' }, any: true },
      $defs: { one: OPEN },
    },
  }),
];

it('P0 the model is shown exactly what describeTools shows, at every level, before and after ten calls', async () => {
  const server = await rig.raw({ tools: CATALOGUE });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const before = JSON.stringify(toolset.describeTools());
  const { model, prompts } = scripted(
    Array.from({ length: 10 }, () => [['s__open', { filter: { x: { y: 1 } }, z: 2 }]]),
  );
  const { text } = await run(toolset.tools, model);
  expect(text).toBe('done');
  expect(prompts).toHaveLength(11);
  for (const prompt of prompts) expect(offered(prompt)).toEqual(described(toolset));
  expect(described(toolset).find(([name]) => name === 's__open')?.[2]).toEqual(OPEN);
  expect(described(toolset).find(([name]) => name === 's__bare')?.[2]).toEqual({ type: 'object', properties: {} });
  expect(JSON.stringify(toolset.describeTools())).toBe(before);
  const sent = server.requests.flatMap(({ params, method }) => (method === 'tools/call' ? [params] : []));
  expect(sent).toHaveLength(10);
  for (const params of sent)
    expect(params).toMatchObject({ name: 'open', arguments: { filter: { x: { y: 1 } }, z: 2 } });
});

it('P0 what a framework does to the schemas it was given does not reach ours', async () => {
  const server = await rig.raw({ tools: CATALOGUE });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const before = JSON.stringify(toolset.describeTools());
  const deface = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const inner of Object.values(value)) deface(inner);
    Object.assign(value, { additionalProperties: false, defaced: true });
  };
  const model = new MockLanguageModelV4({
    doGenerate: async ({ tools = [] }) => {
      for (const each of tools) deface(each);
      return {
        content: [{ type: 'text', text: 'x' }],
        finishReason: { unified: 'stop', raw: 'x' },
        usage: USAGE,
        warnings: [],
      };
    },
  });
  await run(toolset.tools, model);
  for (const { inputSchema } of Object.values(remoteOf(toolset.tools))) {
    deface(await asSchema(inputSchema as never).jsonSchema);
    deface(inputSchema['~standard'].jsonSchema.input({ target: 'draft-07' }));
    deface(inputSchema['~standard'].jsonSchema.output({ target: 'openapi-3.0' }));
  }
  for (const summary of toolset.describeTools()) deface(summary.inputSchema);
  for (const summary of toolset.inspect().tools) deface(summary.inputSchema);
  expect(JSON.stringify(toolset.describeTools())).toBe(before);
  const { model: next, prompts } = scripted([]);
  await run(toolset.tools, next);
  expect(offered(prompts[0]!)).toEqual(described(toolset));
});

it.each(['sdkDualUrl', 'sdkLegacyUrl', 'sdkModernUrl', 'sdk1HttpUrl'] as const)(
  'P0 R1 R2 text, media and errors reach the model over several steps (%s)',
  async (key) => {
    const { toolset } = await rig.wire([{ name: 's', type: 'http', url: inject(key) }]);
    const { model, prompts } = scripted([
      [['s__echo', { message: 'hi' }]],
      [
        ['s__image', {}],
        ['s__audio', {}],
        ['s__fail', {}],
      ],
    ]);
    const { text, steps } = await run({ ...toolset.tools }, model);
    expect(text).toBe('done');
    expect(steps).toHaveLength(3);
    const file = (mediaType: string, data: string) => ({
      type: 'content',
      value: [{ type: 'file', mediaType, data: { type: 'data', data } }],
    });
    const [echo, ...others] = resultsIn(prompts[2]!);
    expect(echo).toMatchObject({ type: 'text', value: expect.stringContaining('hi') });
    expect(others).toMatchObject([
      file('image/png', TINY_PNG),
      file('audio/wav', TINY_WAV),
      { type: 'error-text', value: expect.stringContaining(`MCP tool error: ${FAIL_TEXT}`) },
    ]);
    // Never as base64 inside a text.
    expect(JSON.stringify(others).split(TINY_PNG)).toHaveLength(2);
  },
);

it.each(ERAS)('P0 %s: bad arguments and unknown names come back to the model as errors it can act on', async (era) => {
  const server = await rig.raw({ era, tools: [tool('find_file'), tool('find_files')] });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const held = { ...toolset.tools };
  server.set({ tools: [tool('find_files')] });
  await toolset.refresh();
  server.reset();
  const { model, prompts } = scripted([
    [
      ['s__find_files', [1]],
      ['s__find_file', {}],
      ['s__find_files', { q: 'fine' }],
    ],
  ]);
  await run(held, model);
  expect(resultsIn(prompts[1]!)).toMatchObject([
    { type: 'error-text', value: expect.stringContaining('must be a JSON object, not an array') },
    {
      type: 'error-text',
      value: expect.stringContaining('There is no tool `s__find_file`. Did you mean `s__find_files`?'),
    },
    { type: 'text', value: '{"q":"fine"}' },
  ]);
  expect(server.count('tools/call')).toBe(1);
});

it('P0 parallel calls each get their own result', async () => {
  const server = await rig.raw({ tools: [tool('t')], latencyMs: () => Math.random() * 20 });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const inputs = Array.from({ length: 20 }, (_, index) => ({ index }));
  const { model, prompts } = scripted([inputs.map((input) => ['s__t', input] as const)]);
  await run(toolset.tools, model);
  expect(resultsIn(prompts[1]!)).toMatchObject(inputs.map((input) => ({ type: 'text', value: JSON.stringify(input) })));
});

it('P0 streamText runs the same tools, from the null-prototype map itself', async () => {
  const server = await rig.raw({ tools: CATALOGUE });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  expect(Object.getPrototypeOf(toolset.tools)).toBeNull();
  const { model, prompts } = scripted([
    [
      ['s__open', { anything: [1] }],
      ['s__bare', { more: true }],
    ],
  ]);
  const stream = streamText({ model, tools: toolset.tools, prompt: 'go', stopWhen: stepCountIs(5) });
  expect(await stream.text).toBe('done');
  const steps = await stream.steps;
  expect(steps[0]?.toolResults.map(({ dynamic, output }) => [dynamic, output])).toEqual([
    [true, { content: [{ type: 'text', text: '{"anything":[1]}' }] }],
    [true, { content: [{ type: 'text', text: '{"more":true}' }] }],
  ]);
  expect(offered(prompts[0]!)).toEqual(described(toolset));
  expect(resultsIn(prompts[1]!)).toMatchObject([
    { type: 'text', value: '{"anything":[1]}' },
    { type: 'text', value: '{"more":true}' },
  ]);
});

it('P0 an abort of the generation aborts the call at the server', async () => {
  const server = await rig.raw({ tools: [tool('t')], latencyMs: (method) => (method === 'tools/call' ? 5_000 : 0) });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const controller = new AbortController();
  const { model } = scripted([[['s__t', {}]]]);
  const generation = generateText({ model, tools: toolset.tools, prompt: 'go', abortSignal: controller.signal });
  setTimeout(() => controller.abort(), 100);
  await generation.catch(() => {});
  await expect.poll(() => server.find('tools/call')?.closedEarly).toBe(true);
});

it('P0 R2 structured values of every shape, and one 100,000 deep, pass through a whole generation', async () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const values = ['{"a":{"b":[1]}}', '[1,2]', '"text"', 'false', 'null', deep];
  const server = await rig.raw({
    tools: [tool('t')],
    onCall: ({ arguments: args }) =>
      rawJson(
        `{"resultType":"complete","content":[],"structuredContent":${values[(args as { index: number }).index]}}`,
      ),
  });
  const limits = { resultTokens: Number.POSITIVE_INFINITY };
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }], { limits });
  const { model, prompts } = scripted(values.map((_, index) => [['s__t', { index }]]));
  await run(toolset.tools, model);
  const results = resultsIn(prompts.at(-1)!);
  expect(results.slice(0, 5)).toMatchObject(
    values.slice(0, 5).map((text) => ({ type: 'json', value: JSON.parse(text) })),
  );
  expect(results[5]).toMatchObject({ type: 'text', value: deep });
});

it('P0 the schema objects accept everything: execute alone judges', async () => {
  const server = await rig.raw({ tools: [tool('t', { inputSchema: { type: 'object', required: ['q'] } })] });
  const { toolset } = await rig.wire([{ name: 's', type: 'http', url: server.url }]);
  const { inputSchema } = toolset.tools.s__t as McpTool;
  for (const value of [{}, { q: 1 }, null, 'x', [1]]) {
    expect(await inputSchema['~standard'].validate(value)).toEqual({ value });
    expect(await asSchema(inputSchema as never).validate?.(value)).toEqual({ success: true, value });
  }
});
