import http from 'node:http';
import { answer, bodyText, MEDIA_TYPE } from './answers.mjs';

/**
 * MCP servers over plain node:http, on loopback, for the benchmark alone. Run as a child process; its argument is how many.
 * What a server does is in the path: `/<tools>/<latency in ms>/<json|sse>/<legacy|modern>/mcp`.
 * It counts requests by method, tells them when asked, and ends with its parent.
 */

const MAX_SERVERS = 64;
const MAX_BODY = 1024 * 1024;
const MAX_LATENCY_MS = 5_000;

let counts = {};

function handle(request, response, body) {
  const [, tools, latency, format, era] = request.url.split('/');
  const message = body === '' ? { method: request.method } : JSON.parse(body);
  counts[message.method] = (counts[message.method] ?? 0) + 1;
  const go = () => reply(response, request, message, { tools: Number(tools), format, era });
  if (latency === '0') go();
  else setTimeout(go, Math.min(Number(latency), MAX_LATENCY_MS));
}

function reply(response, request, message, { tools, format, era }) {
  if (request.method !== 'POST') {
    response.writeHead(request.method === 'DELETE' ? 200 : 405, { 'content-length': 0 }).end();
    return;
  }
  const answered = answer(message, { tools, era });
  if (answered === undefined) {
    response.writeHead(202, { 'content-length': 0 }).end();
    return;
  }
  const kind = answered.status === undefined ? format : 'json';
  const bytes = Buffer.from(bodyText(message.id, answered, kind));
  const session = message.method === 'initialize' && era === 'legacy' ? { 'mcp-session-id': 'bench-session' } : {};
  response.writeHead(answered.status ?? 200, {
    'content-type': MEDIA_TYPE[kind],
    'content-length': bytes.length,
    ...session,
  });
  response.end(bytes);
}

function receive(request, response) {
  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size > MAX_BODY) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => {
    try {
      handle(request, response, Buffer.concat(chunks).toString());
    } catch {
      response.writeHead(400, { 'content-length': 0 }).end();
    }
  });
}

async function listen() {
  const server = http.createServer(receive);
  server.maxConnections = 256;
  server.keepAliveTimeout = 60_000;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server.address().port;
}

process.on('disconnect', () => process.exit(0));
process.on('message', () => {
  process.send(counts);
  counts = {};
});
const wanted = Math.min(Number(process.argv[2]), MAX_SERVERS);
process.send({ ports: await Promise.all(Array.from({ length: wanted }, listen)) });
