import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { mapTools } from './map-tools.mjs';

const ANY = { '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) } };

/** The 2.x client, as its documentation uses it; `loose` lists by a request whose result nothing validates. */
export async function connect(servers, { era = 'legacy', loose = false, fetch } = {}) {
  const open = async ({ name, url }) => {
    const options = era === 'modern' ? { versionNegotiation: { mode: 'auto' } } : {};
    const client = new Client({ name: 'bench', version: '1.0.0' }, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch }));
    const listed = loose ? await client.request({ method: 'tools/list', params: {} }, ANY) : await client.listTools();
    return { name, client, tools: listed.tools };
  };
  return mapTools(await Promise.all(servers.map(open)));
}
