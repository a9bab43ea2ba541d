import type { TestProject } from 'vitest/node';
import { startEverything } from './everything.js';
import { HANDLED, type RawServer, startRawServer } from './raw-server.js';
import { startSdk1Server, startSdkServer } from './sdk-servers.js';

declare module 'vitest' {
  interface ProvidedContext {
    everythingHttpUrl: string;
    everythingSseUrl: string;
    sdkDualUrl: string;
    sdkLegacyUrl: string;
    sdkModernUrl: string;
    sdk1HttpUrl: string;
    /** `GET /__requests` on its origin lists what it received, `POST /__reset` forgets it. */
    rawLegacyUrl: string;
    /** `GET /__requests` on its origin lists what it received, `POST /__reset` forgets it. */
    rawModernUrl: string;
  }
}

/** Starts the servers that all test files share, in the runner's process, and gives their URLs to the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started = await Promise.allSettled([
    startEverything('streamableHttp'),
    startEverything('sse'),
    startSdkServer({ mode: 'dual' }),
    startSdkServer({ mode: 'legacy-only' }),
    startSdkServer({ mode: 'modern-only' }),
    startSdk1Server(),
    startShared('legacy'),
    startShared('modern'),
  ] as const);
  const teardown = async () => {
    await Promise.all(started.map((server) => (server.status === 'fulfilled' ? server.value.close() : undefined)));
  };
  const failed = started.find((server) => server.status === 'rejected');
  if (failed !== undefined) {
    await teardown();
    throw failed.reason;
  }
  const keys = [
    'everythingHttpUrl',
    'everythingSseUrl',
    'sdkDualUrl',
    'sdkLegacyUrl',
    'sdkModernUrl',
    'sdk1HttpUrl',
    'rawLegacyUrl',
    'rawModernUrl',
  ] as const;
  for (const [index, key] of keys.entries()) {
    const server = started[index];
    if (server?.status === 'fulfilled') project.provide(key, server.value.url);
  }
  return teardown;
}

const MESSAGE_SCHEMA = { type: 'object', properties: { message: { type: 'string' } } };

/** `good` answers at once, `hang` never (its record says when the client closed), `echo` after a short wait. */
function startShared(era: 'legacy' | 'modern'): Promise<RawServer> {
  return startRawServer({
    era,
    tools: ['good', 'hang', 'echo'].map((name) => ({
      name,
      description: `The ${name} tool.`,
      inputSchema: MESSAGE_SCHEMA,
    })),
    onCall: async (params, ctx) => {
      if (params.name === 'hang') return HANDLED;
      if (params.name === 'good') return { content: [{ type: 'text', text: 'good' }] };
      if (params.name !== 'echo') {
        ctx.fail(-32602, `Unknown tool: ${String(params.name)}`);
        return HANDLED;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { content: [{ type: 'text', text: JSON.stringify(params.arguments ?? {}) }] };
    },
  });
}
