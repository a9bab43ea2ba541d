import type { JsonSchema, StandardSchemaWithJson } from '../core/tools.js';

const VENDOR = 'mcp-toolset';
/** What makes an object an AI SDK schema; without it `ai` 7 closes open objects at every level (P0). */
const AI_SDK_SCHEMA = Symbol.for('vercel.ai.schema');

/**
 * A tool's `inputSchema` for every framework at once (P0). `read` gives a fresh clone, so that no framework can change ours,
 * and is asked each time, so that a tool whose definition moved shows what it is now. Nothing is validated here: a framework
 * that rejected, coerced or hid an error before `execute` would take the correction away from the model (D7).
 */
export function createInputSchema(read: () => JsonSchema): StandardSchemaWithJson {
  const accept = (value: unknown) => ({ value });
  return {
    '~standard': { version: 1, vendor: VENDOR, validate: accept, jsonSchema: { input: read, output: read } },
    [AI_SDK_SCHEMA]: true,
    get jsonSchema() {
      return read();
    },
    validate: async (value: unknown) => ({ success: true, value }),
  } as StandardSchemaWithJson;
}
