/** Text that goes into a JSON body as it is: `1e400`, `__proto__` keys, lone surrogates, duplicate keys. */
export class RawJson {
  constructor(readonly text: string) {}
}

/** Marks text as ready-made JSON, wherever a server takes a value. */
export function rawJson(text: string): RawJson {
  return new RawJson(text);
}

/** A JSON-RPC error as the answer of a handler. `status` is the HTTP status it travels with. */
export class RpcFailure {
  constructor(
    readonly code: number,
    readonly message: string,
    readonly data: unknown,
    readonly status: number,
  ) {}
}

/** Makes the answer of `onCall` a JSON-RPC error; HTTP 200 unless `status` says otherwise. */
export function rpcError(code: number, message: string, data?: unknown, status = 200): RpcFailure {
  return new RpcFailure(code, message, data, status);
}

/** Returned by a handler that writes (or withholds) the response itself through `ctx.response`. */
export const HANDLED: unique symbol = Symbol('handled');

/** JSON text of a value that may hold `RawJson` at any place. */
function jsonText(value: unknown): string {
  const raw: string[] = [];
  const mark = `raw-json-${Math.random().toString(36).slice(2)}`;
  const text = JSON.stringify(value, (_key, entry: unknown) => {
    if (!(entry instanceof RawJson)) return entry;
    raw.push(entry.text);
    return `${mark}:${raw.length - 1}`;
  });
  if (raw.length === 0) return text;
  return text.replace(new RegExp(`"${mark}:(\\d+)"`, 'g'), (_match, index: string) => raw[Number(index)] ?? 'null');
}

export function resultText(id: unknown, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${jsonText(id ?? null)},"result":${jsonText(result)}}`;
}

export function failureText(id: unknown, failure: Pick<RpcFailure, 'code' | 'message' | 'data'>): string {
  const { code, message, data } = failure;
  return `{"jsonrpc":"2.0","id":${jsonText(id ?? null)},"error":${jsonText({ code, message, data })}}`;
}

export function sseEvent(event: string, data: string): string {
  return `event: ${event}\n${data
    .split('\n')
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a progress notification says of a request; undefined where its client asked for none. */
export function progressParams(params: unknown, progress: number, total: number | undefined): object | undefined {
  const meta = isRecord(params) && isRecord(params._meta) ? params._meta : {};
  const { progressToken } = meta;
  if (progressToken === undefined) return undefined;
  return { progressToken, progress, ...(total === undefined ? {} : { total }) };
}
