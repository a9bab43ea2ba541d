import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { mapTools } from './map-tools.mjs';

/** The 1.x client, as its documentation uses it. It speaks no modern era. */
export async function connect(servers, { fetch } = {}) {
  const open = async ({ name, url }) => {
    const client = new Client({ name: 'bench', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
    const { tools } = await client.listTools();
    return { name, client, tools };
  };
  return mapTools(await Promise.all(servers.map(open)));
}
