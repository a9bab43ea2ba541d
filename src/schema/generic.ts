import { isRecord } from '../core/json.js';
import type { JsonSchema } from '../core/tools.js';
import { expandReferences, type ProjectionBounds } from './expand.js';
import { ignoresSiblings, isScaffold, own, type Role, roleOfMember } from './keywords.js';
import { describeLosses } from './losses.js';
import { rebuildSchema } from './rebuild.js';

export interface ProjectedSchema {
  /** Shares what it can with the original, so neither may be changed. */
  readonly schema: JsonSchema;
  /** What it says less of than the original, by path (P3). */
  readonly losses: readonly string[];
}

/**
 * The input schema as any provider takes it: an object with `properties` at its root and no references (P4). It may accept
 * more arguments than the original, which the losses then say, and never fewer. What is no schema (enum, const, defaults,
 * examples, unknown keywords) stays as it is, and so does the order of keys. Iterative; the result is within the bounds
 * wherever the original was.
 */
export function projectGeneric(schema: JsonSchema, bounds: ProjectionBounds): ProjectedSchema {
  if (!hasScaffold(schema)) return { schema: asObject(schema), losses: [] };
  const rebuilt = rebuildSchema(expandReferences(schema, bounds), ignoresSiblings(schema));
  return { schema: asObject(rebuilt.schema), losses: describeLosses(rebuilt.losses) };
}

/** Most schemas refer to nothing, and are told so by one walk. */
function hasScaffold(schema: JsonSchema): boolean {
  const values: object[] = [schema];
  const roles: Role[] = ['schema'];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    const role = roles.pop()!;
    for (const key of Object.keys(value)) {
      if (role === 'schema' && isScaffold(key)) return true;
      const member = (value as JsonSchema)[key];
      const found = roleOfMember(role, key, member);
      if (found === 'data') continue;
      values.push(member as object);
      roles.push(found);
    }
  }
  return false;
}

/** The arguments of a tool are always an object, so saying it refuses none. */
function asObject(schema: JsonSchema): JsonSchema {
  const properties = own(schema, 'properties');
  if (own(schema, 'type') === 'object' && isRecord(properties)) return schema;
  return { ...schema, type: 'object', properties: isRecord(properties) ? properties : {} };
}
