import type { Report } from '../core/diagnostics.js';
import { type CheckArguments, createArgumentsCheck } from './arguments.js';
import { type CheckOutput, createOutputCheck } from './output.js';

/** What judges values by a tool's schemas; loaded at the first call. */
export interface Checks {
  readonly checkArguments: CheckArguments;
  readonly checkOutput: CheckOutput;
}

export function createChecks(rules: { readonly strict: boolean; readonly report: Report }): Checks {
  return { checkArguments: createArgumentsCheck(), checkOutput: createOutputCheck(rules) };
}
