import { createDeadline } from '../../core/deadline.js';
import { isMcpError, McpConfigError } from '../../core/errors.js';
import { isHeaderValue } from '../../core/headers.js';
import { isRecord } from '../../core/json.js';
import type { StoredOAuthTokens } from '../../core/oauth.js';
import { createSingleFlight, type SingleFlight } from '../../core/single-flight.js';
import type { Credentials } from '../../guard/credentials.js';
import { loadOAuthSdk } from '../../transports/sdk.js';
import { nothingPending } from '../failure.js';
import { readAnswer } from './answer.js';
import { needsAuthorization, notAuthorized } from './failures.js';
import { authorize, type FlowOptions, type Memory, type Pending, redeem } from './flow.js';
import { createProofs, type Proofs } from './proofs.js';
import { checkKind } from './provider.js';

export type OAuthOptions = Omit<FlowOptions, 'sdk' | 'memory'>;

/** The tokens of a server that authorizes by OAuth. */
export interface OAuthCredentials extends Credentials {
  /** Where the user has to go, while the server waits for that. */
  readonly authorizationUrl: URL | undefined;
  /** Takes what the authorization page sent the user back with. Rejects with an `McpError`. */
  finish(answer: URLSearchParams): Promise<void>;
  /** Forgets an authorization that was begun, so that the next refusal begins another. */
  restart(): void;
}

type Wish = 'renew' | 'widen';

interface Errand {
  readonly wish: Wish;
  readonly refused: string | undefined;
  readonly challenge?: string | undefined;
}

interface State {
  readonly options: OAuthOptions;
  readonly memory: Memory;
  /** The user was asked. `refused`: the token at that time. */
  pending: (Pending & { readonly wish: Wish; readonly refused: string | undefined }) | undefined;
  /** Until when an answer is being looked at and nothing else may begin. On Workers, whoever looks at it may be gone by then. */
  finishingUntil: number;
  /** Scopes that a step-up asked for; none is asked for twice. */
  scope: string | undefined;
  readonly proofs: Proofs;
  /** One run at a time. It goes on when nobody waits for it: a refresh token that was spent must be replaced (G11). */
  readonly errands: SingleFlight<{ readonly wish: Wish; readonly token: string }, Errand>;
}

/** Tokens of the option `oauth`: the host's provider keeps them, and they are asked for when the server refuses (G11). */
export function createOAuthCredentials(options: OAuthOptions): OAuthCredentials {
  const state: State = {
    options,
    memory: { issued: {} },
    pending: undefined,
    finishingUntil: 0,
    scope: undefined,
    proofs: createProofs(options.server, options.provider),
    errands: createSingleFlight((errand) => run(state, errand), { lasting: true }),
  };
  return {
    get asking() {
      return state.errands.busy;
    },
    get authorizationUrl() {
      return state.pending && new URL(state.pending.url);
    },
    token: () => tokenToSend(state),
    renew: (refused, signal, challenge) => renew(state, { wish: 'renew', refused, challenge }, signal),
    widen: (refused, signal, challenge) => widen(state, { wish: 'widen', refused, challenge }, signal),
    prove: state.proofs.prove,
    heard: state.proofs.heard,
    finish: (answer) => finish(state, answer),
    restart() {
      state.finishingUntil = 0;
      drop(state);
    },
  };
}

async function tokenToSend(state: State): Promise<string | undefined> {
  const token = await readToken(state);
  const { pending } = state;
  if (pending?.wish !== 'renew') return token;
  if (token === undefined || token === pending.refused || isFinishing(state))
    throw needsAuthorization(state.options.server);
  // The host finished it by itself.
  state.pending = undefined;
  return token;
}

async function renew(state: State, errand: Errand, signal: AbortSignal): Promise<string> {
  return (await replaced(state, errand)) ?? (await state.errands.run(errand, signal)).token;
}

async function widen(state: State, errand: Errand, signal: AbortSignal): Promise<string | undefined> {
  const sdk = await loadOAuthSdk();
  const { error, scope } = readChallenge(sdk, errand.challenge);
  if (error !== 'insufficient_scope' || !sdk.isStrictScopeSuperset(scope ?? '', state.scope)) return undefined;
  for (;;) {
    const current = await replaced(state, errand);
    if (current !== undefined) return current;
    const done = await state.errands.run(errand, signal);
    // Others had a token renewed meanwhile, which has no more rights.
    if (done.wish === 'widen') return done.token;
    errand = { ...errand, refused: done.token };
  }
}

