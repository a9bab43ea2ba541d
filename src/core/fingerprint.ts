import { sha256Hex } from './digest.js';
import { McpConfigError } from './errors.js';
import { canonicalJson, measureJson } from './json.js';

/** What a fingerprint covers. Everything else of a tool may change without being drift (S4). */
export interface FingerprintedTool {
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
  readonly title?: string | undefined;
  /** Only its `title` counts, and only where the tool has none of its own. */
  readonly annotations?: unknown;
}

/**
 * SHA-256 in hex over the canonical JSON text of description, input schema and title, as the server sent them (S4).
 *
 * Key order changes nothing; an invisible character does. A description that is absent counts as an empty one, which is how
 * it is shown. For admitted tools: a non-finite number would hash as `null`.
 */
export function fingerprint(tool: FingerprintedTool): string {
  return sha256Hex(canonicalJson(coveredParts(tool)));
}

/**
 * The fingerprint of a tool definition as `tools/list` has it: equal to `metadata.fingerprint` and `descriptionHash` (S4).
 *
 * @throws McpConfigError (as a rejection) when the definition is not JSON data: a cycle, a bigint, a non-finite number.
 */
export async function fingerprintTool(tool: FingerprintedTool): Promise<string> {
  const parts = coveredParts(tool);
  const text = writeJson(parts);
  if (text === undefined || hasNonFinite(parts)) {
    throw new McpConfigError(
      'fingerprintTool takes a tool definition as JSON.parse gives it. This one holds a cycle, a bigint or a non-finite number.',
    );
  }
  return sha256Hex(text);
}

function writeJson(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}

/** Only for a value that has a JSON text: on a cycle an unbounded walk would not end. */
function hasNonFinite(value: unknown): boolean {
  const measure = measureJson(value, { depth: Number.POSITIVE_INFINITY, nodes: Number.POSITIVE_INFINITY });
  return measure.ok && measure.nonFinite;
}

function coveredParts(tool: FingerprintedTool): Record<string, unknown> {
  return {
    description: tool.description ?? '',
    inputSchema: tool.inputSchema,
    title: tool.title ?? annotatedTitle(tool),
  };
}

function annotatedTitle({ annotations }: FingerprintedTool): string | undefined {
  if (typeof annotations !== 'object' || annotations === null || !Object.hasOwn(annotations, 'title')) return undefined;
  const { title } = annotations as { title: unknown };
  return typeof title === 'string' ? title : undefined;
}
