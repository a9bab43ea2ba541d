import type { HeldResults } from '../../calls/held.js';
import type { Catalogue } from '../catalogue.js';
import { describe, shownOf } from '../forms.js';
import { createDescribeTool, type Description } from './describe-tool.js';
import type { Helper } from './helper.js';
import { createReadResult } from './read-result.js';

export interface HelperDeps {
  readonly lookUp: Catalogue['lookUp'];
  readonly held: HeldResults;
  /** Estimated tokens of one result; no result is cut where it is infinite. */
  readonly resultTokens: number;
  isClosed(): boolean;
}

/** Our own tools: one to see what is hidden, where something is (D1), and one to read what was cut (R4). */
export function createHelpers({
  lookUp,
  held,
  resultTokens,
  isClosed,
}: HelperDeps): (hides: boolean) => readonly Helper[] {
  const describeTool = createDescribeTool((name) => describeTo(name, lookUp(name)), isClosed);
  const readResult = resultTokens === Number.POSITIVE_INFINITY ? [] : [createReadResult(held, resultTokens, isClosed)];
  return (hides) => (hides ? [describeTool, ...readResult] : readResult);
}

/** The schema as the server sent it, without hidden text: references stay references (P1, D6, G10). */
function describeTo(name: string, found: ReturnType<Catalogue['lookUp']>): Description {
  if ('refusal' in found) return { name, error: found.refusal };
  const { entry } = found.live;
  const { title, inputSchema } = shownOf(entry);
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: describe(entry),
    inputSchema,
  };
}
