import type { Report } from '../core/diagnostics.js';
import { type CheckArguments, createArgumentsCheck } from './arguments.js';
import { type CheckOutput, createOutputCheck } from './output.js';
import { type CleanResult, createResultCleaner } from './tags.js';

/** What judges arguments and results; loaded at the first call. */
export interface Checks {
  readonly checkArguments: CheckArguments;
  readonly checkOutput: CheckOutput;
  readonly cleanResult: CleanResult;
}

export function createChecks(rules: { readonly strict: boolean; readonly report: Report }): Checks {
  return {
    checkArguments: createArgumentsCheck(),
    checkOutput: createOutputCheck(rules),
    cleanResult: createResultCleaner(rules.report),
  };
}
