import { generateText, stepCountIs, type ToolSet } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';

type Generate = NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>['doGenerate'];
export type Options = Parameters<Extract<Generate, (...args: never) => unknown>>[0];
type Result = Awaited<ReturnType<Extract<Generate, (...args: never) => unknown>>>;

export const USAGE: Result['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** What the model does: tool calls for each step, by name and arguments; after the last step it says that it is done. */
export type Script = readonly (readonly (readonly [name: string, input: unknown])[])[];

export function scripted(script: Script) {
  const prompts: Options[] = [];
  const next = (options: Options): { content: Result['content']; finishReason: Result['finishReason'] } => {
    const calls = script[prompts.push(options) - 1];
    if (calls === undefined) {
      return { content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop', raw: 'stop' } };
    }
    const content = calls.map(([toolName, input], index) => ({
      type: 'tool-call' as const,
      toolCallId: `call-${prompts.length}-${index}`,
      toolName,
      input: JSON.stringify(input),
    }));
    return { content, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } };
  };
  const model = new MockLanguageModelV4({
    doGenerate: async (options) => ({ ...next(options), usage: USAGE, warnings: [] }),
    doStream: async (options) => {
      const { content, finishReason } = next(options);
      const parts = content.flatMap((part) =>
        part.type === 'text'
          ? [
              { type: 'text-start' as const, id: '1' },
              { type: 'text-delta' as const, id: '1', delta: part.text },
              { type: 'text-end' as const, id: '1' },
            ]
          : [part as never],
      );
      return {
        stream: convertArrayToReadableStream([
          { type: 'stream-start', warnings: [] },
          ...parts,
          { type: 'finish', finishReason, usage: USAGE },
        ]),
      };
    },
  });
  return { model, prompts };
}

export const run = (tools: ToolSet, model: MockLanguageModelV4) =>
  generateText({ model, tools, prompt: 'go', stopWhen: stepCountIs(20) });

/** Name, description and schema of each tool, as the provider was given them. */
export const offered = ({ tools = [] }: Options) =>
  tools.map((each) => (each.type === 'function' ? [each.name, each.description, each.inputSchema] : []));

/** The tool results that a prompt carries, in order. */
export const resultsIn = ({ prompt }: Options) =>
  prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : [],
  );
