import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, measureJson } from '../../../src/core/json.js';
import { projectGeneric } from '../../../src/schema/generic.js';
import { compile, metaErrors, type Reading, scaffoldIn } from '../../support/schemas.js';
import { documents, ELSEWHERE, instances, lossyDocuments, type Schema } from './arbitrary-schemas.js';

const RUNS = Number(process.env.SCHEMA_RUNS ?? 300);
/** The oracle has faults of its own, so what is committed tries the same schemas each time. Try others when this is changed. */
const SEED = Number(process.env.SCHEMA_SEED ?? 1);
const timeout = RUNS * 400;
/** Far out of reach, and so near that most expansions are refused. */
const bounds = fc.oneof(
  fc.constant({ schemaDepth: 64, schemaNodes: 10_000 }),
  fc.record({ schemaDepth: fc.integer({ min: 1, max: 20 }), schemaNodes: fc.integer({ min: 1, max: 150 }) }),
);
const elsewhere = fc.constantFrom<unknown>(
  true,
  false,
  { type: 'string' },
  { type: 'object', properties: { a: true, b: true }, required: ['a'] },
  { properties: { a: { type: 'string' }, c: true }, items: true },
);

/** Checks that what the original accepts is accepted; counts the verdicts, so that none can be said of nothing. */
function createTally(reading: Reading) {
  const tally = { accepted: 0, refused: 0, lossless: 0, lossy: 0 };
  const check = (
    document: Schema,
    projection: ReturnType<typeof projectGeneric>,
    values: unknown[],
    other: unknown,
  ) => {
    const original = compile(document, { reading, elsewhere: { [ELSEWHERE]: other } });
    if (original === undefined) return;
    const projected = compile(projection.schema, { reading });
    expect(projected).toBeDefined();
    tally[projection.losses.length === 0 ? 'lossless' : 'lossy'] += 1;
    for (const value of values) {
      const verdict = original(value);
      const made = projected!(value);
      if (verdict === undefined || made === undefined) continue;
      tally[verdict ? 'accepted' : 'refused'] += 1;
      // Without a loss nothing is loosened either.
      if (verdict || projection.losses.length === 0) expect([value, made]).toEqual([value, verdict]);
    }
  };
  return { tally, check };
}

it('P4 P3 accepts all that the original accepts, and without a loss nothing else', { timeout }, () => {
  const { tally, check } = createTally('2020-12');
  const property = fc.property(documents, bounds, instances, elsewhere, (document, limits, values, other) => {
    check(document, projectGeneric(document, limits), values, other);
  });
  fc.assert(property, { numRuns: RUNS, seed: SEED });
  for (const verdicts of Object.values(tally)) expect(verdicts).toBeGreaterThan(RUNS / 10);
});

it('P4 P3 accepts all that the original accepts, wherever something was lost', { timeout }, () => {
  const { tally, check } = createTally('2020-12');
  const property = fc.property(lossyDocuments, instances, elsewhere, (document, values, other) => {
    const projection = projectGeneric(document, { schemaDepth: 64, schemaNodes: 10_000 });
    expect(projection.losses).not.toEqual([]);
    check(document, projection, values, other);
  });
  fc.assert(property, { numRuns: RUNS * 4, seed: SEED });
  expect(Math.min(tally.accepted, tally.refused)).toBeGreaterThan(RUNS);
});

it.each(['draft-07', 'draft-07 with siblings'] as const)(
  'P4 accepts all that the original accepts, read as %s',
  { timeout },
  (reading) => {
    const { tally, check } = createTally(reading);
    const property = fc.property(documents, bounds, instances, elsewhere, (each, limits, values, other) => {
      const document = { ...each, $schema: 'http://json-schema.org/draft-07/schema#' };
      // Siblings that one reading counts and the other does not are a loss, so losses are checked in one direction only.
      const { schema, losses } = projectGeneric(document, limits);
      check(document, { schema, losses: [...losses, 'read either way'] }, values, other);
    });
    fc.assert(property, { numRuns: RUNS, seed: SEED });
    expect(Math.min(tally.accepted, tally.refused)).toBeGreaterThan(RUNS / 10);
  },
);

it('P4 G9 is an object with properties, refers to nothing, keeps the bounds and is good 2020-12', () => {
  const property = fc.property(documents, bounds, (document, limits) => {
    const before = JSON.stringify(document);
    const { schema } = projectGeneric(document, limits);
    expect(JSON.stringify(document)).toBe(before);
    expect(schema.type).toBe('object');
    expect(schema.properties).toBeTypeOf('object');
    expect(scaffoldIn(schema)).toEqual([]);
    expect(metaErrors(schema)).toEqual([]);
    const unbounded = { depth: Number.POSITIVE_INFINITY, nodes: Number.POSITIVE_INFINITY };
    const own = measureJson(document, unbounded);
    const made = measureJson(schema, unbounded);
    if (!own.ok || !made.ok) throw new Error('It was measured without bounds.');
    expect(made.nodes).toBeLessThanOrEqual(Math.max(limits.schemaNodes, own.nodes + 2));
    expect(made.depth).toBeLessThanOrEqual(Math.max(limits.schemaDepth - 1, own.depth + 2));
    expect(projectGeneric(schema, limits)).toEqual({ schema, losses: [] });
  });
  fc.assert(property, { numRuns: RUNS, seed: SEED });
});

it('P4 L5 the order of keys decides nothing', () => {
  const property = fc.property(documents, bounds, fc.infiniteStream(fc.nat()), (document, limits, random) => {
    const shuffled = shuffleKeys(document, random) as Schema;
    const [one, other] = [projectGeneric(document, limits), projectGeneric(shuffled, limits)];
    expect(canonicalJson(other.schema)).toBe(canonicalJson(one.schema));
    expect(other.losses).toEqual(one.losses);
  });
  fc.assert(property, { numRuns: RUNS, seed: SEED });
});

function shuffleKeys(value: unknown, random: Iterator<number>): unknown {
  if (Array.isArray(value)) return value.map((each) => shuffleKeys(each, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, each]) => ({ key, each, at: random.next().value as number }));
  entries.sort((a, b) => a.at - b.at);
  return Object.fromEntries(entries.map(({ key, each }) => [key, shuffleKeys(each, random)]));
}
