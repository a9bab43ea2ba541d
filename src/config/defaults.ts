import type { Limits } from './options.js';

/** Estimated tokens of one server's definitions: about a tenth of a context window of 200,000. */
export const DEFAULT_DISCLOSURE_BUDGET_TOKENS = 20_000;

/** The only table of defaults. */
export const DEFAULTS = {
  timeoutMs: 60_000,
  /** `maxTotalMs` is this many times `timeoutMs`. */
  totalFactor: 10,
  connectTimeoutMs: 10_000,
  disclosureBudget: DEFAULT_DISCLOSURE_BUDGET_TOKENS,
  limits: {
    listPages: 64,
    toolsPerServer: 10_000,
    listBytes: 16 * 1024 * 1024,
    responseBytes: 32 * 1024 * 1024,
    mediaBytes: 20 * 1024 * 1024,
    schemaDepth: 64,
    schemaNodes: 10_000,
    resultTokens: 25_000,
    redirects: 5,
  } satisfies Limits,
  clientInfo: { name: 'mcp-toolset', version: '0.1.0' },
} as const;

/** `setTimeout` takes no longer wait than this. */
export const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** Options that have a place in the API and no code yet: giving one is an error, so that none is silently ignored. */
export const OPTIONS_TO_COME: readonly string[] = [
  'policy',
  'approvals',
  'journal',
  'runId',
  'storage',
  'reconcile',
  'waitUntil',
  'onElicitation',
];
export const SERVER_FIELDS_TO_COME: readonly string[] = ['deduplicates'];
