import type {
  Diagnostic,
  McpError,
  McpOptions,
  McpServerSource,
  McpTool,
  McpToolSummary,
  McpToolset,
} from '../../src/index.js';
import { isMcpError, mcpTools } from '../../src/index.js';
import { expectNoSecrets } from '../support/canaries.js';
import { createKeep } from '../support/keep.js';
import { type RawServer, type RawServerOptions, startRawServer } from '../support/raw-server.js';
import { type RawSseOptions, type RawSseServer, startRawSse } from '../support/raw-sse.js';

/** A toolset, and everything it reported. */
export interface Wired {
  readonly toolset: McpToolset;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Rig {
  raw(options?: RawServerOptions): Promise<RawServer>;
  sse(options?: RawSseOptions): Promise<RawSseServer>;
  wire(servers: readonly McpServerSource[], options?: McpOptions): Promise<Wired>;
  /** Closed after the test, with everything else. */
  keep<T extends { close(): Promise<void> }>(closable: T): T;
}

/** Starts servers and toolsets for one test file; what was started is closed after each test. */
export function createRig(): Rig {
  const keep = createKeep();
  return {
    keep,
    raw: async (options) => keep(await startRawServer(options)),
    sse: async (options) => keep(await startRawSse(options)),
    async wire(servers, options = {}) {
      const diagnostics: Diagnostic[] = [];
      const onDiagnostic = (diagnostic: Diagnostic) => {
        diagnostics.push(diagnostic);
        options.onDiagnostic?.(diagnostic);
      };
      const toolset = keep(await mcpTools(servers, { ...options, onDiagnostic }));
      return { toolset, diagnostics };
    },
  };
}

/** The error that a promise rejects with. Fails when it does not reject, with something that is not ours, or showing a secret (R7). */
export async function rejection(work: Promise<unknown>): Promise<McpError> {
  const outcome = await work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if (!('error' in outcome)) throw new Error(`It resolved: ${JSON.stringify(outcome.value)?.slice(0, 200)}`);
  if (!isMcpError(outcome.error)) throw new Error('It rejected with a foreign error', { cause: outcome.error });
  expectNoSecrets(outcome.error);
  return outcome.error;
}

export const tool = (name: string, rest: Record<string, unknown> = {}) => ({
  name,
  description: `The ${name} tool.`,
  inputSchema: { type: 'object', properties: { q: { type: ['string', 'number'] } } },
  ...rest,
});

/** The servers' tools of a map, without our own helpers. */
export function remoteOf(tools: Readonly<Record<string, McpTool>>): Record<string, McpTool> {
  return Object.fromEntries(Object.entries(tools).filter(([, { metadata }]) => metadata.server !== ''));
}

export function namesOf(tools: Readonly<Record<string, McpTool>>): string[] {
  return Object.keys(remoteOf(tools));
}

/** What is described of the servers' tools, without our own helpers. */
export function remoteTools(toolset: Pick<McpToolset, 'describeTools'>): McpToolSummary[] {
  return toolset.describeTools().filter(({ server }) => server !== '');
}

/** Everything the model is shown of a toolset, as one text (L5). */
export function definitionBytes({ tools }: McpToolset): string {
  return JSON.stringify(
    Object.entries(tools).map(([name, { title, description, inputSchema }]) => [
      name,
      title,
      description,
      inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' }),
    ]),
  );
}

export const ERAS = ['legacy', 'modern'] as const;
