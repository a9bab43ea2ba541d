import type { SurveyedTool } from '../catalog/survey.js';
import type { Report } from '../core/diagnostics.js';
import { createHiddenFound, type HiddenFound, removeTags, toHiddenText } from '../core/hidden-text.js';
import { jsonText } from '../core/json.js';
import type { ContentBlock, McpToolResult } from '../core/tools.js';

type Details = { readonly server: string; readonly tool: string };

/** Takes tag characters, in which a text for the model alone can be hidden, out of a result (G10). */
export type CleanResult = (result: McpToolResult, tool: SurveyedTool, details: Details) => McpToolResult;

/** The rest of a result is data and stays as it is. Reported once for each definition. */
export function createResultCleaner(report: Report): CleanResult {
  const told = new WeakSet<SurveyedTool>();
  return (result, tool, details) => {
    const found = createHiddenFound();
    const content = result.content.map((block) => cleanBlock(block, found));
    const { structuredContent: value } = result;
    const structuredContent = value === undefined ? undefined : cleanValue(value, found);
    if (found.count === 0) return result;
    if (!told.has(tool)) {
      const message = `A result of \`${details.tool}\` (server \`${details.server}\`) held ${found.count} tag characters, which nobody sees; they were removed.`;
      const data = { ...toHiddenText(found), removed: true, where: [] };
      report({ code: 'hidden-text', level: 'warn', message, ...details, data });
    }
    told.add(tool);
    return { ...result, content, ...(value === undefined ? {} : { structuredContent }) };
  };
}

function cleanBlock(block: ContentBlock, found: HiddenFound): ContentBlock {
  if (block.type === 'image' || block.type === 'audio') return block;
  if (block.type === 'text' && typeof block.text === 'string') {
    const text = removeTags(block.text, found);
    return text === block.text ? block : { ...block, text };
  }
  const resource = (block as { readonly resource?: { readonly blob?: unknown } | null }).resource;
  // Base64 cannot hold any, and is long.
  return typeof resource?.blob === 'string' ? block : cleanValue(block, found);
}

/** JSON text holds these characters as they are, at every depth. */
function cleanValue<T>(value: T, found: HiddenFound): T {
  const text = jsonText(value) ?? '';
  const clean = removeTags(text, found);
  return clean === text ? value : (JSON.parse(clean) as T);
}
