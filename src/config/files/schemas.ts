import {
  undefined as absent,
  array,
  discriminatedUnion,
  literal,
  minLength,
  object,
  enum as oneOf,
  optional,
  record,
  strictObject,
  string,
  union,
} from 'zod/mini';
import type { McpConfigDialect } from './dialects.js';

const text = () => string();
const name = () => string().check(minLength(1));
const texts = () => optional(record(string(), text()));
const local = { command: name(), args: optional(array(text())), env: texts(), cwd: optional(text()) };
const remote = { url: name(), headers: texts() };

/** Other clients' files hold fields of theirs: what is not read here is left alone. */
const editors = union([
  object({ type: optional(literal('stdio')), ...local, url: optional(absent()) }),
  object({ type: optional(oneOf(['http', 'streamable-http', 'streamableHttp', 'sse'])), ...remote }),
]);

/** A closed format: a field that it does not know makes the entry invalid. */
const agentPlugins = discriminatedUnion('type', [
  strictObject({ type: literal('stdio'), ...local }),
  strictObject({ type: oneOf(['streamable-http', 'sse']), ...remote }),
]);

const ENTRIES: Readonly<Record<McpConfigDialect, typeof editors | typeof agentPlugins>> = {
  claude: editors,
  cursor: editors,
  vscode: editors,
  'agent-plugins': agentPlugins,
};

/** Says where an entry is not what its format asks for; undefined where it is. */
export type FindProblem = (dialect: McpConfigDialect, entry: unknown) => string | undefined;

/** Paths alone are told: a value may be a secret. */
export const findProblem: FindProblem = (dialect, entry) => {
  const { error } = ENTRIES[dialect].safeParse(entry);
  if (error === undefined) return undefined;
  const paths = error.issues.flatMap(pathsOf).map((path) => path.map(String).join('.'));
  const named = [...new Set(paths)].filter((path) => path !== '').slice(0, 3);
  if (named.length === 0) return 'it is not an entry of this format';
  return `see its ${named.map((path) => `\`${path}\``).join(', ')}`;
};

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly Issue[])[];
}

/** Of several forms the one that fits best is told of. */
function pathsOf({ code, path, keys = [], errors = [] }: Issue): readonly (readonly PropertyKey[])[] {
  if (code === 'unrecognized_keys') return keys.map((key) => [...path, key]);
  const [closest] = [...errors].sort((a, b) => a.length - b.length);
  return closest === undefined ? [path] : closest.flatMap(pathsOf);
}
