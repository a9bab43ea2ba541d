import type { ProvidedContext } from 'vitest';
import { expect, it } from 'vitest';
import type { TestProject } from 'vitest/node';
import { setup } from '../../support/global-setup.js';
import { names, withClient } from './clients.js';

it('starts every shared server, gives their URLs and closes them', async () => {
  const urls = new Map<string, string>();
  const provide = (key: keyof ProvidedContext & string, value: ProvidedContext[typeof key]) =>
    urls.set(key, String(value));
  const teardown = await setup({ provide } as unknown as TestProject);
  try {
    expect([...urls.keys()].sort()).toEqual([
      'everythingHttpUrl',
      'everythingSseUrl',
      'rawLegacyUrl',
      'rawModernUrl',
      'sdk1HttpUrl',
      'sdkDualUrl',
      'sdkLegacyUrl',
      'sdkModernUrl',
    ]);
    for (const key of ['rawLegacyUrl', 'rawModernUrl']) {
      const url = urls.get(key) ?? '';
      await withClient(url, async (client) => {
        expect(names(await client.listTools())).toEqual(['echo', 'good', 'hang']);
        const hanging = client.callTool({ name: 'hang' }, { signal: AbortSignal.timeout(50) });
        await expect(hanging).rejects.toThrow();
        expect((await client.callTool({ name: 'echo', arguments: { message: 'm' } })).content).toEqual([
          { type: 'text', text: '{"message":"m"}' },
        ]);
      });
      const requests = (await (await fetch(new URL('/__requests', url))).json()) as Array<{ method?: string }>;
      expect(requests.filter((request) => request.method === 'tools/call')).toHaveLength(2);
    }
    for (const url of urls.values()) await withClient(url, (client) => client.listTools());
  } finally {
    await teardown();
  }
  for (const url of urls.values()) await expect(fetch(url)).rejects.toThrow();
}, 30_000);
