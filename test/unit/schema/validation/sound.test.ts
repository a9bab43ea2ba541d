import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonSchema } from '../../../../src/core/tools.js';
import { createChecker } from '../../../../src/schema/validation/checker.js';
import { compile, type Reading } from '../../../support/schemas.js';
import { documents, ELSEWHERE, instances, lossyDocuments } from '../arbitrary-schemas.js';

const RUNS = Number(process.env.SCHEMA_RUNS ?? 300);
const SEED = Number(process.env.SCHEMA_SEED ?? 1);
const timeout = RUNS * 400;

const cases = [
  ['2020-12', documents, undefined],
  ['2020-12', lossyDocuments, undefined],
  ['draft-07', documents, 'http://json-schema.org/draft-07/schema#'],
] as const satisfies readonly (readonly [Reading, fc.Arbitrary<JsonSchema>, string | undefined])[];

it.each(cases)(
  'D7 G9 nothing that two validators accept is refused, read as %s',
  { timeout },
  (reading, all, $schema) => {
    const tally = { accepted: 0, refused: 0, caught: 0, unchecked: 0 };
    const property = fc.property(all, instances, (each, values) => {
      const document = $schema === undefined ? each : { ...each, $schema };
      const oracle = compile(document, { reading, elsewhere: { [ELSEWHERE]: true } });
      if (oracle === undefined) return;
      const checker = createChecker(document);
      for (const value of values) {
        const verdict = oracle(value);
        if (verdict === undefined) continue;
        const { kind } = checker.check(value);
        if (kind === 'unchecked') tally.unchecked += 1;
        if (verdict) {
          tally.accepted += 1;
          expect([value, kind]).not.toEqual([value, 'invalid']);
        } else {
          tally.refused += 1;
          if (kind === 'invalid') tally.caught += 1;
        }
      }
    });
    fc.assert(property, { numRuns: RUNS, seed: SEED });
    if (process.env.SCHEMA_FIGURES !== undefined) console.log(reading, tally);
    expect(tally.accepted).toBeGreaterThan(RUNS / 2);
    expect(tally.caught).toBeGreaterThan(RUNS / 10);
  },
);
