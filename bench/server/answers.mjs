import { makeTools } from './tools.mjs';

/** What the server answers, as text ready to send; shared with the scenario that uses no sockets. */

const INFO = { name: 'bench', version: '1.0.0' };
const CACHING = { ttlMs: 3_600_000, cacheScope: 'public' };
const MAX_TOOLS = 10_000;

const item = (id) => ({ id, title: `Item ${id} in the list`, url: `https://example.com/${id}` });
const CONTENT = [
  { type: 'text', text: JSON.stringify({ id: 'it_42', status: 'ok', count: 3, items: ['a1', 'a2', 'a3'].map(item) }) },
];

const lists = new Map();
const calls = {
  legacy: JSON.stringify({ content: CONTENT }),
  modern: JSON.stringify({ resultType: 'complete', content: CONTENT }),
};

/** The text of a `tools/list` result. */
export function listText(count, era) {
  const key = `${count} ${era}`;
  const known = lists.get(key);
  if (known !== undefined) return known;
  const tools = makeTools(Math.min(count, MAX_TOOLS));
  const made = JSON.stringify(era === 'modern' ? { resultType: 'complete', tools, ...CACHING } : { tools });
  lists.set(key, made);
  return made;
}

/** The text of a request's result, or an error, for a server that speaks one era. Undefined: nothing to say (202). */
export function answer(message, { tools, era }) {
  switch (message.method) {
    case 'initialize': {
      if (era === 'modern') return { status: 400, error: { code: -32022, message: 'Unsupported protocol version' } };
      const { protocolVersion } = message.params;
      return { result: JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo: INFO }) };
    }
    case 'server/discover':
      return era === 'modern' ? { result: DISCOVERED } : { status: 400, error: NOT_INITIALIZED };
    case 'tools/list':
      return { result: listText(tools, era) };
    case 'tools/call':
      return { result: calls[era] };
    default:
      return message.id === undefined ? undefined : { error: { code: -32601, message: 'Method not found' } };
  }
}

const NOT_INITIALIZED = { code: -32000, message: 'Bad Request: Server not initialized' };
const DISCOVERED = JSON.stringify({
  resultType: 'complete',
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: {} },
  ...CACHING,
  _meta: { 'io.modelcontextprotocol/serverInfo': INFO },
});

/** A whole response body. */
export function bodyText(id, { result, error }, format) {
  const part = error === undefined ? `"result":${result}` : `"error":${JSON.stringify(error)}`;
  const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${part}}`;
  return format === 'sse' ? `event: message\ndata: ${text}\n\n` : text;
}

export const MEDIA_TYPE = { json: 'application/json', sse: 'text/event-stream' };
