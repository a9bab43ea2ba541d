import { afterEach, beforeAll, expect } from 'vitest';
import {
  type Diagnostic,
  isMcpError,
  type McpError,
  type McpErrorCode,
  type McpOptions,
  type McpServerConfig,
  type McpToolset,
  mcpTools,
} from '../../src/index.js';
import type { FaultPlan } from '../../src/testing/faults/plan.js';
import { type FaultServer, type FaultServerOptions, faultServer } from '../../src/testing/faults/server.js';
import { loadSdk } from '../../src/transports/sdk.js';
import { CANARY_HEADERS, CANARY_QUERY, expectNoSecrets } from '../support/canaries.js';
import { createKeep } from '../support/keep.js';

/** Every way in which a server may be spoken to. */
export const KINDS = {
  'legacy, JSON': { era: 'legacy', format: 'json' },
  'legacy, SSE': { era: 'legacy', format: 'sse' },
  'modern, JSON': { era: 'modern', format: 'json' },
  'modern, SSE': { era: 'modern', format: 'sse' },
  'SSE transport': { era: 'legacy', transport: 'sse' },
} as const satisfies Record<string, FaultServerOptions>;
export type Kind = keyof typeof KINDS;
export const ALL_KINDS = Object.keys(KINDS) as Kind[];
export const HTTP_KINDS = ALL_KINDS.filter((kind) => kind !== 'SSE transport');
/** Those with sessions that the client names in each request. */
export const SESSION_KINDS = ['legacy, JSON', 'legacy, SSE'] as const satisfies readonly Kind[];
export const MODERN_KINDS = ['modern, JSON', 'modern, SSE'] as const satisfies readonly Kind[];

/** What counts as at once, on a machine that does other things too. */
export const AT_ONCE_MS = 2_500;

export interface Stand {
  readonly server: FaultServer;
  readonly toolset: McpToolset;
  readonly diagnostics: readonly Diagnostic[];
  /** Runs the effect of a key. */
  effect(key: string, options?: CallOptions): Promise<unknown>;
  call(tool: string, args: unknown, options?: CallOptions): Promise<unknown>;
}

export interface CallOptions {
  readonly abortSignal?: AbortSignal;
}

export interface StandOptions extends Omit<McpOptions, 'onDiagnostic'> {
  readonly plan?: FaultPlan;
  readonly server?: FaultServerOptions;
  readonly source?: Partial<McpServerConfig>;
}

/** With secrets in it, which no error and no report may show. */
export const sourceOf = (kind: Kind, { url }: { readonly url: string }, name = 's') =>
  ({
    name,
    type: kind === 'SSE transport' ? 'sse' : 'http',
    url: url + CANARY_QUERY,
    headers: CANARY_HEADERS,
  }) as const;

/** Starts fault servers and toolsets for one test file; what was started is closed after each test. */
export function createStands() {
  const shown: (() => unknown)[] = [];
  // Hooks run last one first: what closing reports is looked at too.
  afterEach(() => {
    for (const show of shown.splice(0)) expectNoSecrets(show());
  });
  const keep = createKeep();
  // The first connect of a process loads what connects, the SDK among it, and a busy machine takes longer for that than some of
  // these tests give it.
  beforeAll(async () => void (await Promise.all([import('../../src/connection/handshake.js'), loadSdk()])));
  /** After the test, nothing that was reported of this toolset may show a secret. */
  const watch = (toolset: McpToolset, diagnostics: readonly Diagnostic[]) =>
    shown.push(() => [diagnostics, toolset.servers, toolset.inspect(), toolset.tools]);
  return {
    keep,
    watch,
    /** A server of this kind, and a toolset that has connected to it before the plan begins. */
    async stand(kind: Kind, { plan = [], server: config, source, ...options }: StandOptions = {}): Promise<Stand> {
      const server = keep(await faultServer([], { ...KINDS[kind], ...config }));
      const diagnostics: Diagnostic[] = [];
      const toolset = keep(
        await mcpTools([{ ...sourceOf(kind, server), ...source } as McpServerConfig], {
          timeoutMs: 20_000,
          onServerError: 'throw',
          ...options,
          onDiagnostic: (diagnostic) => void diagnostics.push(diagnostic),
        }),
      );
      watch(toolset, diagnostics);
      server.reset();
      server.script(plan);
      const call = (tool: string, args: unknown, { abortSignal }: CallOptions = {}) =>
        toolset.tools[`s__${tool}`]!.execute(args, abortSignal === undefined ? {} : { abortSignal });
      return { server, toolset, diagnostics, call, effect: (key, rest) => call('effect', { key }, rest) };
    },
  };
}

export type Ended =
  | { readonly code: 'ok'; readonly value: unknown; readonly ms: number }
  | { readonly code: McpErrorCode; readonly error: McpError; readonly ms: number };

/** How a call ended, and after how long. What it rejects with must be ours, and show no secret (R7). */
export async function ended(work: Promise<unknown>): Promise<Ended> {
  const startedAt = performance.now();
  try {
    const value = await work;
    return { code: 'ok', value, ms: performance.now() - startedAt };
  } catch (error) {
    if (!isMcpError(error)) throw new Error('It rejected with a foreign error', { cause: error });
    expectNoSecrets(error);
    return { code: error.code, error, ms: performance.now() - startedAt };
  }
}

/** The error that a call ended with. */
export async function failure(work: Promise<unknown>): Promise<McpError> {
  const end = await ended(work);
  if (end.code === 'ok') throw new Error(`It resolved: ${JSON.stringify(end.value)?.slice(0, 200)}`);
  return end.error;
}

export const callsOf = ({ requests }: FaultServer) => requests.filter(({ method }) => method === 'tools/call');
export const countOf = ({ requests }: FaultServer, method: string) =>
  requests.filter((request) => (request.method ?? request.http) === method).length;
/** Handshakes that were begun, by the request that every one of them has. */
export const handshakes = (kind: Kind, server: FaultServer) =>
  countOf(server, KINDS[kind].era === 'legacy' ? 'initialize' : 'server/discover');
export const doneText = (key: string) => ({ content: [{ type: 'text', text: `done: ${key}` }] });

/** Fails where an effect ran more than once. */
export function noneTwice({ effects }: FaultServer): void {
  expect([...effects].filter(([, times]) => times !== 1)).toEqual([]);
}
