import { canonicalJson } from '../core/json.js';
import type { Fingerprints } from '../stores/row.js';

/** Raw names, each list in code-unit order. */
export interface FingerprintDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** What a catalogue has that the baseline has not, and the other way round (S5). */
export function diffFingerprints(current: Fingerprints, baseline: Fingerprints): FingerprintDiff {
  const names = Object.keys(current).sort();
  return {
    added: names.filter((name) => !Object.hasOwn(baseline, name)),
    removed: Object.keys(baseline)
      .filter((name) => !Object.hasOwn(current, name))
      .sort(),
    changed: names.filter((name) => Object.hasOwn(baseline, name) && baseline[name] !== current[name]),
  };
}

/** What comes of a diff. Raw names, each list in code-unit order. */
export interface DriftJudgment {
  /** Changed since the baseline was recorded: they keep their names, and no call of them is sent. */
  readonly quarantined: readonly string[];
  /** Not in the baseline: not shown. */
  readonly withheld: readonly string[];
  /** Not published now. The baseline keeps them and judges them when they return. */
  readonly removed: readonly string[];
  /** Held back by the judgment before, published, and as the baseline has them. */
  readonly released: readonly string[];
}

/**
 * Judges what a server publishes by its baseline (S5). Without a baseline there is nothing to compare, and nothing is held back.
 *
 * @param before the judgment before this one, for what is released by it.
 */
export function judgeDrift(
  current: Fingerprints,
  baseline: Fingerprints | undefined,
  before?: Pick<DriftJudgment, 'quarantined' | 'withheld'>,
): DriftJudgment {
  const { added, removed, changed } = baseline === undefined ? UNCHANGED : diffFingerprints(current, baseline);
  const held = new Set([...added, ...changed]);
  const heldBefore = new Set([...(before?.quarantined ?? []), ...(before?.withheld ?? [])]);
  return {
    quarantined: changed,
    withheld: added,
    removed,
    released: [...heldBefore].filter((name) => Object.hasOwn(current, name) && !held.has(name)).sort(),
  };
}

const UNCHANGED: FingerprintDiff = { added: [], removed: [], changed: [] };

/** What of a tool may change without being drift. */
export interface AdvisoryParts {
  readonly name: string;
  readonly annotations?: unknown;
  readonly outputSchema?: unknown;
}

export interface AdvisoryChange {
  readonly name: string;
  readonly parts: readonly ('annotations' | 'outputSchema')[];
}

/**
 * The tools of both catalogues whose annotations or output schema are not the same data: reported, and nothing else (S4). In the
 * order of `current`.
 */
export function findAdvisoryChanges(
  current: readonly AdvisoryParts[],
  stored: readonly AdvisoryParts[],
): readonly AdvisoryChange[] {
  const byName = new Map(stored.map((tool) => [tool.name, tool]));
  return current.flatMap((tool) => {
    const known = byName.get(tool.name);
    if (known === undefined) return [];
    const parts = ADVISORY.filter((part) => textOf(tool[part]) !== textOf(known[part]));
    return parts.length === 0 ? [] : [{ name: tool.name, parts }];
  });
}

const ADVISORY = ['annotations', 'outputSchema'] as const;

function textOf(part: unknown): string | undefined {
  return part === undefined ? undefined : canonicalJson(part);
}
