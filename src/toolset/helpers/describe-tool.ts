import { MCP_DESCRIBE_TOOL } from '../../core/helper-names.js';
import { jsonText, readJson } from '../../core/json.js';
import type { JsonSchema } from '../../core/tools.js';
import { createHelper, type Helper, invalidArguments, textResult } from './helper.js';

/** What can be told of a projected name. */
export type Description =
  | { readonly name: string; readonly title?: string; readonly description: string; readonly inputSchema: JsonSchema }
  | { readonly name: string; readonly error: string };

const DESCRIPTION =
  'Returns the complete input schema of tools whose schemas are shortened or left out here. Ask for all the tools you are about to call at once.';

const INPUT_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    names: {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      description: 'Names of tools, as they are listed.',
    },
  },
  required: ['names'],
  additionalProperties: false,
};

/** Answers from the catalogue, and never asks a server (D6). */
export function createDescribeTool(describe: (name: string) => Description, isClosed: () => boolean): Helper {
  const run = ({ names }: Readonly<Record<string, unknown>>) => {
    const descriptions = [...new Set(readNames(names))].map(describe);
    return textResult(jsonText({ tools: descriptions }) ?? '');
  };
  return createHelper({ name: MCP_DESCRIBE_TOOL, description: DESCRIPTION, inputSchema: INPUT_SCHEMA, run }, isClosed);
}

/** A model that gives one name, or writes the list as text, is understood. */
function readNames(given: unknown): readonly string[] {
  const parsed = typeof given === 'string' ? (readJson(given) ?? given) : given;
  const names: readonly unknown[] = Array.isArray(parsed) ? parsed : [given];
  if (names.length > 0 && names.every((name) => typeof name === 'string')) return names;
  throw invalidArguments(
    MCP_DESCRIBE_TOOL,
    '/names',
    'must be a list of tool names, such as {"names": ["server__tool"]}',
  );
}
