import { detachArguments } from '../../calls/detach.js';
import { toModelOutput } from '../../calls/model-output.js';
import { fingerprint } from '../../catalog/fingerprint.js';
import { estimateTokens } from '../../catalog/tokens.js';
import { McpClosedError, McpInvalidArgumentsError } from '../../core/errors.js';
import { cloneJson } from '../../core/json.js';
import type { JsonSchema, McpTool, McpToolResult, McpToolSummary } from '../../core/tools.js';
import { createInputSchema } from '../../schema/input-schema.js';

/** A tool of our own: in the map and in `describeTools()`, and never sent, gated or journaled (N5). */
export interface Helper {
  readonly tool: McpTool;
  summarise(): McpToolSummary;
}

export interface HelperDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  /** Answers, or throws `McpInvalidArgumentsError`. */
  run(args: Readonly<Record<string, unknown>>): McpToolResult;
}

export function createHelper(
  { name, description, inputSchema, run }: HelperDefinition,
  isClosed: () => boolean,
): Helper {
  const definition = { description, inputSchema };
  return {
    tool: {
      type: 'dynamic',
      description,
      inputSchema: createInputSchema(() => cloneJson(inputSchema)),
      metadata: {
        server: '',
        tool: name,
        get fingerprint() {
          return fingerprint(definition);
        },
        disclosure: 'full',
        state: 'active',
      },
      async execute(args) {
        if (isClosed()) throw new McpClosedError(`The toolset was closed; make a new one to call \`${name}\`.`);
        const given = detachArguments(args);
        // What cannot be read lacks what is required, and is refused for that.
        return run(given.ok ? given.args : {});
      },
      toModelOutput,
    },
    summarise() {
      const tokens = estimateTokens({ name, ...definition });
      return {
        name,
        server: '',
        tool: name,
        description,
        inputSchema: cloneJson(inputSchema),
        descriptionHash: fingerprint(definition),
        tokens: { full: tokens, projected: tokens },
        disclosure: 'full',
        state: 'active',
      };
    },
  };
}

export function textResult(...texts: readonly string[]): McpToolResult {
  return { content: texts.map((text) => ({ type: 'text', text })) };
}

export function invalidArguments(tool: string, path: string, problem: string): McpInvalidArgumentsError {
  const message = `The arguments of \`${tool}\` are not valid: ${path} ${problem}.`;
  return new McpInvalidArgumentsError(message, { tool, issues: [{ path, message: problem }] });
}
