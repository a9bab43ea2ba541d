import { measureJson } from '../core/json.js';
import type { LiveTool } from './tool.js';

/** Tools that left and are still the same object when they come back, and the length of their definitions together. */
const DEPARTED_KEPT = 1_000;
const DEPARTED_CHARS = 4 * 1024 * 1024;
/** Values of a definition that are measured. */
const MEASURED_NODES = 100_000;

export interface DepartedState {
  /** By remote tool; those that left stay here, so that they are the same object when they come back. */
  readonly live: Map<string, LiveTool>;
  /** Those that left, the first to leave first, with the length of what is kept of each. */
  readonly departed: Map<string, number>;
  readonly current: ReadonlyMap<string, LiveTool>;
}

/** Forgets the tools that left first, where a server goes through many or through large ones. */
export function forgetDeparted({ live, departed, current }: DepartedState): void {
  for (const key of departed.keys()) if (current.has(key)) departed.delete(key);
  for (const [key, { entry }] of live) {
    if (current.has(key) || departed.has(key)) continue;
    const measure = measureJson(entry.tool, { depth: Number.POSITIVE_INFINITY, nodes: MEASURED_NODES });
    departed.set(key, measure.ok ? measure.chars : DEPARTED_CHARS);
  }
  let chars = [...departed.values()].reduce((sum, each) => sum + each, 0);
  for (const [key, size] of departed) {
    if (departed.size <= DEPARTED_KEPT && chars <= DEPARTED_CHARS) return;
    departed.delete(key);
    live.delete(key);
    chars -= size;
  }
}
