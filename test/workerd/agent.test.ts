import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { expect, inject, it } from 'vitest';
import { mcpTools } from '../../src/index.js';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

it('P0 R2 the AI SDK runs an agent over the tools: the model gets their schemas, and their answers', async () => {
  const toolset = await mcpTools([{ name: 'sdk', type: 'http', url: inject('sdkDualUrl') }]);
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      if (prompt.at(-1)?.role === 'tool') {
        const text = JSON.stringify(prompt.at(-1)?.content);
        const finishReason = { unified: 'stop', raw: 'stop' } as const;
        return { content: [{ type: 'text', text }], finishReason, usage, warnings: [] };
      }
      const input = JSON.stringify({ message: 'hello' });
      const call = { type: 'tool-call', toolCallId: 'call-1', toolName: 'sdk__echo', input } as const;
      const finishReason = { unified: 'tool-calls', raw: 'tool_calls' } as const;
      return { content: [call], finishReason, usage, warnings: [] };
    },
  });
  try {
    const { text, steps } = await generateText({
      model,
      tools: toolset.tools,
      prompt: 'Say hello.',
      stopWhen: stepCountIs(3),
    });
    expect(steps).toHaveLength(2);
    expect(JSON.parse(text)).toMatchObject([{ toolName: 'sdk__echo', output: { type: 'text', value: 'hello' } }]);
    const shown = Object.fromEntries(
      (model.doGenerateCalls[0]?.tools ?? []).map((tool) => [
        tool.name,
        (tool as { inputSchema?: unknown }).inputSchema,
      ]),
    );
    expect(shown).toEqual(
      Object.fromEntries(toolset.describeTools().map(({ name, inputSchema }) => [name, inputSchema])),
    );
  } finally {
    await toolset.close();
  }
});
