import { type Admission, type AdmittedTool, findDuplicates } from './admit.js';
import { type Cleaned, cleanTool } from './hidden.js';
import { type ParamHeader, scanParamHeaders } from './param-headers.js';

export interface SurveyedTool extends AdmittedTool {
  /** Arguments to mirror as `Mcp-Param-*` headers (L6). */
  readonly paramHeaders: readonly ParamHeader[];
  /** Where the definition hides text: what the model sees of it instead, and what was found (G10). */
  readonly cleaned?: Cleaned;
}

/** A tool that is not exposed because of its own definition. */
export interface RefusedTool {
  /** The raw name; empty where the entry had none. */
  readonly name: string;
  readonly reason: string;
  /** How often the server publishes the name, where that is the reason (L3). */
  readonly duplicates?: number;
}

/** One server's listing, judged: well-formed tools with names of their own, and the rest with reasons. */
export interface Survey {
  readonly tools: readonly SurveyedTool[];
  readonly refused: readonly RefusedTool[];
}

/** Judges the entries of one server together (L1, L3, L6). `mirrors` is true on 2026-07-28 over HTTP. */
export function surveyEntries(entries: readonly Admission[], mirrors: boolean): Survey {
  const duplicates = findDuplicates(entries.flatMap((entry) => nameOf(entry) ?? []));
  const tools: SurveyedTool[] = [];
  const refused: RefusedTool[] = [];
  for (const [name, count] of duplicates) {
    refused.push({ name, duplicates: count, reason: `The server publishes this name ${count} times.` });
  }
  entries.forEach((entry, index) => {
    const name = nameOf(entry);
    if (name !== undefined && duplicates.has(name)) return;
    if (!entry.ok) {
      refused.push({ name: name ?? '', reason: name === undefined ? `Entry ${index}: ${entry.reason}` : entry.reason });
      return;
    }
    const scan = mirrors ? scanParamHeaders(entry.tool.inputSchema) : NOTHING_TO_MIRROR;
    const cleaned = cleanTool(entry.tool);
    if (scan.valid) tools.push({ ...entry.tool, paramHeaders: scan.declarations, ...(cleaned && { cleaned }) });
    else refused.push({ name: entry.tool.name, reason: scan.reason });
  });
  return { tools, refused };
}

const NOTHING_TO_MIRROR = { valid: true, declarations: [] } as const;

function nameOf(entry: Admission): string | undefined {
  return entry.ok ? entry.tool.name : entry.name;
}
