import { generateText, streamText, type Tool, type ToolSet } from 'ai';
import { expectTypeOf, it } from 'vitest';
import type { McpTool, McpToolset, ModelOutput } from '../../src/index.js';

declare const toolset: McpToolset;
declare const tool: McpTool;

it("P0 the map, a copy of it and a mix with the host's own tools are tool sets of the AI SDK", () => {
  const whole: ToolSet = toolset.tools;
  const copied: ToolSet = { ...toolset.tools };
  const mixed: ToolSet = { ...toolset.tools, own: tool };
  const single: Tool = tool;
  expectTypeOf(whole).toExtend<ToolSet>();
  expectTypeOf([copied, mixed]).toExtend<ToolSet[]>();
  expectTypeOf(single).toExtend<Tool>();
});

it('P0 generateText and streamText take the map without a cast', () => {
  type Model = Parameters<typeof generateText>[0]['model'];
  const model = {} as Model;
  expectTypeOf(() => generateText({ model, prompt: 'x', tools: toolset.tools })).toBeFunction();
  expectTypeOf(() => streamText({ model, prompt: 'x', tools: { ...toolset.tools, own: tool } })).toBeFunction();
});

it('R2 what toModelOutput returns is a result of the AI SDK', () => {
  type Output = Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>;
  expectTypeOf<ModelOutput>().toExtend<Output>();
  expectTypeOf(tool.toModelOutput).returns.toEqualTypeOf<ModelOutput>();
});
