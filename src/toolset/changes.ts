import { fingerprint } from '../catalog/fingerprint.js';
import type { ProjectedTool } from '../catalog/projection.js';
import type { Disclosure, McpTool } from '../core/tools.js';
import type { LiveTool } from './tool.js';

/** What stands behind one name of the map. */
type Shown =
  | { readonly helper: McpTool }
  | { readonly helper?: undefined; readonly entry: ProjectedTool; readonly disclosure: Disclosure };

/** The map's names, each with the tool behind it and how it is shown. */
export function shownTools(active: readonly LiveTool[], helpers: readonly McpTool[]): ReadonlyMap<string, Shown> {
  return new Map<string, Shown>([
    ...active.map(({ entry, disclosure }): [string, Shown] => [entry.name, { entry, disclosure }]),
    ...helpers.map((helper): [string, Shown] => [helper.metadata.tool, { helper }]),
  ]);
}

/** The map's keys after are those before, less `removed`, with `added`. */
export function compareShown(before: ReadonlyMap<string, Shown>, after: ReadonlyMap<string, Shown>) {
  const names = [...after.keys()];
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter((name) => isAnother(before.get(name), after.get(name)!)),
  };
}

/** Fingerprints are only taken of what was listed again. */
function isAnother(before: Shown | undefined, after: Shown): boolean {
  if (before === undefined || before.helper !== undefined || after.helper !== undefined) return false;
  if (before.disclosure !== after.disclosure) return true;
  const [one, other] = [before.entry, after.entry];
  if (one.tool === other.tool) return false;
  if (one.identity !== other.identity || one.tool.name !== other.tool.name) return true;
  return fingerprint(one.tool) !== fingerprint(other.tool);
}
