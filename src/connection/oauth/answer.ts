import { serverText } from '../../core/text.js';
import type { OAuthSdk } from './discovery.js';
import { badAnswer } from './failures.js';
import type { Pending } from './flow.js';

interface AnswerContext {
  readonly pending: Pending;
  readonly sdk: Pick<OAuthSdk, 'validateAuthorizationResponseIssuer'>;
  /** The answer is to our question: it cannot be given twice. */
  onState(): void;
}

/** The parameters that may decide something; each stands once or not at all. */
const ONCE = ['state', 'iss', 'code', 'error'] as const;

/**
 * Reads what the authorization page sent the user back with. The state is compared first, then the issuer (RFC 9207): before
 * that an error in it may be anybody's. Throws an `McpError`.
 */
export function readAnswer(
  server: string,
  answer: URLSearchParams,
  { pending, sdk, onState }: AnswerContext,
): { readonly code: string; readonly iss?: string } {
  if (ONCE.some((name) => answer.getAll(name).length > 1)) throw badAnswer(server, 'a parameter stands twice');
  if (answer.get('state') !== pending.state) throw badAnswer(server, 'its `state` is not that of the pending request');
  onState();
  const iss = answer.get('iss') ?? undefined;
  const metadata = pending.found.discovery.authorizationServerMetadata;
  try {
    sdk.validateAuthorizationResponseIssuer({
      iss,
      expectedIssuer: metadata?.issuer,
      issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
    });
  } catch {
    throw badAnswer(server, 'its `iss` is not the authorization server that was asked');
  }
  const error = answer.get('error');
  if (error !== null) {
    const description = answer.get('error_description');
    const text = description === null ? error : `${error}: ${description}`;
    throw badAnswer(server, `the authorization was refused: ${serverText(text)}`);
  }
  const code = answer.get('code');
  if (code === null || code === '') throw badAnswer(server, 'it holds neither a code nor an error');
  return { code, ...(iss === undefined ? {} : { iss }) };
}
