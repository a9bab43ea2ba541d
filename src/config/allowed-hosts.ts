import { McpConfigError } from '../core/errors.js';
import type { Session } from '../core/servers.js';
import { type AllowedHosts, parseAllowedHost } from '../guard/allowlist.js';

type Resolver = (server: string, context: { readonly session: Session }) => readonly string[];

/** The option `allowedHosts` as a question per server. A list is read at once, so that a mistake in it is found before any I/O (W3). */
export function resolveAllowedHosts(
  given: readonly string[] | Resolver | undefined,
  session: Session | undefined,
): (server: string) => AllowedHosts | undefined {
  if (given === undefined) return () => undefined;
  if (typeof given !== 'function') {
    const parsed = readAllowedHosts(given, '`allowedHosts`');
    return () => parsed;
  }
  if (session === undefined) {
    throw new McpConfigError('`allowedHosts` is a function and needs the option `session`; give { id: … }, or a list.');
  }
  return (server) => {
    const what = `\`allowedHosts\` for server \`${server}\``;
    let entries: unknown;
    try {
      entries = given(server, { session });
    } catch (cause) {
      throw new McpConfigError(`${what} threw instead of giving a list.`, { server, cause });
    }
    return readAllowedHosts(entries, what);
  };
}

/** Throws `McpConfigError` for what is no list, and for an entry that is no host. */
export function readAllowedHosts(entries: unknown, what: string): AllowedHosts {
  if (!Array.isArray(entries)) throw new McpConfigError(`${what} must be a list of host names.`);
  return Object.freeze(
    entries.map((entry: unknown, index) => {
      const parsed = typeof entry === 'string' ? parseAllowedHost(entry) : undefined;
      if (parsed !== undefined) return parsed;
      // An entry that is a URL may hold a password, so it is not repeated.
      throw new McpConfigError(
        `${what}: entry ${index} is not a host. Give 'host', 'host:port', 'host:*' or '*.host', without scheme or path.`,
      );
    }),
  );
}