/** The current token, where it is no longer the one that was refused. Throws while the user is asked. */
async function replaced(state: State, { wish, refused }: Errand): Promise<string | undefined> {
  const current = await readToken(state);
  if (current !== undefined && current !== refused) return current;
  if (isFinishing(state) || state.pending?.wish === wish) throw needsAuthorization(state.options.server);
  return undefined;
}

async function run(state: State, errand: Errand): Promise<{ wish: Wish; token: string }> {
  const { wish, refused } = errand;
  const { server, provider } = state.options;
  // Whoever was refused a moment later comes here after it was replaced.
  const current = await replaced(state, errand);
  if (current !== undefined) return { wish, token: current };
  const sdk = await loadOAuthSdk();
  const { resourceMetadataUrl, scope: challenged } = readChallenge(sdk, errand.challenge);
  const granted = wish === 'widen' ? (await provider.tokens())?.scope : undefined;
  const scope = sdk.computeScopeUnion(state.scope, granted, challenged);
  const anew = wish === 'widen' && sdk.isStrictScopeSuperset(scope, granted);
  const pending = await authorize(
    { ...state.options, memory: state.memory, sdk },
    { resourceMetadataUrl, scope, anew },
  );
  // A server that wants more whatever it gets must not have the same asked for ever.
  if (wish === 'widen') state.scope = scope;
  if (pending !== undefined) {
    state.pending = { ...pending, wish, refused };
    throw needsAuthorization(server);
  }
  const token = await readToken(state);
  if (token === undefined) throw notAuthorized(server, 'the provider saved no token');
  return { wish, token };
}

function isFinishing({ finishingUntil }: State): boolean {
  return Date.now() < finishingUntil;
}

async function finish(state: State, answer: URLSearchParams): Promise<void> {
  const { pending, options } = state;
  if (pending === undefined || isFinishing(state)) throw nothingPending(options.server);
  const sdk = await loadOAuthSdk();
  if (state.pending !== pending || isFinishing(state)) throw nothingPending(options.server);
  state.finishingUntil = Date.now() + options.ms;
  // An answer to another question, whoever sent it, leaves this one open.
  let end = () => {};
  const onState = () => {
    end = () => drop(state);
  };
  try {
    const read = readAnswer(options.server, answer, { pending, sdk, onState });
    await redeem({ ...options, memory: state.memory, sdk }, pending, read);
    end = () => {
      state.pending = undefined;
    };
  } finally {
    // Unless another authorization was begun meanwhile.
    if (state.pending === pending) {
      state.finishingUntil = 0;
      end();
    }
  }
}

/** Nothing came of it: what it asked for may be asked for again. */
function drop(state: State): void {
  if (state.pending?.wish === 'widen') state.scope = undefined;
  state.pending = undefined;
}

function readChallenge({ extractWWWAuthenticateParams }: Awaited<ReturnType<typeof loadOAuthSdk>>, text = '') {
  return extractWWWAuthenticateParams(new Response(null, { headers: { 'www-authenticate': text } }));
}

/** The provider's token, read within the time that a connect may take. */
async function readToken({ options: { server, provider, ms, closing }, proofs }: State): Promise<string | undefined> {
  const deadline = createDeadline({ ms, closing, option: 'connectTimeoutMs' });
  let tokens: StoredOAuthTokens | undefined;
  try {
    tokens = await deadline.race((async () => provider.tokens())(), { server });
  } catch (error) {
    throw isMcpError(error) ? error : notAuthorized(server, '`tokens` of its provider failed', error);
  } finally {
    deadline.dispose();
  }
  if (tokens === undefined || tokens === null) return undefined;
  const token: unknown = isRecord(tokens) ? tokens.access_token : undefined;
  if (typeof token !== 'string' || token === '' || !isHeaderValue(token)) {
    throw new McpConfigError(
      `\`tokens\` of the provider of \`${server}\` gave no access_token that a header can hold.`,
      {
        server,
      },
    );
  }
  proofs.note(token, checkKind(server, tokens, provider));
  return token;
}
