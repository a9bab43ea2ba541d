import { type IncomingHttpHeaders, request } from 'node:http';
import { afterEach } from 'vitest';
import type { Fault, FaultPlan } from '../../../src/testing/faults/plan.js';
import { type FaultServer, type FaultServerOptions, faultServer } from '../../../src/testing/faults/server.js';

/** What arrived on the wire. */
export interface Arrived {
  /** 0 when no head arrived. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The response ended, was cut off, never had a head, or was still open when the test stopped listening. */
  readonly end: 'complete' | 'cut' | 'no-head' | 'open';
  /** The network error, where no head arrived. */
  readonly code?: string | undefined;
  /** From the head to the end. */
  readonly ms: number;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Stop listening after so many milliseconds, by closing the connection. */
  readonly stopAfterMs?: number;
  /** Stop listening when so much has arrived. */
  readonly stopAtBytes?: number;
}

/** One HTTP request on a connection of its own. */
export function send(url: string, body?: unknown, options: Sent = {}): Promise<Arrived> {
  return new Promise((resolve) => {
    let head: IncomingHttpHeaders = {};
    let status = 0;
    let text = '';
    let begin = Date.now();
    let stopped = false;
    const finish = (end: Arrived['end'], code?: string) => {
      clearTimeout(timer);
      resolve({ status, headers: head, body: text, end, code, ms: Date.now() - begin });
    };
    const stop = () => {
      stopped = true;
      finish('open');
      outgoing.destroy();
    };
    const outgoing = request(url, { method: options.method ?? 'POST', agent: false, headers: { ...options.headers } });
    const timer = setTimeout(stop, options.stopAfterMs ?? 5_000);
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (!stopped && status === 0) finish('no-head', error.code);
    });
    outgoing.on('response', (response) => {
      status = response.statusCode ?? 0;
      head = response.headers;
      begin = Date.now();
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        if (options.stopAtBytes !== undefined && text.length >= options.stopAtBytes) stop();
      });
      response.on('error', () => {});
      response.on('close', () => finish(response.complete ? 'complete' : 'cut'));
    });
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The messages of an event stream or a JSON body. */
export function messagesOf({ body, headers }: Arrived): Record<string, unknown>[] {
  if (!String(headers['content-type']).includes('event-stream')) return body === '' ? [] : [JSON.parse(body)];
  return body.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
}

const servers: FaultServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

export async function start(plan: FaultPlan = [], options: FaultServerOptions = {}): Promise<FaultServer> {
  const server = await faultServer(plan, options);
  servers.push(server);
  return server;
}

/** A server without sessions, whose calls of `effect` meet the fault. */
export function startWith(fault: Fault, options: FaultServerOptions = {}): Promise<FaultServer> {
  const rules = [{ match: { tool: 'effect' }, fault }];
  return start(rules, { sessions: false, ...options });
}

export function rpc(method: string, params: object = {}, id: unknown = 1): object {
  return { jsonrpc: '2.0', id, method, params };
}

export function callOf(name: string, args: object, id: unknown = 1, meta?: object): object {
  return rpc('tools/call', { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) }, id);
}

export const EFFECT = callOf('effect', { key: 'a' });
export const DONE = { jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: 'done: a' }] } };

/** The same request as a 2026-07-28 client sends it. */
export function modern(message: object): [body: object, sent: Sent] {
  const { method, params } = message as { method: string; params: Record<string, unknown> };
  const revision = '2026-07-28';
  const meta = { ...(params._meta as object), 'io.modelcontextprotocol/protocolVersion': revision };
  const headers = {
    'mcp-protocol-version': revision,
    'mcp-method': method,
    ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
  };
  return [{ ...message, params: { ...params, _meta: meta } }, { headers }];
}

/** Opens a session of a legacy server; gives the headers for it. */
export async function openSession({ url }: FaultServer): Promise<{ headers: Record<string, string> }> {
  const { headers } = await send(url, rpc('initialize', { protocolVersion: '2025-11-25' }));
  return { headers: { 'mcp-session-id': String(headers['mcp-session-id']) } };
}
