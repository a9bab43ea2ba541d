import { cleanText, createHiddenFound, type HiddenText, toHiddenText } from '../core/hidden-text.js';
import type { JsonSchema } from '../core/tools.js';
import { cleanSchema } from '../schema/hidden.js';
import type { AdmittedTool } from './admit.js';

/** The texts of a definition as the model sees them, where they differ from what the server sent (G10). */
export interface CleanTexts {
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface HiddenReport extends HiddenText {
  /** Whether all of it was removed; what is functional keeps it. */
  readonly removed: boolean;
  /** JSON Pointers into the definition, at most 16. */
  readonly where: readonly string[];
}

export interface Cleaned {
  readonly clean: CleanTexts;
  readonly hidden: HiddenReport;
}

const PLACES_TOLD = 16;

/** Undefined where a definition hides nothing. The original is what is fingerprinted and checked against (S4, D7). */
export function cleanTool(tool: AdmittedTool): Cleaned | undefined {
  const found = createHiddenFound();
  const where = new Set<string>();
  let removed = true;
  const onHidden = (path: string, isRemoved: boolean) => {
    where.add(cleanText(path));
    removed &&= isRemoved;
  };
  const cleanAt = (path: string, text: string) => {
    const { count } = found;
    const cleaned = cleanText(text, found);
    if (found.count > count) onHidden(path, path !== '/name');
    return cleaned;
  };
  cleanAt('/name', tool.name);
  const { title } = tool;
  const clean = {
    ...(title === undefined ? {} : { title: cleanAt('/title', title) }),
    description: cleanAt('/description', tool.description),
    inputSchema: cleanSchema(tool.inputSchema, { found, onHidden }, '/inputSchema'),
  };
  if (found.count === 0) return undefined;
  return { clean, hidden: { ...toHiddenText(found), removed, where: [...where].slice(0, PLACES_TOLD) } };
}
