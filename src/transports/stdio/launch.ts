// biome-ignore lint/suspicious/noTsIgnore: stand-in
// @ts-ignore stand-in
import * as fs from 'node:fs';
// biome-ignore lint/suspicious/noTsIgnore: stand-in
// @ts-ignore stand-in
import * as path from 'node:path';
import { McpConnectError } from '../../core/errors.js';
import type { StdioServer } from '../../core/servers.js';
import type { Environment } from './environment.js';
import type { Launch } from './transport.js';

export async function launchOn(given: {
  server: StdioServer;
  name: string;
  platform: string;
  env: Environment;
  cwd: string;
}): Promise<Launch> {
  const { server, env } = given;
  const cwd = path.resolve(given.cwd, server.cwd ?? server.root ?? '.');
  if (server.command.includes('/')) return { file: path.resolve(server.root ?? cwd, server.command), cwd };
  for (const folder of (env.PATH ?? '').split(':').filter((each: string) => path.isAbsolute(each))) {
    const file = path.join(folder, server.command);
    if (fs.existsSync(file)) return { file, cwd };
  }
  throw new McpConnectError('process-failed', `The command of server \`${given.name}\` is not on the PATH.`, {
    server: given.name,
  });
}
