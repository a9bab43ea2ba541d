import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { afterEach, expect } from 'vitest';
import type { CustomServer, Diagnostic, McpOptions, McpServerSource, McpToolset } from '../../src/index.js';
import { mcpTools } from '../../src/index.js';
import { CANARY_HEADERS, CANARY_QUERY, expectNoSecrets } from '../support/canaries.js';
import { createKeep } from '../support/keep.js';
import { type RawServer, type RawServerOptions, startRawServer } from '../support/raw-server.js';
import { type RawSseOptions, type RawSseServer, startRawSse } from '../support/raw-sse.js';

/** A tool as a server publishes it. */
export const tool = (name: string) => ({
  name,
  description: `The ${name} tool.`,
  inputSchema: { type: 'object', properties: { q: { type: ['string', 'number'] } } },
});

/** Starts servers and toolsets for one test file. What was started is closed after each test, what was reported is checked. */
export function createKit() {
  let diagnostics: Diagnostic[] = [];
  const toolsets: McpToolset[] = [];
  // Hooks run last one first: what closing reports is checked too.
  afterEach(() => {
    const reported = diagnostics;
    diagnostics = [];
    for (const toolset of toolsets.splice(0)) expectNoSecrets(toolset.servers, toolset.inspect(), toolset.tools);
    expectNoSecrets(reported);
    for (const diagnostic of reported) checkDiagnostic(diagnostic);
  });
  const keep = createKeep();
  const listen = (diagnostic: Diagnostic) => void diagnostics.push(diagnostic);
  return {
    keep,
    /** Everything reported in this test so far. */
    get diagnostics(): readonly Diagnostic[] {
      return diagnostics;
    },
    /** Give it as `onDiagnostic` where `wire` is not used. */
    listen,
    raw: async (options: RawServerOptions = {}): Promise<RawServer> =>
      keep(await startRawServer({ tools: [tool('a')], ...options })),
    sse: async (options: RawSseOptions = {}): Promise<RawSseServer> =>
      keep(await startRawSse({ tools: [tool('a')], ...options })),
    async wire(servers: readonly McpServerSource[], options: McpOptions = {}): Promise<McpToolset> {
      const toolset = keep(await mcpTools(servers, { onDiagnostic: listen, ...options }));
      toolsets.push(toolset);
      return toolset;
    },
  };
}

/** With secrets in it, which no error and no report may show. */
export const http = (name: string, server: { readonly url: string }) =>
  ({ name, type: 'http', url: server.url + CANARY_QUERY, headers: CANARY_HEADERS }) as const;

/** The text of the single block that an echoing tool answers with. */
export async function callText(toolset: Pick<McpToolset, 'tools'>, name: string, args: unknown = {}): Promise<unknown> {
  const { content } = await toolset.tools[name]!.execute(args);
  return (content[0] as { text?: unknown } | undefined)?.text;
}

/** What `promise` rejects with. It shows no secret (R7). */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    expectNoSecrets(error);
    return error;
  }
  throw new Error('it did not reject');
}

/** Fails where `work` takes longer than `ms`, with a message that says so. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not settled within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

const isString = (value: unknown) => typeof value === 'string' && value !== '';
const isNumber = (value: unknown) => typeof value === 'number';

/** The documented fields of each code's `data`, exactly (O1). */
const DATA: Readonly<Record<Diagnostic['code'], Readonly<Record<string, (value: unknown) => boolean>>>> = {
  'server-failed': { errorCode: isString, required: (value) => typeof value === 'boolean' },
  'server-name-collision': {
    configuredName: isString,
    names: (value) => Array.isArray(value) && value.every(isString),
  },
  'name-rewritten': { from: isString, to: isString },
  'name-moved': { from: isString, to: isString },
  'tool-quarantined': { reason: isString },
  'duplicate-tool': { count: isNumber },
  'discovery-truncated': { reason: isString, pages: isNumber, tools: isNumber },
  'filter-unmatched': { entry: isString },
  'disclosure-budget-exceeded': { scope: isString, tools: isNumber, floor: isNumber, budget: isNumber },
  'hidden-text': {
    codePoints: Array.isArray,
    count: isNumber,
    removed: (value) => typeof value === 'boolean',
    where: Array.isArray,
  },
  'output-mismatch': { paths: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string') },
  'arguments-coerced': { paths: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string') },
  'result-truncated': { tokens: isNumber, limit: isNumber },
  'authorization-overridden': { by: isString },
  'secret-in-url': { parameters: (value) => Array.isArray(value) && value.every(isString) },
  'connection-repaired': { repair: isString },
  'config-skipped': {},
  'entry-skipped': { reason: isString },
  'process-output': { lines: isNumber },
  'stream-lost': { times: isNumber },
};

/** Fails for a diagnostic that is not what `DiagnosticData` documents. */
export function checkDiagnostic(diagnostic: Diagnostic): void {
  const { code, level, message, server, tool: named, data, ...rest } = diagnostic;
  const fields = DATA[code];
  expect(rest).toEqual({});
  expect(fields, `unknown code ${code}`).toBeDefined();
  expect(['info', 'warn', 'error']).toContain(level);
  expect(message).toEqual(expect.stringMatching(/\S/));
  for (const name of [server, named]) if (name !== undefined) expect(typeof name).toBe('string');
  expect(Object.keys(data).sort()).toEqual(Object.keys(fields).sort());
  for (const [key, check] of Object.entries(fields)) {
    expect(check((data as Record<string, unknown>)[key]), `${code}.${key}`).toBe(true);
  }
}

export interface FakeTransport extends Transport {
  readonly sent: readonly JSONRPCMessage[];
  readonly closes: number;
}

export interface FakeOptions {
  /** The whole answer but for `jsonrpc` and `id`; undefined never answers. Default: a legacy server with the tool `a`. */
  readonly answer?: (method: string, params: Record<string, unknown>) => object | undefined;
  readonly start?: () => Promise<void>;
  readonly close?: () => Promise<void>;
}

/** A transport with a server inside it that knows the old handshake and the tool `a`. */
export function fakeTransport({ answer = answerLegacy, start, close }: FakeOptions = {}): FakeTransport {
  const sent: JSONRPCMessage[] = [];
  let closes = 0;
  const transport: FakeTransport = {
    sent,
    get closes() {
      return closes;
    },
    start: async () => start?.(),
    async send(message) {
      sent.push(message);
      if (!('method' in message) || !('id' in message)) return;
      const { id, method, params } = message;
      const answered = answer(method, (params ?? {}) as Record<string, unknown>);
      if (answered === undefined) return;
      queueMicrotask(() => transport.onmessage?.({ jsonrpc: '2.0', id, ...answered } as JSONRPCMessage));
    },
    async close() {
      closes += 1;
      await close?.();
      transport.onclose?.();
    },
  };
  return transport;
}

function answerLegacy(method: string, params: Record<string, unknown>): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: { name: 'fake', version: '1.0.0' },
        },
      };
    case 'tools/list':
      return { result: { tools: [tool('a')] } };
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: JSON.stringify(params.arguments) }] } };
    default:
      return { error: { code: -32601, message: `Method not found: ${method}` } };
  }
}

export const custom = (name: string, connect: CustomServer['connect']): CustomServer => ({
  name,
  type: 'custom',
  connect,
});
