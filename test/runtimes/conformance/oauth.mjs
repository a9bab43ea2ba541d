// What an application adds to be authorized in the suite's `auth/` scenarios: a provider for each kind of grant, and a user who
// agrees to everything. `openAuthorized` gives a toolset, `callAuthorized` makes a call.
import {
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  discoverOAuthServerInfo,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client';
import { mcpTools } from '../../../dist/index.js';

/** Where the client must not come through: it says `unauthorized`, and that is the right end. */
const REFUSED = [
  'auth/resource-mismatch',
  'auth/iss-supported-missing',
  'auth/iss-wrong-issuer',
  'auth/iss-unexpected',
  'auth/iss-normalized',
  'auth/metadata-issuer-mismatch',
  'auth/scope-retry-limit',
];
/** Here the server moves to another authorization server, which the library leaves to the application to accept. */
const MOVES = 'auth/authorization-server-migration';

export const endsRefused = (scenario) => REFUSED.includes(scenario);

/** A provider with a user. */
function interactive({ client_id, client_secret, issuer }) {
  const kept = { client: client_id === undefined ? undefined : { client_id, client_secret, issuer } };
  const keep = (name) => (value) => {
    kept[name] = value;
  };
  return {
    redirectUrl: 'http://localhost:3000/callback',
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
    clientMetadata: { client_name: 'suite', redirect_uris: ['http://localhost:3000/callback'] },
    clientInformation: () => kept.client,
    saveClientInformation: keep('client'),
    tokens: () => kept.tokens,
    saveTokens: keep('tokens'),
    redirectToAuthorization() {},
    saveCodeVerifier: keep('verifier'),
    codeVerifier: () => kept.verifier,
  };
}

/** The grant of RFC 7523 with a token that the workload has. */
function workload({ client_id, valid_jwt }, issuer) {
  const provider = interactive({ client_id, issuer });
  return {
    ...provider,
    redirectUrl: undefined,
    saveClientInformation: undefined,
    prepareTokenRequest(scope) {
      const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
      return new URLSearchParams({ grant_type, assertion: valid_jwt, ...(scope === undefined ? {} : { scope }) });
    },
  };
}

async function providerFor(scenario, context, url) {
  // The suite does not say which authorization server these clients belong to, so the application looks for itself.
  const findIssuer = async () => (await discoverOAuthServerInfo(url)).authorizationServerMetadata?.issuer;
  const { client_id: clientId, client_secret: clientSecret, private_key_pem: privateKey } = context;
  switch (scenario) {
    case 'auth/client-credentials-basic':
      return new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: await findIssuer() });
    case 'auth/client-credentials-jwt': {
      const { signing_algorithm: algorithm } = context;
      return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm, expectedIssuer: await findIssuer() });
    }
    case 'auth/enterprise-managed-authorization': {
      const { idp_client_id, idp_id_token: idToken, idp_token_endpoint: tokenEndpoint } = context;
      const assertion = async ({ authorizationServerUrl: audience, resourceUrl: resource, scope, fetchFn }) => {
        const asked = { tokenEndpoint, audience, resource, idToken, clientId: idp_client_id, scope, fetchFn };
        return (await requestJwtAuthorizationGrant(asked)).jwtAuthGrant;
      };
      return new CrossAppAccessProvider({ assertion, clientId, clientSecret, expectedIssuer: await findIssuer() });
    }
    case 'auth/dpop':
    case 'auth/dpop-nonce': {
      const signer = await DpopSession.create();
      return { ...interactive(context), dpop: () => signer };
    }
    case 'auth/wif-jwt-bearer':
      return workload(context, await findIssuer());
    default:
      return interactive(context);
  }
}

/** The user goes to the page, agrees, and is sent back. */
async function agree(toolset) {
  const [{ name, authorizationUrl }] = toolset.servers;
  const { headers } = await fetch(authorizationUrl, { redirect: 'manual' });
  await toolset.finishAuth(name, new URL(headers.get('location')).searchParams);
}

const waits = (toolset) => toolset.servers[0].state === 'needs-auth';

async function open(server, scenario, context) {
  const provider = await providerFor(scenario, context, server.url);
  const toolset = await mcpTools([{ ...server, required: false }], { session: { id: 'suite' }, oauth: () => provider });
  if (waits(toolset)) await agree(toolset);
  const [{ state, error }] = toolset.servers;
  if (state !== 'ready') throw error;
  return toolset;
}

/** Connects; a user agrees where one is asked. Rejects with the server's error where it does not serve. */
export async function openAuthorized(server, scenario, context) {
  try {
    return await open(server, scenario, context);
  } catch (error) {
    if (scenario !== MOVES) throw error;
    // The application accepts the move: a new toolset and nothing stored, so that nothing goes along.
    return open(server, scenario, context);
  }
}

/** Makes a call, and once more when its user had to agree to it. */
export async function callAuthorized(toolset, { name, arguments: args }) {
  try {
    return await toolset.tools[name].execute(args);
  } catch (error) {
    if (!waits(toolset)) throw error;
    await agree(toolset);
    return toolset.tools[name].execute(args);
  }
}
