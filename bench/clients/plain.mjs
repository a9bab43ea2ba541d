/** The floor: `fetch` and `JSON.parse`, in the fewest requests each era allows. */

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const INFO = { name: 'bench', version: '1.0.0' };
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
};

export async function connect(servers, { era = 'legacy', fetch = globalThis.fetch } = {}) {
  const tools = new Map();
  const open = async ({ name, url }) => {
    const session = { url, era, fetch, id: undefined, next: 0 };
    if (era === 'legacy') {
      await send(session, 'initialize', { protocolVersion: LEGACY, capabilities: {}, clientInfo: INFO });
      await send(session, 'notifications/initialized', undefined, true);
    }
    const listed = await send(session, 'tools/list', {});
    for (const { name: tool, description, inputSchema } of listed.tools) {
      const execute = (args) => send(session, 'tools/call', { name: tool, arguments: args });
      tools.set(`${name}__${tool}`, { description, inputSchema, execute });
    }
  };
  await Promise.all(servers.map(open));
  return { size: tools.size, tools, call: (name, args) => tools.get(name).execute(args), async close() {} };
}

async function send(session, method, params, isNotification = false) {
  const { url, fetch } = session;
  const id = isNotification ? undefined : session.next++;
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: withMeta(session, params) });
  const response = await fetch(url, { method: 'POST', headers: headersOf(session, method, params), body });
  session.id ??= response.headers.get('mcp-session-id') ?? undefined;
  const text = await response.text();
  if (isNotification) return undefined;
  const { result, error } = JSON.parse(text.startsWith('{') ? text : text.slice(text.indexOf('data: ') + 6));
  if (error !== undefined) throw new Error(error.message);
  return result;
}

const withMeta = ({ era }, params) => (era === 'modern' ? { ...params, _meta: META } : params);

function headersOf({ era, id }, method, params) {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  if (era === 'modern') {
    headers['mcp-protocol-version'] = MODERN;
    headers['mcp-method'] = method;
    if (params?.name !== undefined) headers['mcp-name'] = params.name;
  } else if (id !== undefined) {
    headers['mcp-session-id'] = id;
    headers['mcp-protocol-version'] = LEGACY;
  }
  return headers;
}
