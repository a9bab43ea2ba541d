import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listen } from '../support/http-host.js';

/** A server that sends its clients to a file of this machine for who issues tokens (G1, G11). */
export interface Lure {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * The file says that this very server issues tokens, so a client that reads it, which Bun's `fetch` would do, asks for more
 * than `/mcp`. `/__asked` tells what was asked for, itself apart.
 */
export async function startLure(): Promise<Lure> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-toolset-lure-'));
  const file = join(folder, 'metadata.json');
  const asked: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === '/__asked') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(asked));
      return;
    }
    asked.push(request.url ?? '');
    response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${pathToFileURL(file)}"` }).end();
  };
  const host = await listen(answer, { cors: true });
  const url = `${host.origin}/mcp`;
  writeFileSync(file, JSON.stringify({ resource: url, authorization_servers: [host.origin] }));
  return {
    url,
    close: async () => {
      rmSync(folder, { recursive: true, force: true });
      await host.close();
    },
  };
}
