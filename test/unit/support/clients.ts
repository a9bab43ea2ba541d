import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseTransport1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport as HttpTransport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const INFO = { name: 'fixture-test', version: '1.0.0' };

/** Connects the 2.x client, gives it to `use`, and closes it whatever happens. */
export async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(INFO, { versionNegotiation: { mode: 'auto' } });
  const transport = url.endsWith('/sse')
    ? new SSEClientTransport(new URL(url))
    : new StreamableHTTPClientTransport(new URL(url));
  try {
    await client.connect(transport);
    return await use(client);
  } finally {
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession().catch(() => {});
    await client.close();
  }
}

/** The same for the 1.x client, which knows the legacy era only. */
export async function withClient1<T>(url: string, use: (client: Client1) => Promise<T>): Promise<T> {
  const client = new Client1(INFO);
  const transport = url.endsWith('/sse') ? new SseTransport1(new URL(url)) : new HttpTransport1(new URL(url));
  try {
    // The class types its callbacks as `| undefined`, which its own interface does not allow under exact types.
    await client.connect(transport as Parameters<Client1['connect']>[0]);
    return await use(client);
  } finally {
    if (transport instanceof HttpTransport1) await transport.terminateSession().catch(() => {});
    await client.close();
  }
}

export function names(list: { readonly tools: ReadonlyArray<{ readonly name: string }> }): string[] {
  return list.tools.map((tool) => tool.name).sort();
}

export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify(body),
  });
}

export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: INFO },
};
