import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../../../src/core/tools.js';
import { createChecker } from '../../../../src/schema/validation/checker.js';
import { toIssues } from '../../../../src/schema/validation/issues.js';
import { costlyChecks } from '../../../support/costly-checks.js';
import { argumentsFor } from '../../../support/sample.js';
import { compile } from '../../../support/schemas.js';

/** What one check may take of the loop (G9). */
const MOST_MS = 50;
const RANDOM = Number(process.env.COSTLY_RUNS ?? 600);

/** The least of several times, and of the clock and the processor: what else the machine does only adds to them. */
function leastMs(work: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 10 && least > MOST_MS / 2; round++) {
    const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
    work();
    const { user, system } = process.cpuUsage(cpu);
    least = Math.min(least, performance.now() - startedAt, (user + system) / 1_000);
  }
  return least;
}

it('G9 no check takes longer than 50 ms, whatever the schema and the arguments, the first and its message included', {
  timeout: 240_000,
}, () => {
  const kinds: Record<string, number> = {};
  const slow: unknown[] = [];
  for (const { what, schema, args } of costlyChecks(RANDOM)) {
    const ms = leastMs(() => {
      const verdict = createChecker(schema).check(args);
      if (verdict.kind === 'invalid') toIssues(verdict.failures);
      const kind = verdict.kind === 'unchecked' ? verdict.reason : verdict.kind;
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    });
    if (ms > MOST_MS) slow.push([what, Math.round(ms)]);
  }
  expect(slow).toEqual([]);
  // Each way to end is one that happens.
  for (const kind of ['valid', 'invalid', 'fuel', 'schema'])
    expect([kind, kinds[kind] ?? 0]).toEqual([kind, expect.toSatisfy((count) => count > 0)]);
  if (process.env.SCHEMA_FIGURES !== undefined) console.log(kinds);
});

// What published servers answered to `tools/list`. The texts are their authors', so they stay outside the repository.
const FOLDER = new URL('../../../../../shared/catalogues/', import.meta.url);
const isPresent = existsSync(FOLDER);
if (!isPresent) console.log('The real catalogues are not beside the repository; their arguments are not tried.');

describe.skipIf(!isPresent)('real catalogues', () => {
  it('G9 D7 no schema is ever skipped, and nothing that it accepts is refused', { timeout: 240_000 }, () => {
    const figures = { tools: 0, accepted: 0, refused: 0, caught: 0, units: 0 };
    for (const file of isPresent ? readdirSync(FOLDER).filter((name) => name.endsWith('.json')) : []) {
      const { tools } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as {
        tools: { name: string; inputSchema: JsonSchema }[];
      };
      for (const { name, inputSchema } of tools) {
        figures.tools += 1;
        const checker = createChecker(inputSchema);
        const oracle = compile(inputSchema, {
          reading: String(inputSchema.$schema).includes('draft-07') ? 'draft-07' : '2020-12',
        });
        for (const args of [{}, ...fc.sample(argumentsFor(inputSchema), { numRuns: 20, seed: 7 })]) {
          const verdict = checker.check(args);
          expect([name, verdict.kind === 'unchecked' ? verdict.reason : 'checked']).toEqual([name, 'checked']);
          if (verdict.kind !== 'unchecked') figures.units = Math.max(figures.units, verdict.units);
          const wanted = oracle?.(args);
          if (wanted === true) {
            figures.accepted += 1;
            expect([name, args, verdict.kind]).toEqual([name, args, 'valid']);
          } else if (wanted === false) {
            figures.refused += 1;
            figures.caught += verdict.kind === 'invalid' ? 1 : 0;
          }
        }
      }
    }
    expect(figures.accepted).toBeGreaterThan(figures.tools * 5);
    expect(figures.caught / figures.refused).toBeGreaterThan(0.95);
    if (process.env.SCHEMA_FIGURES !== undefined) console.log(figures);
  });
});
