import type { JsonSchema } from '../core/tools.js';
import { isScaffold, type Role, roleOfMember } from './keywords.js';

/** What a schema would add to a projection with none of its references expanded. */
export interface Size {
  /** JSON values, the schema itself and one for each reference included; definitions left out. */
  readonly nodes: number;
  /** Length of its keys and strings, in UTF-16 code units. */
  readonly chars: number;
  /** Levels below the schema itself. */
  readonly depth: number;
}

/** Measures each schema once. */
export function createSizes(): (schema: JsonSchema) => Size {
  const known = new Map<JsonSchema, Size>();
  return (schema) => {
    const size = known.get(schema) ?? measure(schema);
    known.set(schema, size);
    return size;
  };
}

function measure(schema: JsonSchema): Size {
  const open: { value: object; role: Role; depth: number }[] = [{ value: schema, role: 'schema', depth: 0 }];
  let nodes = 1;
  let chars = 0;
  let deepest = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, role, depth } = next;
    for (const key of Object.keys(value)) {
      if (role === 'schema' && key !== '$ref' && isScaffold(key)) continue;
      const member = (value as JsonSchema)[key];
      nodes += 1;
      chars += key.length + (typeof member === 'string' ? member.length : 0);
      deepest = Math.max(deepest, depth + 1);
      if (typeof member !== 'object' || member === null) continue;
      open.push({ value: member, role: roleOfMember(role, key, member), depth: depth + 1 });
    }
  }
  return { nodes, chars, depth: deepest };
}
