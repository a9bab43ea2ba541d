import { type McpServerConfig, mcpTools, type OAuthClientProvider } from 'mcp-toolset';
import { same } from './assertions.js';
import type { Stand } from './scenario.js';
import { checkUrlTable } from './url-table.js';

export async function startsNoProcess({ targets }: Stand): Promise<void> {
  const local: McpServerConfig = { name: 'local', type: 'stdio', command: 'node', args: ['server.js'] };
  const [first] = targets;
  const { servers, tools, close } = await mcpTools([local, { name: first!.name, type: first!.type, url: first!.url }], {
    onDiagnostic() {},
  });
  try {
    same(
      servers.map(({ state, error }) => [state, error?.code]),
      [
        ['failed', 'transport-missing'],
        ['ready', undefined],
      ],
    );
    const { message = '' } = servers[0]?.error ?? {};
    same(/mcp-toolset\/node.*Workers and browsers have no processes; reach the server over HTTP/.test(message), true);
    same((await tools[`${first!.name}__echo`]!.execute({ message: 'on' })).content.length, 1);
  } finally {
    await close();
  }
}

export async function judgesUrls(): Promise<void> {
  const { judged, wrong } = await checkUrlTable(mcpTools);
  same(wrong, []);
  same(judged > 1_000, true);
}

export async function readsNoFile({ lure }: Stand): Promise<void> {
  const provider: OAuthClientProvider = {
    redirectUrl: 'http://localhost/callback',
    clientMetadata: { redirect_uris: ['http://localhost/callback'] },
    clientInformation: () => ({ client_id: 'known' }),
    tokens: () => undefined,
    saveTokens() {},
    codeVerifier: () => '',
    saveCodeVerifier() {},
    redirectToAuthorization() {},
  };
  const source = { name: 'lure', type: 'http', url: lure } as const;
  const { servers, close } = await mcpTools([source], {
    session: { id: 'u' },
    oauth: () => provider,
    onDiagnostic() {},
  });
  await close();
  same([servers[0]?.state, servers[0]?.error?.code], ['failed', 'host-denied']);
  const asked: readonly string[] = await (await fetch(new URL('/__asked', lure))).json();
  same([...new Set(asked)], ['/mcp']);
}
