import { createHash, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createProofCheck, type Nonce } from './dpop.js';
import { listen } from './http-host.js';
import { createRecorder, type RecordedRequest, type Recorder } from './recorder.js';

interface Grant {
  readonly client: string;
  readonly scope: string;
  readonly refresh?: string;
  /** The thumbprint of the key that it is bound to. */
  readonly key?: string | undefined;
}

export interface OAuthServerOptions {
  /** Replaces fields of the metadata. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Whether the answer of the page names the issuer (RFC 9207), and which. Default: it does, itself. */
  readonly iss?: string | false;
  /** How clients that register prove who they are. Default `client_secret_basic`. */
  readonly authMethod?: 'client_secret_basic' | 'client_secret_post' | 'none';
  /** Registered beforehand: id and secret. */
  readonly clients?: Readonly<Record<string, string>>;
  /** Answers before anything else; true says that it did. */
  readonly onRequest?: (request: RecordedRequest, response: ServerResponse) => boolean | Promise<boolean>;
  /** Replaces fields of an answer with tokens. */
  readonly token?: Readonly<Record<string, unknown>>;
  /** Tokens are bound to a key (RFC 9449), and a proof must hold this nonce. */
  readonly dpop?: { readonly nonce?: Nonce };
}

/** An authorization server on loopback: discovery, registration, PKCE, rotation of refresh tokens, client credentials. */
export interface OAuthServer extends Omit<Recorder, 'accept'> {
  readonly origin: string;
  /** Access tokens are good no longer; refresh tokens still are. */
  expire(): void;
  /** The scope of an access token that is good. */
  scopeOf(token: string | undefined): string | undefined;
  /** The key that an access token is bound to. */
  keyOf(token: string | undefined): string | undefined;
  /** Refresh tokens that were used a second time. */
  readonly reused: number;
  /** What a user who agrees is sent back with. */
  visit(page: URL): Promise<URLSearchParams>;
  at(path: string): readonly RecordedRequest[];
  close(): Promise<void>;
}

/** Everything secret that it gives out begins with this. */
export const ISSUED = 'canary-issued';

