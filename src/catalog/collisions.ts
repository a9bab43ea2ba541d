/** A thing to be named, with the forms its name can take, from the wanted one to the most specific. */
export interface Claimant {
  /** Which form it starts with. */
  readonly first: number;
  form(level: number): string;
}

interface Visitor {
  readonly claimant: number;
  readonly level: number;
}

/**
 * Gives each claimant a name of its own (N3, N4), the same whatever their order.
 *
 * A claimant takes its next form when another one has ever come to the form it has, at the same level or a higher one. So
 * all that wanted one name move on, and a wanted name gives way to another's rewrite while the rewrite stays. "Ever" makes
 * the outcome a least fixpoint, which no order of processing changes. Each claimant visits each of its forms at most
 * once: the work is linear.
 *
 * Two that share their last form too keep it; with digests for last forms they are one thing given twice.
 */
export function settleNames(claimants: readonly Claimant[], lastLevel: number): readonly string[] {
  const arrivals: Visitor[] = claimants.map(({ first }, claimant) => ({ claimant, level: first }));
  const names: string[] = new Array(claimants.length);
  /** For each form the highest level that came to it, and who came with it while it is the only one. */
  const visited = new Map<string, { level: number; holder: number | undefined }>();
  const advance = ({ claimant, level }: Visitor): void => {
    if (level < lastLevel) arrivals.push({ claimant, level: level + 1 });
  };
  for (let arrival = arrivals.pop(); arrival !== undefined; arrival = arrivals.pop()) {
    const form = claimants[arrival.claimant]!.form(arrival.level);
    names[arrival.claimant] = form;
    const visit = visited.get(form);
    if (visit === undefined) {
      visited.set(form, { level: arrival.level, holder: arrival.claimant });
      continue;
    }
    if (arrival.level <= visit.level) advance(arrival);
    if (arrival.level < visit.level) continue;
    if (visit.holder !== undefined) advance({ claimant: visit.holder, level: visit.level });
    visit.holder = arrival.level > visit.level ? arrival.claimant : undefined;
    visit.level = arrival.level;
  }
  return names;
}
