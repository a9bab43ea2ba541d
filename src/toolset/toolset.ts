import type { McpOptions } from '../config/options.js';
import { type ResolvedOptions, resolveOptions } from '../config/resolve-options.js';
import { type Closing, type ClosingSignal, createClosing } from '../core/deadline.js';
import type { Diagnostic } from '../core/diagnostics.js';
import { McpAbortError } from '../core/errors.js';
import type { McpServerSource, Session } from '../core/servers.js';
import type { McpToolset } from '../core/status.js';
import { escapeControls } from '../core/text.js';
import type { AssembledToolset } from './assemble.js';
import { createClose } from './close.js';
import { attempt, reportFailures, type ServerFailure } from './failures.js';
import { createMembers, listMember, type Member } from './members.js';
import { type CheckedSource, checkSources, isBroken, resolveSources } from './sources.js';

const DIAGNOSTICS_KEPT = 1_000;

/**
 * Connects the servers, in parallel, and returns their tools as one map (W1). A server that fails is reported in
 * `servers` and leaves the others serving, unless it is `required` or `onServerError` is `throw` (W2).
 *
 * Rejects with `McpConfigError` for a wiring mistake, before any I/O (W3), and with `McpAbortError` when `signal` is
 * aborted (W6); whatever it rejects with, it first closes what it opened.
 */
export async function mcpTools<S extends Session = Session>(
  servers: readonly McpServerSource<S>[],
  options: McpOptions<S> = {},
): Promise<McpToolset> {
  const resolved = resolveOptions(options);
  const { toolset } = await wireToolset(checkSources(servers, resolved), resolved);
  return toolset;
}

/**
 * Describe the sources, open and list each server, assemble: {@link mcpTools} for every entry point. Aborting `closing`
 * ends the wiring, and later the toolset.
 */
export async function wireToolset<S extends Session>(
  sources: readonly CheckedSource<S>[],
  options: ResolvedOptions,
  closing = createClosing(),
): Promise<AssembledToolset> {
  if (options.signal?.aborted) throw wiringAborted(options.signal);
  const { resolved, diagnostics } = keepDiagnostics(options);
  const members: Member[] = [];
  const close = createClose(members, resolved, closing);
  const release = linkAbort(resolved.signal, closing);
  try {
    const described = await resolveSources(sources, resolved, closing.signal);
    members.push(
      ...createMembers(
        described.flatMap((entry) => (isBroken(entry) ? [] : [entry])),
        resolved,
        closing.signal,
      ),
    );
    const errors = await listAll(members, resolved, closing.signal);
    if (resolved.signal?.aborted) throw wiringAborted(resolved.signal);

    const waiting = [...members];
    const slots = described.map((entry) => (isBroken(entry) ? entry : waiting.shift()!));
    const failures = slots.flatMap((slot): ServerFailure[] => {
      const error = isBroken(slot) ? slot.error : errors.get(slot);
      return error === undefined ? [] : [{ server: slot.name, required: !isBroken(slot) && slot.required, error }];
    });
    reportFailures(failures, resolved.report);
    const fatal = failures.find(({ required }) => required || resolved.throwOnServerError);
    if (fatal !== undefined) throw fatal.error;
    // Nothing is shown before a server was connected, so what shows it need not be loaded before that.
    const { assembleToolset } = await import('./assemble.js');
    const assembled = await assembleToolset({ resolved, slots, closing: closing.signal, close, diagnostics });
    if (resolved.signal?.aborted) throw wiringAborted(resolved.signal);
    return assembled;
  } catch (error) {
    await close();
    throw error;
  } finally {
    release();
  }
}

/** Every server at once; the wait is the slowest one's own (W1). */
async function listAll(members: readonly Member[], resolved: ResolvedOptions, closing: ClosingSignal) {
  const list = { ms: resolved.connectTimeoutMs, option: 'connectTimeoutMs', closing } as const;
  const errors = await Promise.all(members.map((member) => attempt(listMember(member, resolved, list))));
  return new Map(members.map((member, index) => [member, errors[index]]));
}

function wiringAborted({ reason }: AbortSignal): McpAbortError {
  return new McpAbortError('The wiring was aborted by its signal.', { reason });
}

/** Closes with the wiring's signal (W6); the returned function ends that. */
function linkAbort(signal: AbortSignal | undefined, closing: Closing): () => void {
  const onAbort = () => closing.abort();
  signal?.addEventListener('abort', onAbort);
  return () => signal?.removeEventListener('abort', onAbort);
}

/** Keeps the last diagnostics for `inspect()`, on their way to the host. */
function keepDiagnostics(options: ResolvedOptions): { resolved: ResolvedOptions; diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const report = (raw: Diagnostic) => {
    // A tool's name is the server's text, and a message ends in a log.
    const diagnostic = { ...raw, message: escapeControls(raw.message) };
    diagnostics.push(diagnostic);
    if (diagnostics.length > DIAGNOSTICS_KEPT) diagnostics.shift();
    options.report(diagnostic);
  };
  return { resolved: { ...options, report }, diagnostics };
}
