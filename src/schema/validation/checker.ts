import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { isRecord } from '../../core/json.js';
import type { JsonSchema } from '../../core/tools.js';
import { own } from '../keywords.js';
import { measureData } from './data.js';
import { type Failure, readFailures } from './failures.js';
import { type Draft, draftOf } from './keywords.js';
import { createMeter, type Meter, type MeteredSchema, meterSchema, OutOfFuel } from './meter.js';
import { findRepeated, isDistinct, type Repeated } from './unique.js';

/** What a check found. `unchecked` is no failure: what cannot be checked is let through (D7). */
export type Verdict =
  | { readonly kind: 'valid'; readonly units: number }
  | {
      readonly kind: 'invalid';
      readonly units: number;
      readonly failures: readonly Failure[];
      readonly repeated: readonly Repeated[];
    }
  | { readonly kind: 'unchecked'; readonly reason: 'size' | 'fuel' | 'schema' };

/** Checks values against one schema, in bounded time whatever both are (G9). Never throws. */
export interface Checker {
  check(value: unknown): Verdict;
}

/** A validator over one copy of the document. */
export interface Prepared {
  readonly metered: MeteredSchema;
  /** Every failure of every branch, those of a schema after what it stands in. */
  run(value: unknown): readonly OutputUnit[];
  readonly lookup: Readonly<Record<string, unknown>>;
}

/** Ways to read a text with one pattern, beyond which patterns are left out. */
const WAYS_MAX = 1_000_000;

export function createChecker(root: JsonSchema): Checker {
  const meter = createMeter();
  const draft = draftOf(own(root, '$schema'));
  const prepare = (patterns: boolean) => prepareOnce(() => prepareSound(root, { draft, meter, patterns }));
  const withPatterns = prepare(true);
  const withoutPatterns = prepare(false);
  return {
    check(value) {
      const size = measureData(value);
      if (size === undefined) return { kind: 'unchecked', reason: 'size' };
      try {
        const first = withPatterns();
        const fits = first.metered.costs.every((cost) => cost(size.text) <= WAYS_MAX);
        const prepared = fits ? first : withoutPatterns();
        meter.start(size);
        meter.distinct = prepared.metered.hasUniqueItems && isDistinct(value, meter);
        const mayRepeat = prepared.metered.hasUniqueItems && !meter.distinct;
        const repeated = mayRepeat ? findRepeated(root, value, { meter, draft }) : [];
        const errors = repeated.length > 0 ? [] : prepared.run(value);
        const units = meter.used();
        if (errors.length === 0 && repeated.length === 0) return { kind: 'valid', units };
        return {
          kind: 'invalid',
          units,
          failures: readFailures(errors, { ...prepared, nodes: new Map() }, value),
          repeated,
        };
      } catch (error) {
        return { kind: 'unchecked', reason: error instanceof OutOfFuel ? 'fuel' : 'schema' };
      }
    },
  };
}

/** A schema that cannot be prepared is not prepared again. */
function prepareOnce(make: () => Prepared): () => Prepared {
  let made: { readonly prepared: Prepared } | { readonly error: unknown } | undefined;
  return () => {
    if (made === undefined) {
      try {
        made = { prepared: make() };
      } catch (error) {
        made = { error };
      }
    }
    if ('error' in made) throw made.error;
    return made.prepared;
  };
}

interface Rules {
  readonly draft: Draft;
  readonly meter: Meter;
  readonly patterns: boolean;
}

/** Where leaving something out could make another part refuse more, that part is left out too. */
function prepareSound(root: JsonSchema, rules: Rules): Prepared {
  const first = prepareWith(root, { ...rules, relaxed: false });
  const { loosened, reverses } = first.metered;
  return loosened && reverses ? prepareWith(root, { ...rules, relaxed: true }) : first;
}

function prepareWith(root: JsonSchema, rules: Rules & { readonly relaxed: boolean }): Prepared {
  const metered = meterSchema(root, rules);
  const validator = new Validator(metered.schema as never, rules.draft, false);
  const { lookup } = validator as unknown as { readonly lookup: Record<string, unknown> };
  const lost = resolveToAnything(lookup);
  return {
    metered: lost ? { ...metered, loosened: true } : metered,
    run: (value) => validator.validate(value).errors,
    lookup,
  };
}

/** A reference to nothing would end the whole check; where it leads to any value, the rest still holds. */
function resolveToAnything(lookup: Record<string, unknown>): boolean {
  const wanted = Object.values(lookup).flatMap((schema) =>
    isRecord(schema) && schema.$ref !== undefined ? [String(schema.__absolute_ref__)] : [],
  );
  const missing = wanted.filter((uri) => lookup[uri] === undefined);
  for (const uri of missing) lookup[uri] = true;
  return missing.length > 0;
}
