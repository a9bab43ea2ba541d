// #region agent
import { generateText, type LanguageModel, stepCountIs } from 'ai';
import { mcpTools } from 'mcp-toolset';

export async function answer(url: string, prompt: string, model: LanguageModel = 'openai/gpt-5-mini') {
  const { tools, close } = await mcpTools([{ name: 'docs', type: 'http', url }]);
  try {
    const { text } = await generateText({ model, tools, prompt, stopWhen: stepCountIs(8) });
    return text;
  } finally {
    await close();
  }
}
// #endregion
