import { McpConfigError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import { checkKeys } from './checks.js';
import { DEFAULTS } from './defaults.js';

export interface ResolvedDisclosure {
  readonly budget: number;
  readonly total: number | undefined;
  readonly alwaysLoad: readonly string[];
}

/** The option `disclosure` with its defaults. Throws `McpConfigError` (W3). */
export function resolveDisclosure(disclosure: unknown = {}): ResolvedDisclosure {
  if (!isRecord(disclosure)) throw new McpConfigError('`disclosure` must be an object.');
  checkKeys(disclosure, ['budget', 'total', 'alwaysLoad'], [], '`disclosure`');
  const { budget = 'auto', total, alwaysLoad = [] } = disclosure;
  if (!Array.isArray(alwaysLoad) || !alwaysLoad.every((name) => typeof name === 'string' && name !== '')) {
    throw new McpConfigError('`disclosure.alwaysLoad` must be a list of names of servers or tools.');
  }
  return {
    budget: budget === 'auto' ? DEFAULTS.disclosureBudget : checkTokens(budget, "disclosure.budget` must be 'auto' or"),
    total: total === undefined ? undefined : checkTokens(total, 'disclosure.total` must be'),
    alwaysLoad: [...alwaysLoad],
  };
}

function checkTokens(value: unknown, rule: string): number {
  if (typeof value === 'number' && value >= 0) return value;
  throw new McpConfigError(`\`${rule} a number of tokens from 0, or Infinity.`);
}
