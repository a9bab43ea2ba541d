import {
  undefined as absent,
  array,
  discriminatedUnion,
  literal,
  minLength,
  null as nothing,
  number,
  object,
  enum as oneOf,
  optional,
  record,
  regex,
  strictObject,
  string,
  union,
  type ZodMiniType,
} from 'zod/mini';
import type { McpConfigDialect } from './dialects.js';

const text = () => string();
const name = () => string().check(minLength(1));
const texts = () => optional(record(string(), text()));
const local = { command: name(), args: optional(array(text())), env: texts(), cwd: optional(text()) };
const remote = { url: name(), headers: texts() };

/** Other clients' files hold fields of theirs: what is not read here is left alone. */
const editors = openFormat(local);

function openFormat(started: Omit<typeof local, 'env'> & { readonly env: ZodMiniType }) {
  return union([
    object({ type: literal('stdio'), ...started }),
    object({ type: optional(absent()), ...started, url: optional(absent()) }),
    object({ type: optional(oneOf(['http', 'streamable-http', 'streamableHttp', 'sse'])), ...remote }),
  ]);
}

/** A closed format: a field that it does not know makes the entry invalid. */
const agentPlugins = discriminatedUnion('type', [
  strictObject({ type: literal('stdio'), ...local }),
  strictObject({ type: oneOf(['streamable-http', 'sse']), ...remote }),
]);

const ENTRIES: Readonly<Record<McpConfigDialect, ZodMiniType>> = {
  claude: editors,
  cursor: editors,
  vscode: openFormat({ ...local, env: optional(record(string(), union([text(), number(), nothing()]))) }),
  'agent-plugins': agentPlugins,
};

const NAME = /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]{0,62}[a-z0-9])?$/;

/** What `plugin.json` says of a plugin; fields that are not known are no fault of it. */
const manifest = object({
  name: optional(string().check(regex(NAME))),
  ...Object.fromEntries(
    ['version', 'description', 'homepage', 'repository', 'license'].map((field) => [field, optional(text())]),
  ),
  author: optional(strictObject({ name: optional(text()), email: optional(text()), url: optional(text()) })),
  keywords: optional(array(text())),
});

/** Says where a `plugin.json` is not what Agent Plugins 1.0.0 asks for (section 5 there); undefined where it is. */
export function findManifestProblem(value: object): string | undefined {
  return problemOf(manifest, value);
}

/** Says where an entry is not what its format asks for; undefined where it is. */
export type FindProblem = (dialect: McpConfigDialect, entry: unknown) => string | undefined;

export const findProblem: FindProblem = (dialect, entry) => problemOf(ENTRIES[dialect], entry);

/** Paths alone are told: a value may be a secret. */
function problemOf(schema: ZodMiniType, value: unknown): string | undefined {
  const { error } = schema.safeParse(value);
  if (error === undefined) return undefined;
  const paths = error.issues.flatMap(pathsOf).map(shown);
  const named = [...new Set(paths)].filter((path) => path !== '').slice(0, 3);
  if (named.length === 0) return 'it is not an entry of this format';
  return `see its ${named.map((path) => `\`${path}\``).join(', ')}`;
}

const PLAIN = /^[\w.-]{1,64}$/;

/** Up to the first name in it that may be anything: a header's value has been seen in the place of its name. */
function shown(path: readonly PropertyKey[]): string {
  const names = path.map(String);
  const end = names.findIndex((each) => !PLAIN.test(each));
  return names.slice(0, end < 0 ? undefined : end).join('.');
}

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