export async function startOAuthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const recorder = createRecorder();
  const clients = new Map(Object.entries(options.clients ?? {}));
  const codes = new Map<string, { client: string; challenge: string; redirect: string; scope: string }>();
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Grant>();
  const spent = new Set<string>();
  const { authMethod = 'client_secret_basic' } = options;
  let reused = 0;
  /** The key of the request for tokens that is answered. */
  let key: string | undefined;
  const checkProof = createProofCheck(() => host.origin, options.dpop?.nonce);

  function issue(client: string, scope: string, renewable: boolean) {
    const token_type = key === undefined ? 'Bearer' : 'DPoP';
    const made = { access_token: `${ISSUED}-at-${randomUUID()}`, token_type, expires_in: 3600, scope };
    const renew = renewable ? `${ISSUED}-rt-${randomUUID()}` : undefined;
    access.set(made.access_token, { client, scope, key });
    if (renew !== undefined) refresh.set(renew, { client, scope });
    return { ...made, ...(renew === undefined ? {} : { refresh_token: renew }), ...options.token };
  }

  function token({ headers, body }: RecordedRequest): object | string {
    const form = new URLSearchParams(body);
    const client = clientOf(headers.authorization, form);
    if (!clients.has(client.id) || (clients.get(client.id) !== client.secret && !form.has('client_assertion')))
      return 'invalid_client';
    const scope = form.get('scope') ?? '';
    if (form.get('grant_type') === 'client_credentials') return issue(client.id, scope, false);
    if (form.get('grant_type') === 'refresh_token') {
      const given = form.get('refresh_token') ?? '';
      const grant = refresh.get(given);
      if (spent.has(given)) reused += 1;
      if (grant === undefined) return 'invalid_grant';
      refresh.delete(given);
      spent.add(given);
      return issue(grant.client, grant.scope, true);
    }
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const good =
      code?.challenge === challenge && code.redirect === form.get('redirect_uri') && code.client === client.id;
    return good ? issue(client.id, code.scope, true) : 'invalid_grant';
  }

  function register(body: string): object {
    const client_id = `client-${randomUUID()}`;
    const secret = authMethod === 'none' ? '' : `${ISSUED}-cs-${randomUUID()}`;
    clients.set(client_id, secret);
    const more = {
      client_id,
      token_endpoint_auth_method: authMethod,
      ...(secret === '' ? {} : { client_secret: secret }),
    };
    return { ...JSON.parse(body), ...more };
  }

  function authorize(url: URL): string {
    const asked = url.searchParams;
    const code = `${ISSUED}-code-${randomUUID()}`;
    codes.set(code, {
      client: asked.get('client_id') ?? '',
      challenge: asked.get('code_challenge') ?? '',
      redirect: asked.get('redirect_uri') ?? '',
      scope: asked.get('scope') ?? '',
    });
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', asked.get('state') ?? '');
    if (options.iss !== false) back.searchParams.set('iss', options.iss ?? host.origin);
    return back.href;
  }

  const metadata = () => ({
    issuer: host.origin,
    authorization_endpoint: `${host.origin}/authorize`,
    token_endpoint: `${host.origin}/token`,
    registration_endpoint: `${host.origin}/register`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    code_challenge_methods_supported: ['S256'],
    ...(options.dpop === undefined ? {} : { dpop_signing_alg_values_supported: ['ES256'] }),
    authorization_response_iss_parameter_supported: options.iss !== false,
    ...options.metadata,
  });

  const host = await listen(async (request, response) => {
    const entry = await recorder.accept(request, response);
    if (entry === undefined || (await options.onRequest?.(entry, response))) return;
    const url = new URL(entry.url, host.origin);
    if (url.pathname === '/.well-known/oauth-authorization-server') return send(response, 200, metadata());
    if (url.pathname === '/register') return send(response, 201, register(entry.body));
    if (url.pathname === '/authorize') return void response.writeHead(302, { location: authorize(url) }).end();
    if (url.pathname !== '/token') return void response.writeHead(404).end();
    if (options.dpop !== undefined) {
      const proof = checkProof(entry);
      const nonce = options.dpop.nonce?.();
      if (nonce !== undefined) response.setHeader('dpop-nonce', nonce);
      if (!proof.ok)
        return send(response, 400, { error: proof.why === 'nonce' ? 'use_dpop_nonce' : 'invalid_dpop_proof' });
      key = proof.key;
    }
    const made = token(entry);
    if (typeof made === 'string') send(response, 400, { error: made, error_description: `The server says ${made}.` });
    else send(response, 200, made);
  });
  const at = (path: string) => recorder.requests.filter(({ url }) => url.split('?')[0] === path);
  return {
    ...recorder,
    get requests() {
      return recorder.requests;
    },
    get reused() {
      return reused;
    },
    origin: host.origin,
    expire: () => access.clear(),
    scopeOf: (given) => access.get(given ?? '')?.scope,
    keyOf: (given) => access.get(given ?? '')?.key,
    async visit(page) {
      const { status, headers } = await fetch(page, { redirect: 'manual' });
      if (status !== 302) throw new Error(`The page answered ${status}`);
      return new URL(headers.get('location') ?? '').searchParams;
    },
    at,
    close: host.close,
  };
}

function clientOf(authorization: string | undefined, form: URLSearchParams): { id: string; secret: string } {
  if (authorization?.startsWith('Basic ')) {
    const [id = '', secret = ''] = Buffer.from(authorization.slice(6), 'base64').toString().split(':');
    return { id, secret };
  }
  const assertion = form.get('client_assertion');
  if (assertion !== null) {
    const claims = JSON.parse(Buffer.from(assertion.split('.')[1] ?? '', 'base64url').toString()) as { sub: string };
    return { id: claims.sub, secret: '' };
  }
  return { id: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' };
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
