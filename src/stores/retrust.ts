import { didYouMean } from '../core/closest.js';
import { McpConfigError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import {
  canRebase,
  type Fingerprints,
  type McpConnectionRow,
  type McpConnectionStore,
  REBASE,
  type Rebase,
} from './row.js';
import { fingerprintsOf } from './stored-tool.js';

/** A tool by its raw name, or the very definition of it that somebody has looked at. */
export type RetrustedTool = string | { readonly name: string; readonly fingerprint: string };

export interface RetrustOptions {
  /** Only these tools. Default: the whole server, whose next listing is then recorded as its baseline. */
  readonly tools?: readonly RetrustedTool[];
}

/**
 * Says that a change of a server's tools was looked at and is right (S6): what the store has as published now takes the place of what
 * was recorded. A toolset that is running is corrected at its next refresh.
 *
 * @param serverName the configured name. Every row of that name is meant.
 * @throws McpConfigError (as a rejection, and then nothing has changed) where the store has no such server, the server publishes
 * no such tool, or a tool's fingerprint is not the one given: it has changed again since it was looked at.
 */
export async function retrustMcpServer(
  store: McpConnectionStore,
  serverName: string,
  { tools }: RetrustOptions = {},
): Promise<void> {
  const wanted = tools === undefined ? undefined : checkTools(tools);
  const all = await store.list();
  const rows = all.filter(({ name }) => name === serverName);
  if (rows.length === 0) {
    const names = all.map(({ name }) => name);
    throw new McpConfigError(`The store has no server \`${serverName}\`.${didYouMean(serverName, names)}`);
  }
  if (wanted === undefined) {
    for (const { id } of rows) await replaceBaseline(store, id);
    return;
  }
  const published = rows.map(({ id, tools: own }) => ({ id, own: fingerprintsOf(own) }));
  for (const tool of wanted) {
    if (!published.some(({ own }) => isPublished(tool, own))) throw refusal(tool, serverName, published[0]!.own);
  }
  for (const { id, own } of published) {
    const here = wanted.filter((tool) => isPublished(tool, own));
    if (here.length > 0) await replaceBaseline(store, id, (row) => moveTools(row, here));
  }
}

interface WantedTool {
  readonly name: string;
  readonly fingerprint?: string;
}

function checkTools(tools: readonly RetrustedTool[]): readonly WantedTool[] {
  const isRight = (tool: unknown) =>
    typeof tool === 'string' ||
    (isRecord(tool) && typeof tool.name === 'string' && typeof tool.fingerprint === 'string');
  if (!Array.isArray(tools) || !tools.every(isRight)) {
    throw new McpConfigError(
      '`tools` of retrustMcpServer must be an array of raw names, or of `{ name, fingerprint }` with both as strings.',
    );
  }
  return tools.map((tool: RetrustedTool) => (typeof tool === 'string' ? { name: tool } : tool));
}

function isPublished({ name, fingerprint }: WantedTool, own: Fingerprints): boolean {
  return Object.hasOwn(own, name) && (fingerprint === undefined || fingerprint === own[name]);
}

function refusal({ name }: WantedTool, server: string, own: Fingerprints): McpConfigError {
  const message = Object.hasOwn(own, name)
    ? `The tool \`${name}\` of server \`${server}\` is not what was looked at: its fingerprint is another one by now. Look at it again.`
    : `Server \`${server}\` publishes no tool \`${name}\`.${didYouMean(name, Object.keys(own))}`;
  return new McpConfigError(message, { server, tool: name });
}

/** Judged once more: the row may have been saved since. Without a baseline nothing is held back. */
function moveTools(row: McpConnectionRow, wanted: readonly WantedTool[]): Fingerprints | undefined {
  if (row.toolFingerprints === undefined) return undefined;
  const own = fingerprintsOf(row.tools);
  const changed = wanted.find((tool) => !isPublished(tool, own));
  if (changed !== undefined) throw refusal(changed, row.name, own);
  const moves = wanted.map(({ name }) => [name, own[name]!] as const);
  return Object.fromEntries([...Object.entries(row.toolFingerprints), ...moves]);
}

async function replaceBaseline(store: McpConnectionStore, id: string, rebase?: Rebase): Promise<void> {
  if (canRebase(store)) return store[REBASE](id, rebase);
  const row = await store.get(id);
  if (row === undefined) return;
  const toolFingerprints = rebase?.(row);
  await store.remove(id);
  await store.save({ ...row, toolFingerprints });
}
