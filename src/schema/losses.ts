import type { Place } from './expand.js';
import type { Loss } from './rebuild.js';

/** Losses that are told one by one. */
const TOLD = 100;
/** Longest path and longest name in it, in UTF-16 code units: names are the server's, and of any length. */
const PATH_MAX = 500;
const NAME_MAX = 100;

const REASONS: Readonly<Record<Loss['reason'], string>> = {
  recursive: 'the reference leads back to a schema that it stands in',
  nodes: 'expanding the reference would pass limits.schemaNodes',
  depth: 'expanding the reference would pass limits.schemaDepth',
  unresolved: 'the reference names no schema of this document',
  dynamic: 'a dynamic reference is not followed',
  siblings: "the schema's dialect ignores the constraints beside this reference",
  'left-out': 'left out, since something it depends on was loosened',
  'any-of': 'was oneOf, and one of its schemas was loosened',
};

/** Each loss as `path: reason`, the path a JSON Pointer into the projection after `#` (P3). */
export function describeLosses(losses: readonly Loss[]): readonly string[] {
  const told = losses.slice(0, TOLD).map((loss) => `${pathOf(loss)}: ${REASONS[loss.reason]}`);
  return losses.length > TOLD ? [...told, `#: and ${losses.length - TOLD} more`] : told;
}

function pathOf({ place, keyword }: Loss): string {
  const tokens = keyword === undefined ? [] : [keyword];
  for (let above: Place | undefined = place; above?.parent !== undefined; above = above.parent) {
    if (above.key !== undefined) tokens.push(above.key);
    tokens.push(above.keyword);
  }
  const path = tokens.reverse().map((token) => `/${clip(token, NAME_MAX).replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return clip(`#${path.join('')}`, PATH_MAX);
}

/** Never ends between the halves of a surrogate pair. */
function clip(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`;
}
