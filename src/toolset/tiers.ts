import { type DisclosurePlan, type DisclosureRules, planDisclosure } from '../catalog/disclosure.js';
import type { Member } from './members.js';
import type { LiveTool } from './tool.js';

/** How much of each server's schemas is shown, by the rules of the options (D1–D5). */
export function createPlan(
  members: readonly Member[],
  rules: DisclosureRules,
): (active: readonly LiveTool[]) => DisclosurePlan {
  return (active) => {
    const tools = new Map(members.map(({ identity }) => [identity, [] as LiveTool['forms'][]]));
    for (const { entry, forms } of active) tools.get(entry.identity)?.push(forms);
    const servers = members.map(({ identity, name, configuredName, survey }) => {
      return { identity, name, configuredName, listed: survey !== undefined, tools: tools.get(identity) ?? [] };
    });
    return planDisclosure(servers, rules);
  };
}
