import type { ResolvedOptions } from '../config/resolve-options.js';
import { checkDuplicates, type ResolvedServer, resolveServer } from '../config/resolve-servers.js';
import { type ClosingSignal, createDeadline } from '../core/deadline.js';
import { isMcpError, McpConfigError, McpConnectError, type McpError } from '../core/errors.js';
import type { McpServerSource, Session } from '../core/servers.js';

/** A source that could not say what server it is. */
export interface BrokenSource {
  /** `servers[2]`: it has no other name. */
  readonly name: string;
  readonly error: McpError;
}

/** A checked configuration, or a function still to be asked. */
export type CheckedSource<S extends Session> =
  | ResolvedServer
  | Extract<McpServerSource<S>, (...args: never) => unknown>;

/** Checks every plain configuration before anything is asked or opened (W3). */
export function checkSources<S extends Session>(
  sources: readonly McpServerSource<S>[],
  options: ResolvedOptions,
): readonly CheckedSource<S>[] {
  if (!Array.isArray(sources)) throw new McpConfigError('The servers must be an array.');
  const checked = sources.map((source: McpServerSource<S>) =>
    typeof source === 'function' ? source : resolveServer(source, options),
  );
  checkDuplicates(checked.filter((source) => typeof source !== 'function'));
  return checked;
}

/** Asks function sources, all at once, each within `connectTimeoutMs`. One that throws or hangs leaves its siblings be. */
export async function resolveSources<S extends Session>(
  sources: readonly CheckedSource<S>[],
  options: ResolvedOptions,
  closing: ClosingSignal,
): Promise<readonly (ResolvedServer | BrokenSource)[]> {
  return Promise.all(sources.map((source, index) => resolveSource(source, index, options, closing)));
}

export function isBroken(entry: object): entry is BrokenSource {
  return 'error' in entry && !('identity' in entry);
}

async function resolveSource<S extends Session>(
  source: CheckedSource<S>,
  index: number,
  options: ResolvedOptions,
  closing: ClosingSignal,
): Promise<ResolvedServer | BrokenSource> {
  if (typeof source !== 'function') return source;
  const name = `servers[${index}]`;
  const deadline = createDeadline({ ms: options.connectTimeoutMs, closing, option: 'connectTimeoutMs' });
  try {
    const session = options.session as S | undefined;
    const asked = (async () => source({ signal: deadline.signal, ...(session === undefined ? {} : { session }) }))();
    const config = await deadline.race(asked, { server: name });
    return resolveServer(config, options);
  } catch (error) {
    if (error instanceof McpConfigError) throw error;
    const message = `The function at \`${name}\` failed before it described its server.`;
    return {
      name,
      error: isMcpError(error) ? error : new McpConnectError('connect-failed', message, { server: name, cause: error }),
    };
  } finally {
    deadline.dispose();
  }
}
