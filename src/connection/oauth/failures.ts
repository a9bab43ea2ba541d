import { type ErrorCause, McpConnectError } from '../../core/errors.js';
import { serverText } from '../../core/text.js';
import type { OAuthRefusal } from '../../guard/oauth-fetch.js';

/** The user has to be asked before the server answers. No status is its cause: the breaker has nothing to count. */
export function needsAuthorization(server: string): McpConnectError {
  const message = `Server \`${server}\` needs the user's authorization: open the \`authorizationUrl\` of its status and give the answer to \`finishAuth\`.`;
  return new McpConnectError('unauthorized', message, { server });
}

/** An answer from the authorization page that is not taken. */
export function badAnswer(server: string, why: string): McpConnectError {
  return new McpConnectError('unauthorized', `\`finishAuth\` for server \`${server}\`: ${why}.`, { server });
}

/** Another authorization server than the one that this server's credentials belong to. Nothing was asked of it. */
export function otherIssuer(server: string, named: string, pinned: string): McpConnectError {
  const message = `Server \`${server}\` names another authorization server (${originOf(named)}) than the one its credentials belong to (${originOf(pinned)}); nothing was asked of it. If that is right, forget the stored credentials and make a new toolset.`;
  return new McpConnectError('unauthorized', message, { server });
}

export function notAuthorized(server: string, why: string, cause?: unknown): McpConnectError {
  // One level down: a status of the authorization server must not be taken for the server's.
  const own: ErrorCause & { readonly cause: unknown } = { name: 'OAuthError', cause: cause as ErrorCause };
  return new McpConnectError('unauthorized', `Server \`${server}\`: the authorization failed: ${why}.`, {
    server,
    cause: own,
  });
}

export function refused({ error, description, status }: OAuthRefusal): string {
  const text = description === undefined ? '' : `: ${serverText(description)}`;
  return `the authorization server answered ${error} (HTTP ${status})${text}`;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'no URL';
}
