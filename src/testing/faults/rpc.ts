import { isRecord } from '../../core/json.js';
import type { Era } from '../../core/status.js';

const LEGACY_REVISION = '2025-11-25';
export const MODERN_REVISION = '2026-07-28';
const LEGACY_REVISIONS: readonly string[] = [LEGACY_REVISION, '2025-06-18', '2025-03-26', '2024-11-05'];

const META_REVISION = 'io.modelcontextprotocol/protocolVersion';
const META_SERVER = 'io.modelcontextprotocol/serverInfo';
export const META_SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

const SERVER_INFO = { name: 'fault-server', version: '1.0.0' };
const CAPABILITIES = { tools: { listChanged: true } };

/** A JSON-RPC message as it goes over the wire, right or wrong. */
export type Message = Readonly<Record<string, unknown>>;

/** A message and the HTTP status it travels with, where it travels alone. */
export interface Answer {
  readonly status: number;
  readonly message: Message;
}

/** A JSON-RPC error in place of a result. */
export interface RpcFailure {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** Default 200. */
  readonly status?: number;
}

export function resultAnswer(id: unknown, era: Era, result: Message): Answer {
  const complete = era === 'modern' && !('resultType' in result) ? { resultType: 'complete', ...result } : result;
  return { status: 200, message: { jsonrpc: '2.0', id, result: complete } };
}

/** An `undefined` id is left out. */
export function errorAnswer(id: unknown, { code, message, data, status = 200 }: RpcFailure): Answer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { status, message: { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error } };
}

export function notification(method: string, params?: Message): Message {
  return { jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) };
}

/** JSON text has no line breaks of its own, so it is one line of the event. */
export function eventText(data: string, event = 'message'): string {
  return `event: ${event}\ndata: ${data}\n\n`;
}

export function textResult(text: string): Message {
  return { content: [{ type: 'text', text }] };
}

export function initializeResult({ protocolVersion }: Message): Message {
  const known = LEGACY_REVISIONS.find((revision) => revision === protocolVersion);
  return { protocolVersion: known ?? LEGACY_REVISION, capabilities: CAPABILITIES, serverInfo: SERVER_INFO };
}

export function discoverResult(): Message {
  return {
    supportedVersions: [MODERN_REVISION],
    capabilities: CAPABILITIES,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [META_SERVER]: SERVER_INFO },
  };
}

export function listResult(era: Era, tools: readonly unknown[], nextCursor?: string): Message {
  const page = { tools, ...(nextCursor === undefined ? {} : { nextCursor }) };
  return era === 'legacy' ? page : { ttlMs: 0, cacheScope: 'private', ...page };
}

/** What a 2026-07-28 server refuses before it looks at the method: other revisions, and headers unlike the body. */
export function refuseModern(
  message: Message,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): RpcFailure | undefined {
  const { method } = message;
  const params = recordOf(message.params);
  const requested = recordOf(params._meta)[META_REVISION];
  if (message.id === undefined && requested === undefined) return undefined;
  if (requested !== MODERN_REVISION) return versionFailure([MODERN_REVISION], requested ?? params.protocolVersion);
  const named = method !== 'tools/call' || headers['mcp-name'] !== undefined;
  const alike = headers['mcp-protocol-version'] === requested && headers['mcp-method'] === method;
  return named && alike ? undefined : headerFailure();
}

export function headerFailure(): RpcFailure {
  return { code: -32020, message: 'Header mismatch', status: 400 };
}

export function versionFailure(supported: readonly string[], requested: unknown): RpcFailure {
  const data = { supported, requested: requested ?? null };
  return { code: -32022, message: 'Unsupported protocol version', data, status: 400 };
}

/** How a session that does not exist is refused, whatever it was sent. */
export function sessionFailure(status: 404 | 400): RpcFailure {
  return { code: status === 404 ? -32001 : -32000, message: 'Session not found', status };
}

/** The value, if it is an object; else an empty one. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}
