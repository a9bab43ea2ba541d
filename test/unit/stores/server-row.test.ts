import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../src/config/resolve-options.js';
import { resolveClient, resolveServer } from '../../../src/config/resolve-servers.js';
import type { McpServerConfig } from '../../../src/core/servers.js';
import { createRow } from '../../../src/stores/server-row.js';
import { CANARY_HEADERS, CANARY_QUERY, expectNoSecrets, SECRETS } from '../../support/canaries.js';

const rowOf = (server: McpServerConfig) => createRow(resolveServer(server, resolveOptions()), { tools: [] });
const http = (url: string, more = {}): McpServerConfig => ({ name: 'docs', type: 'http', url, ...more });

describe('createRow', () => {
  it('S2 one server has one id, whatever it is sent along', () => {
    const { id } = rowOf(http('https://mcp.example.com/mcp'));
    expect(rowOf(http(`https://mcp.example.com/mcp${CANARY_QUERY}`, { headers: CANARY_HEADERS })).id).toBe(id);
    expect(rowOf({ ...http('https://mcp.example.com/mcp'), type: 'streamable-http' } as McpServerConfig).id).toBe(id);
  });

  it('S2 another name, kind or endpoint is another id', () => {
    const rows = [
      rowOf(http('https://mcp.example.com/mcp')),
      rowOf(http('https://mcp.example.com/other')),
      rowOf(http('https://mcp.example.com:444/mcp')),
      rowOf({ ...http('https://mcp.example.com/mcp'), name: 'else' } as McpServerConfig),
      rowOf({ name: 'docs', type: 'sse', url: 'https://mcp.example.com/mcp' }),
      rowOf({ name: 'docs', type: 'stdio', command: 'docs' }),
      rowOf({ name: 'docs', type: 'stdio', command: 'docs', args: ['x'] }),
      rowOf({ name: 'docs', type: 'custom', connect: () => expect.fail() }),
    ];
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    expect(rows.map(({ type }) => type)).toEqual(['http', 'http', 'http', 'http', 'sse', 'stdio', 'stdio', 'custom']);
  });

  it('S1 a row says where the server is, and nothing that is a secret', () => {
    const row = rowOf(
      http(`https://${SECRETS.user}:x@mcp.example.com/mcp${CANARY_QUERY}#${SECRETS.query}`, {
        headers: CANARY_HEADERS,
      }),
    );
    expect(row).toMatchObject({ name: 'docs', url: 'https://mcp.example.com/mcp', tools: [] });
    const local = rowOf({ name: 'docs', type: 'stdio', command: 'docs', env: { KEY: SECRETS.env } });
    expect(local).not.toHaveProperty('url');
    expectNoSecrets(row, local);
  });

  it('S2 a client of the host’s own is a custom server', () => {
    const client = resolveClient({ request: () => expect.fail() }, 'docs', 'docs__');
    expect(createRow(client, { tools: [] })).toEqual({ id: client.identity, name: 'docs', type: 'custom', tools: [] });
  });
});
