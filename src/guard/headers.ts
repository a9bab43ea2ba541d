import { McpConfigError, McpConnectError } from '../core/errors.js';
import { isHeaderName, isHeaderValue } from '../core/headers.js';

/** What may follow a redirect to another origin: it describes the message and says nothing about who sends it (G5). */
const IMPERSONAL_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'content-type',
  'content-language',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
]);

/** The configured headers, checked. Throws `McpConfigError` that names the header and never shows its value (G12). */
export function readConfiguredHeaders(
  server: string,
  headers: Readonly<Record<string, string>>,
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(headers).map(([name, value]) => {
    if (!isHeaderName(name)) {
      throw new McpConfigError(`Server \`${server}\`: a key of \`headers\` is not an HTTP header name; correct it`, {
        server,
      });
    }
    if (!isHeaderValue(value)) {
      const problem = 'is not text that a header can hold (a line break or a character beyond Latin-1)';
      throw new McpConfigError(`Server \`${server}\`: the value of header "${name}" ${problem}; correct it`, {
        server,
      });
    }
    return [name.toLowerCase(), value] as const;
  });
}

/** A copy of the caller's headers. The runtime's own error would quote a bad value, so it is replaced. */
export function copyHeaders(server: string, headers: HeadersInit | undefined): Headers {
  try {
    return new Headers(headers);
  } catch {
    const message = `Server \`${server}\`: a request header holds a character that HTTP does not allow; nothing was sent`;
    throw new McpConnectError('connect-failed', message, { server });
  }
}

/**
 * The headers of one hop (G4). At home, the server's own origin, the configured ones join and never replace what the
 * caller set. Elsewhere only the impersonal ones are left.
 */
export function hopHeaders(
  caller: Headers,
  configured: readonly (readonly [name: string, value: string])[],
  atHome: boolean,
): Headers {
  const headers = new Headers(caller);
  if (!atHome) {
    for (const name of [...headers.keys()]) if (!IMPERSONAL_HEADERS.has(name)) headers.delete(name);
    return headers;
  }
  for (const [name, value] of configured) if (!caller.has(name)) headers.set(name, value);
  return headers;
}
