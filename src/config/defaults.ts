import type { Limits } from './options.js';

/** The only table of defaults. */
export const DEFAULTS = {
  timeoutMs: 60_000,
  /** `maxTotalMs` is this many times `timeoutMs`. */
  totalFactor: 10,
  connectTimeoutMs: 10_000,
  limits: {
    listPages: 64,
    toolsPerServer: 10_000,
    listBytes: 16 * 1024 * 1024,
    responseBytes: 32 * 1024 * 1024,
    mediaBytes: 20 * 1024 * 1024,
    schemaDepth: 64,
    schemaNodes: 10_000,
    redirects: 5,
  } satisfies Limits,
  clientInfo: { name: 'mcp-toolset', version: '0.1.0' },
} as const;

/** `setTimeout` takes no longer wait than this. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Options that have a place in the API and no code yet: giving one is an error, so that none is silently ignored. */
export const OPTIONS_TO_COME: readonly string[] = [
  'disclosure',
  'policy',
  'approvals',
  'journal',
  'runId',
  'storage',
  'reconcile',
  'strictOutput',
  'waitUntil',
  'onElicitation',
];
export const LIMITS_TO_COME: readonly string[] = ['resultTokens'];
export const SERVER_FIELDS_TO_COME: readonly string[] = ['deduplicates'];
