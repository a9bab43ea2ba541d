// biome-ignore-start lint/suspicious/noTsIgnore: where Node's types are at hand there is no error to expect.
// @ts-ignore Without any platform's types the module has none.
import { open, realpath } from 'node:fs/promises';
// @ts-ignore As above.
import * as path from 'node:path';
// biome-ignore-end lint/suspicious/noTsIgnore: as above
import type { McpConfigDialect } from '../config/files/dialects.js';
import { entrySkipped } from '../config/files/skipped.js';
import { type McpConfig, type McpConfigOptions, parseMcpConfig } from '../config/mcp-config.js';
import type { Diagnostic } from '../core/diagnostics.js';
import { McpConfigError } from '../core/errors.js';
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
 * the `root` of its servers: those whose command or folder leads out of it are left out with `entry-skipped` (T3), and so is a
 * configuration that is itself a link to elsewhere. Of a file, `.cursor` or `.vscode` in its path tells the dialect too.
 *
 * @throws McpConfigError where there is no such file, or it cannot be read or is longer than 1 MiB.
 */
export async function loadMcpConfig(location: string, options: McpConfigOptions = {}): Promise<McpConfig> {
  const { process } = globalThis as unknown as { readonly process: Parameters<typeof createDisk>[0] };
  const disk = createDisk(process);
  const at = (path as Paths).resolve(disk.cwd, location);
  const found = (await disk.isFolder(at)) ? await findIn(at, disk) : { file: at, dialect: dialectOf(at) };
  const root = options.root ?? found.root;
  const dialect = options.dialect ?? found.dialect;
  const text = await readText(found.file);
  const parsed = await parseMcpConfig(text, {
    ...options,
    ...(dialect === undefined ? {} : { dialect }),
    ...(root === undefined ? {} : { root }),
  });
  return keepInside(parsed, disk);
}

interface Found {
  readonly file: string;
  readonly dialect?: McpConfigDialect | undefined;
  readonly root?: string;
}

async function findIn(folder: string, disk: Disk): Promise<Found> {
  const root = await realpath(folder);
  for (const { file, beside, dialect } of PLACES) {
    const real = await realpath(disk.paths.join(root, file)).catch(() => undefined);
    if (real === undefined) continue;
    if (beside !== undefined && (await realpath(disk.paths.join(root, beside)).catch(() => undefined)) === undefined)
      continue;
    if (!isInside(root, real, disk.paths)) {
      throw new McpConfigError(
        `\`${file}\` of the folder is a link that leads out of it; name the file itself if you trust it.`,
      );
    }
    return { file: real, dialect, root };
  }
  const places = PLACES.map(({ file }) => `\`${file}\``).join(', ');
  throw new McpConfigError(`The folder has no configuration of servers: none of ${places} is in it.`);
}

function dialectOf(file: string): McpConfigDialect | undefined {
  const folder = /[\\/]\.(cursor|vscode)[\\/]mcp\.json$/.exec(file)?.[1];
  return folder as McpConfigDialect | undefined;
}

async function readText(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r');
    try {
      const { size } = await handle.stat();
      if (size > MAX_BYTES) throw new McpConfigError(`The configuration file is longer than ${MAX_BYTES} bytes.`);
      // What is no plain file may say that it is empty and never end.
      const { buffer, bytesRead } = await handle.read(new Uint8Array(MAX_BYTES), 0, MAX_BYTES, 0);
      return new TextDecoder().decode(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (cause instanceof McpConfigError) throw cause;
    throw new McpConfigError('The configuration file cannot be read; check its path and that it may be read.', {
      cause,
    });
  }
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
