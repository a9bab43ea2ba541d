import type { HttpServer, McpOptions, McpToolset, OAuthClientProvider, SseServer } from '../../src/index.js';
import { protect, type ResourceRules } from '../support/oauth-resource.js';
import { type OAuthServer, type OAuthServerOptions, startOAuthServer } from '../support/oauth-server.js';
import { type SdkServer, startSdk1SseServer, startSdkServer } from '../support/sdk-servers.js';
import { createRig, type Wired } from './rig.js';

/** The ways of serving that a resource is tried in. */
export const KINDS = ['dual', 'legacy-only', 'modern-only', 'sse'] as const;
export type Kind = (typeof KINDS)[number];

export const session = { id: 'alice' };

/** A resource server made with the SDK, and the authorization server that it names. */
export interface Stand {
  readonly as: OAuthServer;
  readonly rs: SdkServer;
  readonly config: HttpServer | SseServer;
  rules: ResourceRules;
}

export function createOAuthRig() {
  const rig = createRig();
  return {
    ...rig,
    async authorizationServer(options?: OAuthServerOptions) {
      return rig.keep(await startOAuthServer(options));
    },
    async stand(
      kind: Kind = 'dual',
      options: OAuthServerOptions = {},
      rules: Partial<ResourceRules> = {},
    ): Promise<Stand> {
      const as = rig.keep(await startOAuthServer(options));
      const onRequest = protect(() => stand.rules);
      const rs = rig.keep(
        kind === 'sse' ? await startSdk1SseServer({ onRequest }) : await startSdkServer({ mode: kind, onRequest }),
      );
      const type = kind === 'sse' ? ('sse' as const) : ('streamable-http' as const);
      const stand: Stand = { as, rs, config: { name: 'crm', type, url: rs.url }, rules: { issuer: as, ...rules } };
      return stand;
    },
    wireOAuth({ config }: Stand, provider: OAuthClientProvider, options: McpOptions = {}): Promise<Wired> {
      return rig.wire([config], { session, oauth: () => provider, ...options });
    },
  };
}

/** The page where the user is to go. Fails where the server waits for nobody. */
export function pageOf({ servers }: McpToolset, name = 'crm'): URL {
  const status = servers.find((server) => server.name === name);
  if (status?.authorizationUrl === undefined) throw new Error(`${name} is ${status?.state}: ${status?.error?.message}`);
  return status.authorizationUrl;
}

/** Everything that can be reached from a value, as one text: own properties of any kind, through causes. */
export function reachable(value: unknown, seen = new Set<unknown>()): string {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return String(value);
  if (seen.has(value)) return '';
  seen.add(value);
  const names = [...Object.getOwnPropertyNames(value), ...Object.getOwnPropertySymbols(value)];
  return names
    .map((name) => `${String(name)}=${reachable((value as Record<PropertyKey, unknown>)[name], seen)}`)
    .join('\n');
}
