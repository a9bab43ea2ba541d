import { expect, it } from 'vitest';
import { createHeldResults } from '../../../../src/calls/held.js';
import { createDescribeTool } from '../../../../src/toolset/helpers/describe-tool.js';
import { createReadResult } from '../../../../src/toolset/helpers/read-result.js';

const describeTool = createDescribeTool(
  (name) => ({ name, error: 'no' }),
  () => false,
);
const held = createHeldResults(1_000);
const readResult = createReadResult(held, 100, () => false);

it('D8 our own tools take their arguments as JSON text too', async () => {
  const [told] = (await describeTool.tool.execute('{"names":["a"]}')).content;
  expect(told).toEqual({ type: 'text', text: '{"tools":[{"name":"a","error":"no"}]}' });
  const [read] = (await readResult.tool.execute(JSON.stringify({ handle: held.hold('whole') }))).content;
  expect(read).toEqual({ type: 'text', text: 'whole' });
});

it.each([
  [
    'that throw when they are read',
    {
      get names(): never {
        throw new Error('secret');
      },
      get handle(): never {
        throw new Error('secret');
      },
    },
  ],
  ['that are no JSON', 'names'],
  ['that are a number', 5],
])('D7 our own tools refuse arguments %s by name', async (_, args) => {
  for (const [{ tool }, path] of [
    [describeTool, '/names'],
    [readResult, '/handle'],
  ] as const) {
    const error = await tool.execute(args).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'invalid-arguments', issues: [{ path }] });
    expect(String(error)).not.toContain('secret');
  }
});
