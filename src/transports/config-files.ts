// biome-ignore-start lint/suspicious/noTsIgnore: where Node's types are at hand there is no error to expect.
// @ts-ignore Without any platform's types the module has none.
import { open, realpath, stat } from 'node:fs/promises';
// @ts-ignore As above.
import * as path from 'node:path';
// biome-ignore-end lint/suspicious/noTsIgnore: as above
import type { McpConfigDialect } from '../config/files/dialects.js';
import { findVersionProblem } from '../config/files/plugin-rules.js';
import { configSkipped, entrySkipped } from '../config/files/skipped.js';
import { type McpConfig, type McpConfigOptions, parseMcpConfig } from '../config/mcp-config.js';
import type { Diagnostic } from '../core/diagnostics.js';
import { McpConfigError } from '../core/errors.js';
import { isRecord, readJson } from '../core/json.js';
import type { McpServerConfig } from '../core/servers.js';
import { isInside, type Paths } from './stdio/containment.js';
import { createDisk } from './stdio/disk.js';
import { type Disk, judgeLaunch } from './stdio/launch.js';

/** No configuration is longer, in bytes. */
const MAX_BYTES = 1024 * 1024;

interface Place {
  readonly file: string;
  readonly dialect?: McpConfigDialect;
  /** Must be there for the file to count. */
  readonly beside?: string;
}

/** Where a folder keeps its servers, in this order. */
const PLACES: readonly Place[] = [
  { file: 'mcp.json', beside: 'plugin.json', dialect: 'agent-plugins' },
  { file: '.mcp.json' },
  { file: '.cursor/mcp.json', dialect: 'cursor' },
  { file: '.vscode/mcp.json', dialect: 'vscode' },
];

/**
 * Reads a configuration file, or that of the folder of a plugin or workspace, as {@link parseMcpConfig} does (T6). A folder is
 * the `root` of its servers: those whose command or folder leads out of it are left out with `entry-skipped` (T3). It is looked
 * for at `mcp.json` beside a `plugin.json` of Agent Plugins, `.mcp.json`, `.cursor/mcp.json` and `.vscode/mcp.json`, in this order.
 * Of a file, `.cursor` or `.vscode` in its path tells the dialect too.
 *
 * @throws McpConfigError where there is no such file, it is a link that leads out of the folder, or it cannot be read, is no
 * plain file or is longer than 1 MiB.
 */
export async function loadMcpConfig(location: string, options: McpConfigOptions = {}): Promise<McpConfig> {
  const { process } = globalThis as unknown as { readonly process: Parameters<typeof createDisk>[0] };
  const disk = createDisk(process);
  const at = locate(location);
  const found = (await disk.isFolder(at)) ? await findIn(at, disk) : { file: at, dialect: dialectOf(at) };
  const dialect = options.dialect ?? found.dialect;
  if (found.manifest !== undefined && dialect === 'agent-plugins') {
    const refused = await judgePlugin(await readText(found.manifest));
    if (refused !== undefined) return refused;
  }
  // What the servers are told is the folder itself, whatever links lead to it.
  const root = options.root === undefined ? found.root : await realpath(options.root).catch(() => options.root);
  const text = await readText(found.file);
  const parsed = await parseMcpConfig(text, {
    ...options,
    ...(dialect === undefined ? {} : { dialect }),
    ...(root === undefined ? {} : { root }),
  });
  return keepInside(parsed, disk);
}

/** Whose own folder has been removed, a process can name a file by an absolute path alone. */
function locate(location: string): string {
  try {
    return (path as Paths).resolve(location);
  } catch (cause) {
    throw unreadable(location, 'cannot be found from the folder of this process; give an absolute path', cause);
  }
}

interface Found {
  readonly file: string;
  readonly dialect?: McpConfigDialect | undefined;
  readonly root?: string;
  /** The plugin's own description of itself. */
  readonly manifest?: string;
}

async function findIn(folder: string, disk: Disk): Promise<Found> {
  const root = await realpath(folder);
  for (const { file, beside, dialect } of PLACES) {
    const real = await insideOf(root, file, disk);
    const manifest = beside === undefined ? undefined : await insideOf(root, beside, disk);
    if (real === undefined || (beside !== undefined && manifest === undefined)) continue;
    return { file: real, dialect, root, ...(manifest === undefined ? {} : { manifest }) };
  }
  const places = PLACES.map(({ file }) => `\`${file}\``).join(', ');
  throw new McpConfigError(`The folder has no configuration of servers: none of ${places} is in it.`);
}

/** What a folder's file is, links followed; undefined where there is none. */
async function insideOf(root: string, file: string, disk: Disk): Promise<string | undefined> {
  const real = await realpath(disk.paths.join(root, file)).catch(() => undefined);
  if (real === undefined || isInside(root, real, disk.paths)) return real;
  throw new McpConfigError(
    `\`${file}\` of the folder is a link that leads out of it; name the file itself if you trust it.`,
  );
}

function dialectOf(file: string): McpConfigDialect | undefined {
  const folder = /[\\/]\.(cursor|vscode)[\\/]mcp\.json$/.exec(file)?.[1];
  return folder as McpConfigDialect | undefined;
}

/** A plugin whose description of itself is none, or is of another version, has no servers (Agent Plugins 1.0.0, section 5.2). */
async function judgePlugin(text: string): Promise<McpConfig | undefined> {
  const { findManifestProblem } = await import('../config/files/schemas.js');
  const manifest = readJson(text);
  if (!isRecord(manifest)) return configSkipped('not-json', '`plugin.json` is no JSON object');
  const problem = findManifestProblem(manifest);
  if (problem !== undefined) return configSkipped('invalid', `\`plugin.json\` is not what it should be: ${problem}`);
  return findVersionProblem(manifest, 'the `$schema` of `plugin.json`');
}

async function readText(file: string): Promise<string> {
  try {
    // To open a pipe would wait until somebody writes to it.
    if (!(await stat(file)).isFile()) throw unreadable(file, 'is no plain file');
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES) throw unreadable(file, `is longer than ${MAX_BYTES} bytes`);
      // What only looks like a plain file may say that it is empty and never end.
      const { buffer, bytesRead } = await handle.read(new Uint8Array(MAX_BYTES), 0, MAX_BYTES, 0);
      return new TextDecoder().decode(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof McpConfigError) throw cause;
    throw unreadable(file, 'cannot be read; check its path and that it may be read', cause);
  }
}

function unreadable(file: string, what: string, cause?: unknown): McpConfigError {
  return new McpConfigError(`The configuration file \`${file}\` ${what}.`, { cause });
}

/** Those that lead outside are known before they are started. What is missing may be there by then. */
async function keepInside({ servers, diagnostics }: McpConfig, disk: Disk): Promise<McpConfig> {
  const kept: McpServerConfig[] = [];
  const skipped: Diagnostic[] = [];
  for (const server of servers) {
    const verdict = server.type === 'stdio' && server.root !== undefined ? await judgeLaunch(server, disk) : undefined;
    if (verdict?.allowed === false && verdict.why === 'outside') {
      skipped.push(entrySkipped(server.name, 'outside-root', verdict.reason));
    } else kept.push(server);
  }
  return { servers: kept, diagnostics: [...diagnostics, ...skipped] };
}
