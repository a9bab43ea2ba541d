import type { ContractCase } from './contract.js';
import { baselineCases } from './stores/baseline-cases.js';
import { rowCases } from './stores/row-cases.js';
import type { MakeStore } from './stores/sample.js';
import { sizeCases } from './stores/size-cases.js';

/**
 * What every connection store must do (S1, S2, S3, S6, S9), as cases for any test runner. Each id is used by one case alone, so
 * `make` may give a new store or the same one each time; a case that ran before leaves rows behind.
 *
 * The largest case writes 16 MiB: give it 30 seconds.
 */
export function storeContract(make: MakeStore): ContractCase[] {
  return [...rowCases, ...baselineCases, ...sizeCases].map(([name, run]) => ({
    name,
    run: async () => run(await make()),
  }));
}
